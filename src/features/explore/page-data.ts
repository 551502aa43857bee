import { randomInt } from "node:crypto";
import { toShortName } from "../../base/text/short-name.ts";
import type { Calls } from "../../figures/calls.ts";
import { Cells, type Side } from "../../figures/cells/cells.ts";
import { Dictionary, type FactValue, namedDictionaries } from "../../figures/dictionary.ts";
import { type KeyColumn, keyColumns, SPEND_DIMENSIONS } from "../../figures/dimensions.ts";
import { compareValues } from "../../figures/key-order.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { ZoneOffset } from "../../figures/rollup-query.ts";
import type { FigureSession } from "../../sources/figure-session.ts";
import type { SessionSpend } from "../../sources/session-spend.ts";
import {
  type Ledger,
  type OutcomeLedger,
  type PageData,
  packDuration,
  type SpendLedger,
} from "./packed-calls.ts";

export interface KeyCodes {
  name: string;
  codes: Codes;
  /** Undefined for numbers. */
  values: readonly FactValue[] | undefined;
}

const DIGIT_BITS = 16;
/** Longer names would fill the page, and its memory. */
const MAX_NAME = 200;

/** Returns a key's value as the page has it: a long name is cut. */
function toPageValue(value: FactValue): FactValue {
  return typeof value === "string" && value.length > MAX_NAME ? toShortName(value, MAX_NAME) : value;
}

/** Returns the codes of key columns with values as the page has them. */
export function withPageValues(keys: readonly KeyCodes[]): KeyCodes[] {
  return keys.map(({ values, ...key }) => ({ ...key, values: values?.map(toPageValue) }));
}

/** Sorts calls by all that the file has of them, so that their order shows nothing else. */
export function sortCalls(
  { rows, marks, durations, callers }: Calls,
  keys: readonly KeyCodes[],
): Pick<PageData, "columns" | "values"> {
  const known: readonly { name: string; codes: ArrayLike<number> }[] = [
    ...keys,
    { name: "marks", codes: marks },
    { name: "duration", codes: Uint32Array.from(durations, packDuration) },
    { name: "caller", codes: shuffleCodes(callers) },
  ];
  const order = sortRows(
    rows,
    known.map(({ codes }) => codes),
  );
  const values: Record<string, readonly FactValue[]> = {};
  const columns = new Map(known.map(({ name, codes }) => [name, order.map((row) => codes[row] ?? 0)]));
  for (const { name, values: all } of keys) {
    // The dictionary also has values of calls that are not in the file.
    const used = new Dictionary();
    const codes = columns.get(name)?.map((code) => used.codeOf(all?.[code] ?? null));
    if (all === undefined || codes === undefined) continue;
    columns.set(name, codes);
    values[name] = used.values;
  }
  return { columns, values };
}

/** Sorts rows by columns, the first one first, with a stable counting sort by each digit: comparisons take 30 times as long. */
function sortRows(rows: number, columns: readonly ArrayLike<number>[]): Uint32Array {
  let order = new Uint32Array(rows).map((_, row) => row);
  for (const column of columns.toReversed()) {
    for (const shift of [0, DIGIT_BITS]) {
      const digitOf = (row: number) => ((column[row] ?? 0) >>> shift) & (2 ** DIGIT_BITS - 1);
      const begins = new Uint32Array(2 ** DIGIT_BITS + 1);
      for (const row of order) begins[digitOf(row) + 1] = (begins[digitOf(row) + 1] ?? 0) + 1;
      for (let digit = 0; digit < 2 ** DIGIT_BITS; digit++)
        begins[digit + 1] = (begins[digit + 1] ?? 0) + (begins[digit] ?? 0);
      const sorted = new Uint32Array(rows);
      for (const row of order) {
        const place = begins[digitOf(row)] ?? 0;
        sorted[place] = row;
        begins[digitOf(row)] = place + 1;
      }
      order = sorted;
    }
  }
  return order;
}

export function spendLedger(spend: SessionSpend, side: Side): SpendLedger {
  const dictionaryOf = namedDictionaries();
  const cells = new Cells(keyColumns(SPEND_DIMENSIONS), {
    dictionaryOf: ({ name }) => dictionaryOf(name),
    periods: new Dictionary(),
  });
  const found = spend.byCell(side, cells);
  const { keys, rows } = ledgerOf(found, cells, ({ costMicros, ...own }) => ({
    ...own,
    costMicros: String(costMicros),
  }));
  const places = CAMPAIGN.map((name) => keys.indexOf(name));
  const unmatched = unmatchedCampaigns(spend, side);
  const isUnmatched = ({ values }: { values: readonly FactValue[] }) =>
    unmatched.has(JSON.stringify(places.map((place) => values[place] ?? null)));
  return { keys, rows: rows.map((row) => (isUnmatched(row) ? { ...row, isUnmatched: true } : row)) };
}

const CAMPAIGN = ["source", "campaign", "campaign_id"];

/** Returns the campaigns that no call has, by source, as texts. */
function unmatchedCampaigns(spend: SessionSpend, { span }: Side): ReadonlySet<string> {
  return new Set(
    spend
      .campaigns(span)
      .filter(({ match }) => match === "unmatched")
      .map(({ source, campaign, campaign_id }) =>
        JSON.stringify([source, campaign, campaign_id].map(toPageValue)),
      ),
  );
}

export async function outcomeLedger(
  session: FigureSession,
  side: Side,
  { keys, offsets }: { keys: readonly KeyColumn[]; offsets: readonly ZoneOffset[] },
): Promise<OutcomeLedger> {
  const { cells, earned } = await session.earned(keys, side, offsets);
  return ledgerOf(earned, cells, ({ revenueMicros, ...own }) => ({
    ...own,
    revenueMicros: String(revenueMicros),
  }));
}

function ledgerOf<Sums, Amounts>(
  found: ReadonlyMap<number, Sums>,
  cells: Cells,
  toAmounts: (sums: Sums) => Amounts,
): Ledger<Amounts> {
  const rows = [...found].map(([cell, sums]) => ({
    day: String(cells.periods?.values[cells.periodOf(cell)]),
    values: cells.table.valuesOf(cells.keyOf(cell)).map(toPageValue),
    ...toAmounts(sums),
  }));
  // So that their order shows nothing else, either.
  const sorted = rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .sort((a, b) => compareValues(a.text, b.text));
  return { keys: cells.columns.map(({ key }) => key.name), rows: sorted.map(({ row }) => row) };
}

/** Replaces codes from 1 on by others from 1 on, at random: neither their order nor another file says whose they are. */
function shuffleCodes(codes: Codes): Codes {
  const known = [...new Set(codes)].filter((code) => code !== 0);
  const shuffled = known.map((_, index) => index + 1);
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [shuffled[at], shuffled[other]] = [shuffled[other] ?? 0, shuffled[at] ?? 0];
  }
  const codeOf = new Map(known.map((code, index) => [code, shuffled[index] ?? 0]));
  return codes.map((code) => codeOf.get(code) ?? 0);
}
