import { multiselect } from "@clack/prompts";
import { Command } from "@commander-js/extra-typings";
import { parseDate } from "../../base/calendar/dates.ts";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { formatMicros } from "../../base/text/currency.ts";
import { orMeant } from "../../base/text/nearest.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import type { Settings } from "../../config/load-settings.ts";
import { nameSetting } from "../../config/setting-name.ts";
import { SETTINGS } from "../../config/settings.ts";
import { appendAliases, toCsvLine } from "../../features/hygiene/append-aliases.ts";
import { RECENT_DAYS, readProblems } from "../../features/hygiene/read-problems.ts";
import { type AliasLine, TAG_PROBLEMS, type TagProblem } from "../../features/hygiene/tag-problem.ts";
import { RollupSession } from "../../sources/session.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { onlyAccountOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { parser } from "../parsers.ts";
import { assertReplaces, replacementOf } from "../replacement.ts";
import { layOutTable } from "../terminal/query-table.ts";
import { notesOnRules } from "../warehouse-notes.ts";

/** A problem with the number by which its line for the file of aliases is chosen. */
type NumberedProblem = TagProblem & { number: number | null };

export const command = (context: Context) =>
  new Command("hygiene")
    .description(
      `Lists tags that are probably wrong, by the calls of ${RECENT_DAYS} days, and appends the lines that mend them to a file of aliases.`,
    )
    .option("--to <date>", "the last day (default: today)", parser(parseDate))
    .option("--write <file>", "append the chosen lines to this file of aliases; without --lines, asks which")
    .option("--lines <choice>", "with --write: numbers of lines or problems, such as 1,3 or near_miss")
    .option(...OPTION.replace)
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally hygiene\n  $ calltally hygiene --write aliases.csv --lines 1,3",
    )
    .action(
      perAccount(context, async ({ account, settings }, { to, write: file, lines, replace }) => {
        if (lines !== undefined && file === undefined)
          throw new UsageError("--lines needs --write: it chooses the lines to append", {
            hint: "Add --write aliases.csv.",
          });
        assertReplaces(replace, file);
        if (file !== undefined) onlyAccountOf(context);
        const problems = await readNumbered(settings, to, context.signal);
        const notes = notesOnRules(settings);
        if (file === undefined)
          return { data: problems.map(toData), text: describeProblems(problems), notes };
        const chosen = lines === undefined ? await askLines(context, problems) : chooseLines(problems, lines);
        appendAliases(file, chosen, replacementOf(context, replace));
        return {
          data: { file, lines: chosen },
          summary: `${formatQuantity(chosen.length, "line")} appended to ${file}:\n${chosen.map(toText).join("\n")}`,
          notes:
            settings.aliasesFile === undefined
              ? [`To apply it, set ${nameSetting(SETTINGS.aliasesFile, account.sources)} to ${file}.`]
              : [],
        };
      }),
    );

async function readNumbered(
  settings: Settings,
  to: string | undefined,
  signal: AbortSignal,
): Promise<NumberedProblem[]> {
  using reader = openOwn(settings, openReader);
  using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules, signal });
  const { timezone } = settings;
  const { problems } = await readProblems(session, { to, timezone, nowMs: Date.now() });
  let last = 0;
  return problems.map((each) => ({ ...each, number: each.line?.file === "aliases" ? ++last : null }));
}

const toText = (line: object) => toCsvLine(Object.values(line));

function toData({ cost_micros, line, ...problem }: NumberedProblem) {
  return {
    ...problem,
    cost: cost_micros === null ? null : formatMicros(cost_micros),
    file: line?.file ?? null,
    line: line && toText(line.cells),
  };
}

function describeProblems(problems: readonly NumberedProblem[]): string {
  if (problems.length === 0) return `No tag of these ${RECENT_DAYS} days looks wrong.`;
  return layOutTable(
    ["line", "problem", "field", "value", "other", "calls"],
    problems.map(({ number, kind, field, value, other, calls }) => [
      ...[number === null ? "" : String(number), kind, field, value, other ?? "", calls],
    ]),
    process.stdout.columns,
  );
}

/** @throws UsageError that lists what can be chosen */
function chooseLines(problems: readonly NumberedProblem[], choice: string): AliasLine[] {
  const words = choice.split(",").map((word) => word.trim());
  const chosen = words.map((word) => {
    const matches = problems.filter(
      ({ number, kind }) => number !== null && (String(number) === word || kind === word),
    );
    if (matches.length > 0) return matches;
    const count = problems.filter(({ number }) => number !== null).length;
    throw new UsageError(`There is no line ${word}${orMeant(word, TAG_PROBLEMS)}`, {
      hint:
        count === 0
          ? "No line of aliases would mend a tag of these days."
          : `Give numbers from 1 to ${count}, or a problem, as \`calltally hygiene\` lists them.`,
    });
  });
  return linesOf([...new Set(chosen.flat())]);
}

const linesOf = (problems: readonly NumberedProblem[]) =>
  problems.flatMap(({ line }) => (line?.file === "aliases" ? [line.cells] : []));

/** @throws UsageError without a terminal to ask on @throws CalltallyError (exit 130) if nothing is chosen */
async function askLines(
  { options, signal }: Context,
  problems: readonly NumberedProblem[],
): Promise<AliasLine[]> {
  const offered = problems.filter(({ number }) => number !== null);
  if (offered.length === 0)
    throw new UsageError("There is nothing to append: no line of aliases would mend a tag of these days", {
      hint: "`calltally hygiene` lists the other problems.",
    });
  if (options.json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError("Cannot ask which lines to append: this is not a terminal", {
      hint: "Choose them with --lines, such as --lines 1,3 or --lines near_miss.",
    });
  const answer = await multiselect({
    message: "Which lines?",
    options: offered.map((each) => ({
      value: each,
      label: toPrintable(`${each.kind}: ${toData(each).line}`),
      hint: formatQuantity(each.calls, "call"),
    })),
    signal,
  });
  if (Array.isArray(answer)) return linesOf(answer);
  signal.throwIfAborted();
  throw new CalltallyError(EXIT.sigint, "Cancelled: nothing was written", {
    hint: "Run it again to choose.",
  });
}
