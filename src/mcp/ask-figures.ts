import { isWithinChance } from "../base/chance.ts";
import { UnmatchedError, UsageError } from "../base/errors.ts";
import { closedRange, countDays } from "../calendar/dates.ts";
import type { ReadTable } from "../export/output/memory.ts";
import type { Value } from "../export/table.ts";
import { askRollup } from "../library/ask-rollup.ts";
import { readOnlySource } from "../produce/warehouse-source.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { type Answer, toBasis } from "./answer.ts";
import { areRulesChanged, type Scope } from "./moment.ts";

type Row = Record<string, Value | boolean>;

const LESS = "Ask for fewer dimensions or periods, a filter, top, or a shorter range.";

export async function askFigures(scope: Scope, question: object): Promise<Answer> {
  const { basis, table } = await ask(scope, question);
  const { rows, total } = toRows(table);
  return { basis, data: { rows, ...(total && { total }) }, less: `${LESS} Columns makes rows shorter.` };
}

export async function askComparison(scope: Scope, question: object): Promise<Answer> {
  const asked = { by: ["channel"], against: "previous", ...question };
  const { against: compare, ...others } = asked;
  const columns = ["calls", "qualified_calls"];
  const { basis, manifest, table } = await ask(scope, { ...others, compare, columns });
  const [days, daysBefore] = [closedRange(manifest.range), closedRange(manifest.compared_with)];
  if (days === undefined || daysBefore === undefined) throw new Error("Open ranges are not compared");
  const times = countDays(daysBefore) / countDays(days);
  const judge = ({ qualified_calls_change: _, ...row }: Row): Row => ({
    ...row,
    within_chance: isWithinChance(Number(row.calls), Number(row.calls_previous), times),
  });
  const { rows, total } = toRows(table);
  const sorted = rows.map(judge).toSorted((a, b) => difference(b) - difference(a));
  return { basis, data: { rows: sorted, ...(total && { total: judge(total) }) }, less: LESS };
}

const difference = (row: Row) => Math.abs(Number(row.calls) - Number(row.calls_previous));

async function ask({ account, settings }: Scope, question: object) {
  using warehouse = openOwn(settings, openWarehouseReader);
  const source = readOnlySource(warehouse, settings.lookbackHours);
  let isChanged = false;
  const asked = askRollup(
    source,
    { timezone: settings.timezone, ...question },
    {
      inspect: async ({ lists }) => {
        isChanged = lists !== undefined && areRulesChanged(lists.reader, settings);
      },
    },
  );
  const { table, manifest } = await asked.catch((error: unknown) => {
    if (!(error instanceof UnmatchedError)) throw error;
    // Its own advice is a visitor's text.
    const [{ filter } = { filter: "" }] = error.unmatched;
    throw new UsageError(error.message, { hint: `The tool figures lists the values, by ${filter}.` });
  });
  const isProvisional = manifest.range.provisional ?? false;
  return {
    table,
    manifest,
    basis: toBasis(manifest, { account, isProvisional, areRulesChanged: isChanged }),
  };
}

function toRows({ columns, rows, total }: ReadTable): { rows: Row[]; total?: Row | undefined } {
  const toRow = (row: readonly Value[]): Row =>
    Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  return { rows: rows.map(toRow), total: total && toRow(total) };
}
