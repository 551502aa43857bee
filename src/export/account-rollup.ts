import type { DateRange } from "../calendar/dates.ts";
import { MICROS } from "../currency.ts";
import { UsageError } from "../errors.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { rollupColumns } from "../rollup/rollup-query.ts";
import { ACCOUNT } from "./choices.ts";
import { encodeTable, type FormatOptions } from "./encode-table.ts";
import { FileSet } from "./file-set.ts";
import { claimFolder } from "./folder-owner.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { RollupTarget } from "./rollups.ts";
import type { Column, Value } from "./table.ts";
import type { ExportOptions } from "./write-export.ts";

/** An account that can be asked for figures. */
export interface AccountExport extends Pick<ExportOptions, "grain" | "raw" | "compare"> {
  account: string;
  /** Writes a rollup in chunks, in the way in which it is written for machines. */
  ask: (rollup: {
    targets: readonly RollupTarget[];
    format: { format: "ndjson" };
    isEmptyAllowed: boolean;
    writeChunk: (chunk: Buffer) => Promise<void>;
  }) => Promise<{ manifest: Manifest }>;
}

export interface AccountRollupOptions {
  accounts: readonly AccountExport[];
  /** The key, in the order of its columns; {@link ACCOUNT} among it. */
  by: readonly (Dimension | typeof ACCOUNT)[];
  format: FormatOptions;
  /** Whether the filter may have values that no call has. */
  isEmptyAllowed: boolean;
  signal: AbortSignal;
}

/** What the figures of several accounts stand on. */
export interface AccountsManifest {
  /** That of several warehouses is none of one. */
  origin: { warehouse_id: string; base_url: null };
  callers: string;
  /** Of each account: its run and verdict, zone, range and rules. */
  accounts: Record<string, Omit<Manifest, "files">>;
  files: ManifestFile[];
}

interface AccountFigures {
  manifest: Manifest;
  columns: readonly Column[];
  rows: Value[][];
}

/** More of them are no table that a person reads, and all of them are held in memory. */
const MAX_ROWS = 2_000_000;
const ORIGIN = { warehouse_id: "several accounts", base_url: null } as const;
const CALLERS =
  "Callers are counted in each account by itself: one who called two accounts is two callers, and a first-time caller of each.";

/**
 * Writes one file of the figures of several accounts, each with a column that names it, and `manifest.json`. Each account
 * is asked by itself, so no figure is added up: an account that cannot be asked fails the whole.
 *
 * @throws UsageError for a value of the filter that no account's calls have
 */
export async function exportAccountsToFolder(
  options: AccountRollupOptions & { folder: string; replace: boolean },
): Promise<{ folder: string; manifest: AccountsManifest }> {
  const { folder, replace, by, format, signal } = options;
  const { table, manifest, sums } = await readAccounts(options);
  await using files = await FileSet.open(folder);
  const claim = () => claimFolder(files.folder, { ...ORIGIN, org_unit_id: null, account: null }, replace);
  claim();
  // Of an export that is killed while its files get their names, no manifest says what they are not.
  await files.write("manifest.json", [`${JSON.stringify({ ...manifest, unfinished: true })}\n`]);
  const written = await files.write(`${by.join("-")}.${format.format}`, await encodeTable(table, format));
  manifest.files.push({ contents: by.join(), ...written, rows: table.rows.length, sums });
  await files.write("manifest.json", [`${JSON.stringify(manifest, null, 2)}\n`]);
  await files.publish({ claim, signal });
  return { folder: files.folder, manifest };
}

/** Writes that file in chunks to wherever it goes. */
export async function exportAccountsToStream(
  options: AccountRollupOptions & { writeChunk: (chunk: Buffer) => Promise<void> },
): Promise<AccountsManifest> {
  const { table, manifest } = await readAccounts(options);
  for (const chunk of await encodeTable(table, options.format)) await options.writeChunk(Buffer.from(chunk));
  return manifest;
}

async function readAccounts(options: AccountRollupOptions) {
  const { accounts, by, format, isEmptyAllowed, signal } = options;
  const dimensions = by.filter((dimension) => dimension !== ACCOUNT);
  const figures = new Map<string, AccountFigures>();
  const unmatched: UsageError[] = [];
  let rows = 0;
  for (const account of accounts) {
    signal.throwIfAborted();
    const ask = (isAllowed: boolean) => askAccount(account, dimensions, isAllowed);
    // A value may be one of another account's alone; one that none has is a slip.
    const own = await ask(isEmptyAllowed).catch((error: unknown) => {
      if (isEmptyAllowed || !(error instanceof UsageError)) throw error;
      unmatched.push(error);
      return ask(true);
    });
    figures.set(account.account, own);
    rows += own.rows.length;
    if (rows > MAX_ROWS) {
      throw new UsageError(`Cannot export the figures of all accounts: they are more than ${MAX_ROWS} rows`, {
        hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
      });
    }
  }
  const [first] = unmatched;
  if (first !== undefined && unmatched.length === accounts.length) throw first;
  assertOneCurrency(figures);
  const table = mergeTables(figures, by, format);
  const manifest: AccountsManifest = {
    origin: { ...ORIGIN },
    callers: CALLERS,
    accounts: Object.fromEntries(
      [...figures].map(
        ([
          name,
          {
            manifest: { files: _, ...own },
          },
        ]) => [name, own],
      ),
    ),
    files: [],
  };
  return { table, manifest, sums: addUp([...figures.values()]) };
}

