import Database from "better-sqlite3";
import { MICROS } from "../currency.ts";
import { UnmatchedError, UsageError } from "../errors.ts";
import { encodeTable } from "../export/encode-table.ts";
import type { Manifest, ManifestFile } from "../export/manifest.ts";
import { memoryOutput, type ReadTable } from "../export/output/memory.ts";
import type { Output } from "../export/output/output.ts";
import type { Column, Value } from "../export/table.ts";
import { ACCOUNT } from "../request/choices.ts";
import type { Ask, FormatOptions } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { type ProduceOptions, produce } from "./produce.ts";
import type { Source } from "./source.ts";

/** An account, and what it is asked; each has days of its own zone. */
export interface AccountAsk {
  account: string;
  ask: Ask;
  source: Source;
  onAttributed?: ProduceOptions["onAttributed"];
}

export interface MergeOptions {
  /** The key, in the order of its columns; {@link ACCOUNT} among it. */
  by: readonly (Dimension | typeof ACCOUNT)[];
  format: FormatOptions;
  signal: AbortSignal;
}

/** What the figures of several accounts are based on. */
export interface AccountsManifest {
  /** That of several warehouses is none of one. */
  origin: { warehouse_id: string; base_url: null };
  callers: string;
  /** Of each account: its run and verdict, zone, range and rules. */
  accounts: Record<string, Omit<Manifest, "files">>;
  files: ManifestFile[];
}

interface AccountFigures {
  account: string;
  manifest: Manifest;
  table: ReadTable;
}

/** Longer tables are unreadable, and all of it is held in memory. */
const MAX_ROWS = 2_000_000;
const ORIGIN = { warehouse_id: "several accounts", base_url: null } as const;
const CALLERS =
  "Callers are counted in each account by itself: one who called two accounts is two callers, and a first-time caller of each.";

/**
 * Writes one file of the figures of several accounts, with a column that names the account. Each account is asked by itself,
 * so no figure is added up; one that cannot be asked fails the whole.
 *
 * @throws UsageError for a value of the filter that no account's calls have
 */
export async function produceMerged(
  accounts: readonly AccountAsk[],
  output: Output,
  { by, format, signal }: MergeOptions,
): Promise<{ folder?: string; manifest: AccountsManifest }> {
  const figures = await askAll(accounts, signal);
  const manifest: AccountsManifest = {
    origin: { ...ORIGIN },
    callers: CALLERS,
    accounts: Object.fromEntries(
      figures.map(({ account, manifest: { files: _, ...own } }) => [account, own]),
    ),
    files: [],
  };
  const { folder } = output;
  await using outlet = await output.open({ ...ORIGIN, org_unit_id: null, account: null });
  const table = mergeTables(figures, by);
  const written = await outlet.write(
    `${by.join("-")}.${format.format}`,
    await encodeTable(table, format),
    "shared",
  );
  const sums = addUp(figures);
  manifest.files.push({ contents: by.join(), ...written, rows: table.rows.length, sums });
  await outlet.commit(manifest, () => undefined);
  return { ...(folder && { folder }), manifest };
}

async function askAll(accounts: readonly AccountAsk[], signal: AbortSignal): Promise<AccountFigures[]> {
  const figures: AccountFigures[] = [];
  const unmatched: UnmatchedError[] = [];
  let rows = 0;
  for (const { account, ask, source, onAttributed } of accounts) {
    signal.throwIfAborted();
    const output = memoryOutput();
    const options = { signal, onAttributed };
    // A value may be one of another account's alone; one that none has is a slip.
    const { manifest } = await produce(ask, source, output, options).catch((error: unknown) => {
      if (!(error instanceof UnmatchedError)) throw error;
      unmatched.push(error);
      return produce({ ...ask, isEmptyAllowed: true }, source, output, options);
    });
    const [table] = output.tables;
    if (table === undefined) throw new Error("No table was made");
    figures.push({ account, manifest, table });
    rows += table.rows.length;
    if (rows > MAX_ROWS) {
      throw new UsageError(`Cannot export the figures of all accounts: they are more than ${MAX_ROWS} rows`, {
        hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
      });
    }
  }
  const [first] = unmatched;
  if (first !== undefined && unmatched.length === accounts.length) throw first;
  assertOneCurrency(figures);
  return figures;
}

/** Puts rows together in the order of every rollup: by period, most calls first, then by key. */
function mergeTables(figures: readonly AccountFigures[], by: MergeOptions["by"]) {
  const known = figures.map(({ table }) => table.columns);
  const [own = []] = known;
  // Durations in milliseconds have decimals that those in seconds lack, and amounts of one currency more than those of another.
  const merged = own.map((column, index) =>
    known
      .map((others) => others[index] ?? column)
      .reduce((most, other) => (decimalsOf(other) > decimalsOf(most) ? other : most), column),
  );
  // The account stands before the key columns of the dimension that follows it.
  const next = by[by.indexOf(ACCOUNT) + 1];
  const firstFigure = merged.findIndex(({ isKey }) => !isKey);
  const place = next === undefined ? firstFigure : merged.findIndex(({ name }) => name === next);
  const columns: Column[] = merged.toSpliced(place, 0, { name: ACCOUNT, type: "text", isKey: true });
  const rows = figures.flatMap(({ account, table }) =>
    table.rows.map((row) => row.toSpliced(place, 0, account)),
  );
  return { columns, rows: sortRows(rows, columns) };
}

/** Sorts rows as SQLite does, which sorted those of each account. */
function sortRows(rows: readonly Value[][], columns: readonly Column[]): Value[][] {
  using closing = { database: new Database(":memory:"), [Symbol.dispose]: () => closing.database.close() };
  const { database } = closing;
  const names = columns.map((_, index) => `c${index}`);
  database.exec(`CREATE TABLE merged (${names.join(", ")})`);
  const insert = database.prepare(`INSERT INTO merged VALUES (${names.map(() => "?").join(", ")})`);
  database.transaction(() => {
    for (const row of rows) insert.run(row);
  })();
  const keys = columns.flatMap(({ isKey, name }, index) => (isKey && name !== "period" ? [`c${index}`] : []));
  const order = [
    ...(columns[0]?.name === "period" ? ["c0"] : []),
    `c${columns.findIndex(({ name }) => name === "calls")} DESC`,
    ...keys,
  ];
  return database
    .prepare<[], Value[]>(`SELECT * FROM merged ORDER BY ${order.join(", ")}`)
    .raw()
    .all();
}

/** A whole number has fewer than any decimal. */
function decimalsOf({ type, decimals = 0 }: Column): number {
  return type === "decimal" ? decimals : -1;
}

/** Refuses amounts that nobody could compare. */
function assertOneCurrency(figures: readonly AccountFigures[]): void {
  const known = figures.flatMap(({ account, manifest }) =>
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

/** Adds up the sums of the accounts' tables. */
function addUp(figures: readonly AccountFigures[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { table } of figures) {
    for (const [name, number] of Object.entries(table.entry.sums ?? {})) {
      sums[name] = Math.round(((sums[name] ?? 0) + number) * MICROS) / MICROS;
    }
  }
  return sums;
}
