import { CalltallyError, EXIT } from "../base/errors.ts";
import { paced } from "../base/paced.ts";
import { localName } from "./account-tables.ts";
import { type Claim, ROW_VERSIONS } from "./claim.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import type { LocalTable, Selection } from "./local-rows.ts";
import { countRow, type Month, monthText, readMonths, rowHash, rowHashText } from "./months.ts";
import { RowWriter } from "./row-writer.ts";

interface SendOptions {
  /** The hash of each month at each server after the last publication; undefined if that is unknown. */
  known: readonly Readonly<Record<string, string>>[] | undefined;
  /** The rows that have changed here since. */
  changed: readonly number[];
  signal: AbortSignal | undefined;
}

/** Most rows in the cluster whose keys and hashes are held in memory, unless a month has more. */
const GROUP_ROWS = 500_000;
/** Most changed rows that a statement names. */
const MAX_IDS = 50_000;
const MONTHS_SHOWN = 5;

/**
 * Makes an account's rows in the cluster equal to the warehouse's: sends the rows that changed here, and those that
 * differ in months that changed there. Then each server must have what it was sent, and no other rows; months that
 * differ are compared with the warehouse again, row by row.
 * @returns how many rows were sent, and marked as deleted; and the hash of each month at each server
 * @throws CalltallyError (exit 3) that names the months that still differ
 */
export async function sendRows(claim: Claim, local: LocalTable, { known, changed, signal }: SendOptions) {
  const { table } = local;
  const here = local.counts();
  const there = await readMonths(claim, table, { signal });
  const names = [...new Set([here, ...there].flatMap((own) => [...own.keys()]))].toSorted();
  const sent = { rows: 0, removed: 0 };
  let expected = there;
  let ids = known === undefined ? [] : changed;
  let months = names.filter(
    (name) =>
      known === undefined ||
      there.some((own, server) => textOf(own.get(name)) !== (known[server]?.[name] ?? "")),
  );
  for (let round = 0; ; round++) {
    const compared = new Set(months);
    expected = expected.map((own) => new Map([...own].filter(([name]) => !compared.has(name))));
    const writer = new RowWriter(claim, table, { round, signal });
    const sending: Sending = { claim, local, writer, signal, compared, expected };
    for (let first = 0; first < ids.length; first += MAX_IDS)
      await sendSelection(sending, { ids: ids.slice(first, first + MAX_IDS) });
    for (const group of groupsOf(months, there)) await sendSelection(sending, { months: group });
    await writer.flush();
    sent.rows += writer.sent.rows;
    sent.removed += writer.sent.removed;
    months = await findDifferent(sending, here);
    if (months.length === 0) break;
    if (round + 1 === ROW_VERSIONS) throw differentError(claim, local, months);
    ids = [];
  }
  const hashes = expected.map((own) =>
    Object.fromEntries([...own].map(([name, month]) => [name, textOf(month)])),
  );
  return { sent, hashes };
}

/** Lists the months that are not what they have to be: all if a server has other rows than those that are known. */
async function findDifferent(
  { claim, local: { table }, writer, signal, expected }: Sending,
  here: ReadonlyMap<string, number>,
): Promise<string[]> {
  const { cluster, account } = claim;
  const { servers } = cluster;
  const names = [...new Set([here, ...expected].flatMap((own) => [...own.keys()]))].toSorted();
  const ofShards = expected.filter(
    (_, index) => servers.findIndex(({ shard }) => shard === servers[index]?.shard) === index,
  );
  const arrived =
    writer.version > 0 ? await readMonths(claim, table, { version: writer.version, signal }) : [];
  const different = names.filter(
    (name) =>
      arrived.some((own, server) => textOf(own.get(name)) !== textOf(writer.written[server]?.get(name))) ||
      countRows(ofShards, name) !== (here.get(name) ?? 0),
  );
  if (different.length > 0 || writer.version === 0) return different;
  const sql = `SELECT count() FROM ${cluster.table(localName(table.name))} FINAL WHERE account = ${literal(account)} AND is_deleted = 0`;
  const options = { doing: `count the rows of ${account}`, signal };
  const counts = await cluster.atEach(async (node) => Number((await node.select(sql, options))[0]?.[0]));
  const isWhole = counts.every(
    (count, server) =>
      count === [...(expected[server]?.values() ?? [])].reduce((sum, { rows }) => sum + rows, 0),
  );
  return isWhole ? [] : names;
}

