import { systemClock } from "../../base/clock.ts";
import { UnmatchedError, UsageError } from "../../base/errors.ts";
import { ACCOUNT } from "../../config/request/option-values.ts";
import { type Ask, isOfOneFile } from "../../config/request/resolve.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import type { Job } from "../../export/job.ts";
import type { Manifest, ManifestFile } from "../../export/manifest.ts";
import { SEVERAL_ACCOUNTS } from "../../export/output/folder.ts";
import { memoryOutput, type ReadTable } from "../../export/output/memory.ts";
import type { Outlet, Output } from "../../export/output/output.ts";
import { commitMerged, type MergedAccount } from "../../export/record-merged.ts";
import { mergeStatements, type Statement } from "../../export/statements/statements.ts";
import type { Column, Value } from "../../export/table.ts";
import type { Counterpart } from "../../export/timeframe.ts";
import { type Dimension, isLocalKey, keyColumns } from "../../figures/dimensions.ts";
import { compareKeys, compareValues } from "../../figures/key-order.ts";
import { addUp } from "../../figures/sums.ts";
import { assertSynced, type ProduceOptions, produceAndRead } from "./produce.ts";
import type { Source } from "./source.ts";

export interface AccountAsk {
  account: string;
  ask: Ask;
  source: Source;
  onAttributed?: ProduceOptions["onAttributed"];
}

export interface MergeOptions {
  /** The key columns in order, with {@link ACCOUNT} among them. */
  by: readonly (Dimension | typeof ACCOUNT)[];
  signal: AbortSignal;
}

export interface AccountsManifest {
  /** Not the id of any single warehouse. */
  origin: { warehouse_id: string; base_url: null };
  /** Those of all accounts. */
  statements: readonly Statement[];
  accounts: Record<string, Omit<Manifest, "files" | "statements">>;
  files: ManifestFile[];
}

export interface AccountFigures {
  account: string;
  manifest: Manifest;
  table: ReadTable;
  /** What its figures are compared with. */
  compared: Counterpart | undefined;
}

/** Larger tables are unreadable, and all of it is held in memory. */
const MAX_ROWS = 2_000_000;
const ORIGIN = { warehouse_id: SEVERAL_ACCOUNTS, base_url: null } as const;
export const MERGED_ORIGIN = { ...ORIGIN, org_unit_id: null, account: null };

/** @throws UsageError for a value of the filter that no account's calls have */
export async function produceMerged(
  accounts: readonly AccountAsk[],
  output: Output,
  { by, signal }: MergeOptions,
): Promise<{ folder?: string; manifest: AccountsManifest }> {
  const [format] = accounts.map(({ ask }) => ask.format);
  if (format === undefined || isOfOneFile(format)) throw new Error("A merged table is a file of its own");
  const figures = await askAll(accounts, { signal });
  assertOneCurrency(figures);
  const manifest = mergeManifests(figures);
  const { folder } = output;
  await using outlet = await output.open(MERGED_ORIGIN);
  const table = mergeTables(figures, by);
  const written = await outlet.write(
    `${by.join("-")}.${format.format}`,
    await encodeTable(table, format, zoneOfAll(accounts.map(({ ask }) => ask.timezone))),
    "shared",
  );
  const sums = sumsOf(figures);
  manifest.files.push({ contents: by.join(), ...written, rows: table.rows.length, sums });
  await commitAccounts(outlet, manifest, accounts);
  return { ...(folder && { folder }), manifest };
}

/** Returns the zone of the local times in a file of several accounts: the one that they share, otherwise UTC. */
export function zoneOfAll(zones: readonly string[]): string {
  const [zone = "UTC", ...others] = new Set(zones);
  return others.length === 0 ? zone : "UTC";
}

