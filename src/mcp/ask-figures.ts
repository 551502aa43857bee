import { beforeName, type ComparisonName } from "../base/calendar/grain.ts";
import { UnmatchedError, UsageError } from "../base/errors.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { sentencesOnSpend } from "../export/described-spend.ts";
import type { ReadTable } from "../export/output/memory.ts";
import type { TotalRow, Value } from "../export/table.ts";
import { askRollup } from "../library/ask-rollup.ts";
import { parseQuestion } from "../library/parse-options.ts";
import { readOnlySource } from "../reports/produce/warehouse-source.ts";
import { openReader } from "../warehouse/file/open.ts";
import { openOwn } from "../warehouse/file/own-warehouse.ts";
import { type Answer, toBasis } from "./answer.ts";
import type { Scope } from "./moment.ts";

type Row = Readonly<Record<string, Value | boolean>>;

const LESS = "Ask for fewer dimensions, periods or columns, a filter, top, or a shorter range.";

export async function askFigures(scope: Scope, question: object): Promise<Answer> {
  const { manifest, about, rows, totals } = await ask(scope, question);
  const { spend, timezone } = manifest;
  return {
    basis: toBasis(manifest, { ...about, ...(spend && { spend: sentencesOnSpend(spend, timezone) }) }),
    data: { rows, ...totals },
    less: LESS,
  };
}

export async function askComparison(
  scope: Scope,
  { against = "previous", ...question }: { against?: ComparisonName | undefined },
): Promise<Answer> {
  const columns = ["calls", "qualified_calls"];
  const { manifest, about, rows, totals } = await ask(scope, {
    by: ["channel"],
    ...question,
    compare: against,
    chance: true,
    columns,
  });
  return {
    basis: toBasis(manifest, about),
    data: { rows: rows.toSorted((a, b) => difference(b, against) - difference(a, against)), ...totals },
    less: LESS,
  };
}

const difference = (row: Row, against: ComparisonName) =>
  Math.abs(Number(row.calls) - Number(row[beforeName("calls", against)]));

async function ask({ account, settings }: Scope, question: object) {
  using warehouse = openOwn(settings, openReader);
  const rules = readAttributionRules(settings);
  const source = readOnlySource(warehouse, settings.lookbackHours, settings, rules);
  const zoned = { timezone: settings.timezone, ...question };
  const { table, manifest } = await askRollup(source, parseQuestion(zoned)).catch((error: unknown) => {
    if (!(error instanceof UnmatchedError)) throw error;
    // Its own advice quotes what visitors wrote.
    const [{ filter } = { filter: "" }] = error.unmatched;
    throw new UsageError(error.message, { hint: `The tool figures lists the values, by ${filter}.` });
  });
  const about = { account, isProvisional: manifest.range.provisional ?? false };
  return { manifest, about, ...toRows(table) };
}

function toRows({ columns, rows, totals = [] }: ReadTable) {
  const toRow = (row: readonly Value[]): Row =>
    Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  const named: Partial<Record<TotalRow["kind"], Row>> = {};
  for (const { kind, values } of totals) named[kind] = toRow(values);
  return { rows: rows.map(toRow), totals: named };
}