type Months = ReadonlyMap<string, Month>;

const textOf = (month: Month | undefined) =>
  month === undefined || month.rows === 0 ? "" : `${month.rows} ${month.hash}`;

function countRows(there: readonly Months[], month: string): number {
  return there.reduce((sum, own) => sum + (own.get(month)?.rows ?? 0), 0);
}

/** Groups months by how many rows the cluster has in them. */
function* groupsOf(months: readonly string[], there: readonly Months[]): Generator<string[]> {
  let group: string[] = [];
  let rows = 0;
  for (const month of months) {
    const own = countRows(there, month);
    if (group.length > 0 && rows + own > GROUP_ROWS) {
      yield group;
      group = [];
      rows = 0;
    }
    group.push(month);
    rows += own;
  }
  if (group.length > 0) yield group;
}

interface Sending {
  claim: Claim;
  local: LocalTable;
  writer: RowWriter;
  signal: AbortSignal | undefined;
  /** Months whose rows are all compared, each in one selection. */
  compared: ReadonlySet<string>;
  /** What each server has once everything is sent. */
  expected: readonly Map<string, Month>[];
}

/** Sends the rows of a selection that differ; a row that is not here is marked as deleted. */
async function sendSelection(
  { claim, local: { table, read }, writer, signal, compared, expected }: Sending,
  selection: Selection,
): Promise<void> {
  const where =
    "ids" in selection
      ? `${quoted(table.key)} IN (${selection.ids.join(", ")})`
      : `month IN (${selection.months.map(literal).join(", ")})`;
  const sql = `SELECT ${quoted(table.key)}, ${monthText(table)} AS month, toString(${rowHashText(table)})
FROM ${claim.cluster.table(localName(table.name))} FINAL WHERE account = ${literal(claim.account)} AND is_deleted = 0 AND ${where}`;
  const options = { doing: `read the rows of ${claim.account}`, signal };
  const stored = await claim.cluster.atEach(async (node, server) => {
    const rows = new Map<number, bigint>();
    for (const [id, month, hashed] of await node.select(sql, options)) {
      const hash = BigInt(hashed ?? 0);
      rows.set(Number(id), hash);
      const months = expected[server];
      if (months && !compared.has(String(month))) countRow(months, { month: String(month), hash, by: -1 });
    }
    return { rows, months: expected[server] ?? new Map<string, Month>(), server };
  });
  const ofShard = Map.groupBy(stored, ({ server }) => claim.cluster.servers[server]?.shard);
  const hashOf = rowHash(table);
  for await (const row of paced(read(selection), signal)) {
    const { id, shard, month, values } = row;
    const isSent = "ids" in selection && compared.has(month); // with its month
    const hash = isSent ? 0n : hashOf(values);
    for (const { server, rows, months } of ofShard.get(shard) ?? []) {
      const known = rows.get(id);
      rows.delete(id);
      if (isSent) continue;
      countRow(months, { month, hash });
      if (known !== hash) await writer.write(server, row, hash);
    }
  }
  // A row that is left may be in another month here.
  const left = new Set(stored.flatMap(({ rows }) => [...rows.keys()]));
  if ("months" in selection)
    for await (const { id, shard } of paced(read({ ids: [...left] }), signal))
      for (const { rows } of ofShard.get(shard) ?? []) rows.delete(id);
  for (const { server, rows } of stored) for (const id of rows.keys()) await writer.remove(server, id);
}

function differentError(
  { account }: Claim,
  { table: { name } }: LocalTable,
  different: readonly string[],
): CalltallyError {
  const shown = different.slice(0, MONTHS_SHOWN).map((month) => month || "no month");
  const others = different.length - shown.length;
  return new CalltallyError(
    EXIT.unverified,
    `Cannot confirm that the cluster has the ${name} of ${account}: they differ in ${shown.join(", ")}${others > 0 ? `, and ${others} other months` : ""}, and did so after these were sent again`,
    {
      hint: "Another program may write to these tables. Publish again; if the difference remains, use another database.",
    },
  );
}
