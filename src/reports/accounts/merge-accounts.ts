import { UsageError } from "../../base/errors.ts";
import type { NamedAccount } from "../../config/accounts.ts";
import { ACCOUNT } from "../../config/request/option-values.ts";
import { isOfOneFile } from "../../config/request/resolve.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import type { Output } from "../../export/output/output.ts";
import type { Column, Value } from "../../export/table.ts";
import { type Dimension, isLocalKey, keyColumns } from "../../figures/dimensions.ts";
import { compareKeys, compareValues } from "../../figures/key-order.ts";
import { addUp } from "../../figures/sums.ts";
import { type AccountAsk, type AccountFigures, askAccounts } from "./ask-accounts.ts";
import { valueOrThrow } from "./for-each-account.ts";
import { type MergedFiles, writeMerged, zoneOfAll } from "./merged-files.ts";

export interface MergeOptions {
  /** The key columns in order, with {@link ACCOUNT} among them. */
  by: readonly (Dimension | typeof ACCOUNT)[];
  signal: AbortSignal;
}

/**
 * Writes one table with the figures of all accounts; none, if one account fails.
 * @throws UsageError for a value of the filter that no account's calls have
 */
export async function produceMerged(
  accounts: readonly (NamedAccount & AccountAsk)[],
  output: Output,
  { by, signal }: MergeOptions,
): Promise<MergedFiles> {
  const [format] = accounts.map(({ ask }) => ask.format);
  if (format === undefined || isOfOneFile(format)) throw new Error("A merged table is a file of its own");
  const results = askAccounts(accounts, (account) => account, { signal });
  const figures = await Array.fromAsync(results, valueOrThrow);
  assertOneCurrency(figures);
  return await writeMerged(figures, output, async (outlet) => {
    const { columns, rows } = mergeTables(figures, by);
    const zone = zoneOfAll(figures.map(({ ask }) => ask.timezone));
    const encoded = await encodeTable({ columns, rows }, format, zone);
    const written = await outlet.write(`${by.join("-")}.${format.format}`, encoded, "shared");
    return [{ contents: by.join(), ...written, rows: rows.length, sums: sumsOf(figures) }];
  });
}

/** Combines rows in the order of every rollup: by period, most calls first, then by key. */
function mergeTables(figures: readonly AccountFigures[], by: MergeOptions["by"]) {
  const known = figures.map(({ table }) => table.columns);
  const [first = []] = known;
  // Durations in milliseconds have more decimals than those in seconds, and so may amounts of one currency.
  const merged = first.map((column, index) =>
    known
      .map((others) => others[index] ?? column)
      .reduce((most, other) => (decimalsOf(other) > decimalsOf(most) ? other : most), column),
  );
  // The account precedes the key columns of the next dimension.
  const next = by[by.indexOf(ACCOUNT) + 1];
  const firstFigure = merged.findIndex(({ isKey }) => !isKey);
  const place = next === undefined ? firstFigure : merged.findIndex(({ name }) => name === next);
  const columns: Column[] = merged.toSpliced(place, 0, { name: ACCOUNT, type: "text", isKey: true });
  const rows = figures.flatMap(({ account, table }) =>
    table.rows.map((row) => row.toSpliced(place, 0, account)),
  );
  return { columns, rows: sortRows(rows, columns, by) };
}

function sortRows(rows: readonly Value[][], columns: readonly Column[], by: MergeOptions["by"]): Value[][] {
  const dimensions = by.filter((dimension) => dimension !== ACCOUNT);
  const known = new Map(keyColumns(dimensions).map((key) => [key.name, key]));
  const compareAt = ({ name }: Column, index: number) => {
    const key = known.get(name);
    const compare = key ? compareKeys.bind(undefined, key) : compareValues;
    return (a: Value[], b: Value[]) => compare(a[index] ?? null, b[index] ?? null);
  };
  const keys = columns.flatMap((column, index) => (column.isKey ? [compareAt(column, index)] : []));
  const callsAt = columns.findIndex(({ name }) => name === "calls");
  const mostFirst = (a: Value[], b: Value[]) => Number(b[callsAt]) - Number(a[callsAt]);
  const isLocal = known.size > 0 && [...known.values()].every(isLocalKey);
  const hasPeriods = columns[0]?.name === "period";
  const order = isLocal ? keys : keys.toSpliced(hasPeriods ? 1 : 0, 0, mostFirst);
  return rows.toSorted((a, b) => order.reduce((difference, compare) => difference || compare(a, b), 0));
}

function decimalsOf({ type, decimals = 0 }: Column): number {
  return type === "decimal" ? decimals : -1;
}

function assertOneCurrency(figures: readonly AccountFigures[]): void {
  const known = figures.flatMap(({ account, manifest: { spend, outcomes } }) => {
    const currency = spend?.currency ?? outcomes?.currency;
    return currency == null ? [] : [{ account, currency }];
  });
  const [first] = known;
  const other = known.find(({ currency }) => currency !== first?.currency);
  if (first === undefined || other === undefined) return;
  throw new UsageError(
    `Cannot put amounts of several currencies into one file: ${first.account} has ${first.currency}, and ${other.account} ${other.currency}`,
    { hint: "Name accounts of one currency with --account, or leave out --spend and --outcomes." },
  );
}

function sumsOf(figures: readonly AccountFigures[]): Record<string, number> {
  const sums = figures.map(({ table }) => table.entry.sums ?? {});
  const names = new Set(sums.flatMap((each) => Object.keys(each)));
  return Object.fromEntries([...names].map((name) => [name, addUp(name, sums) ?? 0]));
}