/** Publishes files of several accounts, and records them in the warehouse of each that has figures in them. */
export async function commitAccounts(
  outlet: Outlet,
  manifest: AccountsManifest,
  asks: readonly Pick<AccountAsk, "account" | "source">[],
): Promise<void> {
  const accounts = asks.flatMap(({ account, source }): MergedAccount[] => {
    const own = manifest.accounts[account];
    return own === undefined ? [] : [{ manifest: own, openWriter: () => source.openWriter?.() }];
  });
  const now = new Date(systemClock.now()).toISOString();
  await outlet.commit(manifest, (files, manifestSha256) =>
    commitMerged(accounts, { files, entries: manifest.files, manifestSha256, now }),
  );
}

export function mergeManifests(figures: readonly AccountFigures[]): AccountsManifest {
  return {
    origin: { ...ORIGIN },
    statements: mergeStatements(
      new Map(figures.map(({ account, manifest: { statements } }) => [account, statements])),
      figures.flatMap(({ table }) => table.columns.map(({ name }) => name)),
    ),
    accounts: Object.fromEntries(
      figures.map(({ account, manifest: { files: _, statements: __, ...own } }) => [account, own]),
    ),
    files: [],
  };
}

/**
 * Asks each account for one table.
 * @param options.onError receives why an account cannot be read, which then has no figures. @default throws
 * @throws UsageError for a value of the filter that no account's calls have
 */
export async function askAll(
  accounts: readonly AccountAsk[],
  {
    signal,
    onError = (_, error) => {
      throw error;
    },
  }: { signal: AbortSignal; onError?: (account: string, error: unknown) => void },
): Promise<AccountFigures[]> {
  const figures: AccountFigures[] = [];
  let unmatched: UnmatchedError["unmatched"] | undefined;
  let rows = 0;
  for (const each of accounts) {
    signal.throwIfAborted();
    const asked = await askOne(each, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      onError(each.account, error);
    });
    if (asked === undefined) continue;
    const { missing, isWarehouseEmpty, ...own } = asked;
    const isMissing = (other: (typeof missing)[number]) =>
      missing.some(({ filter, text }) => filter === other.filter && text === other.text);
    // An account without calls says nothing about values.
    if (!isWarehouseEmpty) unmatched = unmatched?.filter(isMissing) ?? missing;
    figures.push(own);
    rows += own.table.rows.length;
    if (rows > MAX_ROWS) {
      throw new UsageError(`Cannot export the figures of all accounts: more than ${MAX_ROWS} rows`, {
        hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
      });
    }
  }
  const [first] = accounts;
  if (first && unmatched && unmatched.length > 0) throw new UnmatchedError(unmatched, first.ask.spell);
  return figures;
}

/** Returns the figures of an account, and the values of the filter that none of its calls has. */
async function askOne({ account, ask, source, onAttributed }: AccountAsk, signal: AbortSignal) {
  const output = memoryOutput();
  const options = { signal, onAttributed };
  const readCompared = async ({ timeframe }: Job) => ({ value: timeframe.compared });
  // A value that one account lacks may exist in another; if none has it, it is a typo.
  let missing: UnmatchedError["unmatched"] = [];
  const { files, value: compared } = await produceAndRead(ask, source, output, options, readCompared).catch(
    (error: unknown) => {
      if (!(error instanceof UnmatchedError)) throw error;
      missing = error.unmatched;
      return produceAndRead({ ...ask, isEmptyAllowed: true }, source, output, options, readCompared);
    },
  );
  const { manifest, isWarehouseEmpty } = files;
  assertSynced(manifest);
  const [table] = output.tables;
  if (table === undefined) throw new Error("No table was made");
  return { account, manifest, table, compared, missing, isWarehouseEmpty };
}

/** Combines rows in the order of every rollup: by period, most calls first, then by key. */
function mergeTables(figures: readonly AccountFigures[], by: MergeOptions["by"]) {
  const known = figures.map(({ table }) => table.columns);
  const [own = []] = known;
  // Durations in milliseconds have more decimals than those in seconds, and so may amounts of one currency.
  const merged = own.map((column, index) =>
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
  return rows.toSorted((a, b) => order.reduce((found, compare) => found || compare(a, b), 0));
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
