import { EXIT, type ExitCode } from "../../base/errors.ts";
import { namesOf, recordOf } from "../../base/records.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { isSmallCount } from "../../figures/cells/small-cells.ts";
import { FILE_RULES } from "./file-rules.ts";
import { RANGE_RULES } from "./range-rules.ts";
import { type Facts, LEVELS, type Level, type Rule, type Values } from "./rule.ts";
import { WAREHOUSE_RULES } from "./warehouse-rules.ts";

const RULES = { ...WAREHOUSE_RULES, ...FILE_RULES, ...RANGE_RULES };
export type StatementId = keyof typeof RULES;
const RULE_OF: Readonly<Record<StatementId, Rule>> = RULES;
const STATEMENT_IDS: readonly StatementId[] = namesOf(RULES);

/** Something that a reader of figures must know: data, which {@link say} puts into words. */
export interface Statement {
  id: StatementId;
  level: Level;
  /** The account, in a file of several. */
  account?: string;
  values: Values;
}

export interface StatementText {
  text: string;
  /** What to do about it. */
  hint?: string;
}

/** Returns the statements on these facts, doubts first. @param minCell smaller counts are null, or their note is left out */
export function statementsOf(facts: Facts, minCell = 1): Statement[] {
  const statements = STATEMENT_IDS.flatMap((id): Statement[] => {
    const { level, levelOf, counts = [], about, ...rule } = RULE_OF[id];
    if (about && facts.figures && !facts.figures.some((name) => about.includes(name))) return [];
    const values = rule.find(facts);
    if (values == null) return [];
    const isSmall = counts.some((name) => isSmallCount(Number(values[name]), minCell));
    if (isSmall && level === "note") return [];
    const shown = isSmall ? { ...values, ...recordOf(counts, () => null) } : values;
    return [{ id, level: levelOf?.(values) ?? level, values: shown }];
  });
  return inOrder(statements);
}

function inOrder(statements: readonly Statement[]): Statement[] {
  return LEVELS.flatMap((level) => statements.filter((statement) => statement.level === level));
}

/** Combines the statements of several accounts. @param figures names of the shown figures */
export function mergeStatements(
  accounts: ReadonlyMap<string, readonly Statement[]>,
  figures: readonly string[],
): Statement[] {
  const all = [...accounts].flatMap(([account, statements]) =>
    statements.map((statement) => ({ ...statement, account })),
  );
  return inOrder([...all, ...statementsOf({ accounts: accounts.size, figures })]);
}

export function say({ id, account, values }: Statement): StatementText {
  const rule = RULE_OF[id];
  const hint = rule.hint?.(values);
  const prefix = account === undefined ? "" : `${account}: `;
  return { text: prefix + rule.say(values), ...(hint !== undefined && { hint }) };
}

/** A statement with its words, as in JSON. */
export function toSpoken(statement: Statement) {
  return { ...statement, ...say(statement) };
}

const CAUTIONS_SHOWN = 3;

/** Returns the texts, with at most as many cautions. @param where the others are, such as `see manifest.json` */
export function saySome(
  statements: readonly Statement[],
  where: string,
  most: number = CAUTIONS_SHOWN,
): string[] {
  const sayAll = (level: Level) =>
    statements.filter((statement) => statement.level === level).map((statement) => say(statement).text);
  const cautions = sayAll("caution");
  const rest = cautions.length - most;
  return [
    ...sayAll("doubt"),
    ...cautions.slice(0, most),
    ...(rest > 0 ? [`And ${formatQuantity(rest, "more caution")}: ${where}.`] : []),
    ...sayAll("note"),
  ];
}

export function doubtsOf<S extends Statement>(statements: readonly S[]): S[] {
  return statements.filter(({ level }) => level === "doubt");
}

export function has(statements: readonly Statement[], id: StatementId): boolean {
  return statements.some((statement) => statement.id === id);
}

/** Returns 3 if a doubt is among them. */
export function exitCodeOf(statements: readonly Statement[]): ExitCode {
  return doubtsOf(statements).length > 0 ? EXIT.unverified : EXIT.done;
}