/** Reads the figures of one account as rows, in the way in which they are written for machines. */
async function askAccount(
  { ask, grain, raw, compare }: AccountExport,
  dimensions: readonly Dimension[],
  isEmptyAllowed: boolean,
): Promise<AccountFigures> {
  const chunks: Buffer[] = [];
  const { manifest } = await ask({
    isEmptyAllowed,
    targets: [{ kind: "rollup", dimensions }],
    format: { format: "ndjson" },
    writeChunk: async (chunk) => void chunks.push(chunk),
  });
  const spend = manifest.spend && {
    currency: manifest.spend.currency ?? undefined,
    decimals: manifest.spend.decimals,
  };
  const columns = rollupColumns(
    { dimensions, raw, spend, periods: grain && [], previous: compare && { span: {} } },
    manifest.rules,
  );
  const rows = Buffer.concat(chunks)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const row: Record<string, Value> = JSON.parse(line);
      return columns.map(({ name }) => row[name] ?? null);
    });
  return { manifest, columns, rows };
}

/** Puts rows together in the order of every rollup: by period, most calls first, then by key. */
function mergeTables(
  figures: ReadonlyMap<string, AccountFigures>,
  by: AccountRollupOptions["by"],
  { format, profile }: FormatOptions,
) {
  const all = [...figures.values()];
  const known = all.map(({ columns }) => columns);
  const [own = []] = known;
  // Seconds of an account whose durations are in milliseconds have decimals, and amounts of one more than those of another.
  const columns = own.map((column, index) =>
    known
      .map((others) => others[index] ?? column)
      .reduce((most, other) => (decimalsOf(other) > decimalsOf(most) ? other : most), column),
  );
  const calls = columns.findIndex(({ name }) => name === "calls");
  const hasPeriod = columns[0]?.name === "period";
  // The account stands before the key columns of the dimension that follows it.
  const next = by[by.indexOf(ACCOUNT) + 1];
  const place = next === undefined ? calls : columns.findIndex(({ name }) => name === next);
  const rows = [...figures].flatMap(([name, figure]) =>
    figure.rows.map((row) => row.toSpliced(place, 0, name)),
  );
  const keys = Array.from({ length: calls + 1 - Number(hasPeriod) }, (_, index) => index + Number(hasPeriod));
  rows.sort(
    (a, b) =>
      (hasPeriod ? compareValues(a[0], b[0]) : 0) ||
      Number(b[calls + 1]) - Number(a[calls + 1]) ||
      keys.map((index) => compareValues(a[index], b[index])).find((order) => order !== 0) ||
      0,
  );
  const table = { columns: columns.toSpliced(place, 0, { name: ACCOUNT, type: "text" }), rows };
  return hasPeriod && (format === "parquet" || profile === "excel") ? withFirstDays(table, all) : table;
}

/** A whole number has fewer than any decimal. */
function decimalsOf({ type, decimals = 0 }: Column): number {
  return type === "decimal" ? decimals : -1;
}

/** Refuses amounts that nobody could compare. */
function assertOneCurrency(figures: ReadonlyMap<string, AccountFigures>): void {
  const known = [...figures].flatMap(([account, { manifest }]) =>
    manifest.spend?.currency == null ? [] : [{ account, currency: manifest.spend.currency }],
  );
  const [first] = known;
  const other = known.find(({ currency }) => currency !== first?.currency);
  if (first === undefined || other === undefined) return;
  throw new UsageError(
    `Cannot put costs of several currencies into one file: ${first.account} has ${first.currency}, and ${other.account} ${other.currency}`,
    { hint: "Name accounts of one currency with --account, or leave out --spend." },
  );
}

/** Puts the first day of each period beside it, for readers who know dates. */
function withFirstDays(
  { columns, rows }: { columns: Column[]; rows: Value[][] },
  figures: readonly AccountFigures[],
) {
  const days = new Map<Value, string>();
  for (const { period, from } of figures.flatMap(
    ({ manifest }): (DateRange & { period: string })[] => manifest.periods ?? [],
  )) {
    if (from !== undefined) days.set(period, from);
  }
  return {
    columns: columns.toSpliced(1, 0, { name: "period_start", type: "date" }),
    rows: rows.map((row) => row.toSpliced(1, 0, days.get(row[0] ?? null) ?? null)),
  };
}

/** As SQLite orders: nothing first, then numbers, then texts by their bytes. */
function compareValues(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const rank = (value: Value | undefined) =>
    value === null || value === undefined ? 0 : typeof value === "number" ? 1 : 2;
  return rank(a) - rank(b) || Number(a ?? 0) - Number(b ?? 0);
}

/** Sums of the columns that add up, as each account's own file has them. */
function addUp(figures: readonly AccountFigures[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, number } of figures.flatMap(({ manifest }) =>
    manifest.files.flatMap(({ sums: own = {} }) =>
      Object.entries(own).map(([name, number]) => ({ name, number })),
    ),
  )) {
    sums[name] = Math.round(((sums[name] ?? 0) + number) * MICROS) / MICROS;
  }
  return sums;
}
