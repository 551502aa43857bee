import { EXPLORE_FILE } from "../../config/request/option-values.ts";
import { assertShareSafe } from "../../export/share-safe.ts";
import type { Calls } from "../../figures/calls.ts";
import { Cells, Folding } from "../../figures/cells/cells.ts";
import { keepLarge } from "../../figures/cells/kept-cells.ts";
import { Dictionary } from "../../figures/dictionary.ts";
import type { KeyColumn } from "../../figures/dimensions.ts";
import { groups, runSteps } from "../../figures/groups.ts";
import { compareValues } from "../../figures/key-order.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { Part } from "../../figures/parts.ts";
import { FOLDED, GROUP_PARTS, type PageData, packDuration } from "./packed-calls.ts";
import type { KeyCodes } from "./page-data.ts";

export interface GroupedCalls extends Pick<PageData, "columns" | "values"> {
  groups: number;
  sums: { [Name in Part]?: number };
}

/**
 * Groups calls by day and key, as `export --grain day --min-cell` does: small groups are folded with the next smallest of
 * their day. Days with too few calls are left out: subtracting the others from a total would reveal them.
 * @param ofDays codes of the days, from 0 on
 * @throws UsageError for a text that looks like a phone number or mail address
 */
export function groupCalls(
  calls: Calls,
  {
    keys,
    codes,
    ofDays,
    minCell,
  }: {
    keys: readonly KeyColumn[];
    codes: readonly KeyCodes[];
    ofDays: Codes;
    minCell: number;
  },
): GroupedCalls {
  const dictionaries = new Map(
    codes.map(({ name, values = [] }) => {
      const dictionary = new Dictionary();
      for (const value of values) dictionary.codeOf(value);
      return [name, dictionary];
    }),
  );
  const days = new Dictionary();
  const cells = new Cells(keys, {
    dictionaryOf: ({ name }) => dictionaries.get(name) ?? new Dictionary(),
    periods: days,
  });
  const of = cells.encode(
    cells.table.encode(
      codes.map((column) => column.codes),
      calls.rows,
    ),
    ofDays.map((day) => days.codeOf(day)),
  );
  const { calls: counts = new Float64Array() } = runSteps(groups(calls, { of, size: cells.size }, ["calls"]));
  const side = { calls: counts, spent: new Map(), earned: new Map() };
  const folding = new Folding(cells, keepLarge({ cells, sides: [side] }, minCell));
  const sums = runSteps(
    groups(calls, { of: of.map((cell) => folding.rowOf(cell)), size: folding.size }, GROUP_PARTS),
  );
  const partOf = (part: Part, row: number) => sums[part]?.[row] || 0;
  const rows = Array.from({ length: folding.size }, (_, row) => row)
    .filter((row) => partOf("calls", row) >= minCell)
    .map((row) => {
      const key = folding.isOther(row) ? keys.map(() => FOLDED) : cells.table.valuesOf(cells.keyOf(row));
      return { row, day: Number(days.values[folding.periodOf(row)]), key, text: JSON.stringify(key) };
    })
    // So that their order shows nothing else.
    .sort((a, b) => a.day - b.day || compareValues(a.text, b.text));
  assertShareSafe({ columns: keys, rows: rows.map(({ key }) => key) }, EXPLORE_FILE);
  const values = Object.fromEntries(keys.map(({ name }) => [name, new Dictionary()]));
  return {
    groups: rows.length,
    sums: Object.fromEntries(
      GROUP_PARTS.map((part) => [part, rows.reduce((sum, { row }) => sum + partOf(part, row), 0)]),
    ),
    columns: new Map<string, readonly number[]>([
      ["day", rows.map(({ day }) => day)],
      ...keys.map(({ name }, index): [string, number[]] => [
        name,
        rows.map(({ key }) => values[name]?.codeOf(key[index] ?? null) ?? 0),
      ]),
      ...GROUP_PARTS.map((part): [string, number[]] => [
        part,
        rows.map(({ row }) => packDuration(partOf(part, row))),
      ]),
    ]),
    values: Object.fromEntries(Object.entries(values).map(([name, dictionary]) => [name, dictionary.values])),
  };
}
