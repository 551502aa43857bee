import { CalltallyError, EXIT } from "../../base/errors.ts";
import { paced } from "../../base/paced.ts";
import { localName } from "./account-tables.ts";
import { type Claim, ROW_VERSIONS } from "./claim.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import type { LocalTable, Selection } from "./local-rows.ts";
import { type Month, monthText, readMonths, rowHash, rowHashText } from "./months.ts";
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
 * Makes an account's rows in the cluster equal to the warehouse's: sends the rows that changed here, and the rows that
 * differ in months that changed there. Then each server must have what it was sent, and all together as many rows of each
 * month as the warehouse; months that differ are compared again, row by row.
 * @returns how many rows were sent, and marked as deleted; and the hash of each month at each server
 * @throws CalltallyError (exit 3) that names the months that still differ
 */
export async function sendRows(claim: Claim, local: LocalTable, { known, changed, signal }: SendOptions) {
  const { table } = local;
  const { servers } = claim.cluster;
  const here = local.counts();
  let there = await readMonths(claim, table, { signal });
  const listMonths = (isDifferent: (month: string) => boolean) =>
    [...new Set([here, ...there].flatMap((ofServer) => [...ofServer.keys()]))].filter(isDifferent).toSorted();
  const sent = { rows: 0, removed: 0 };
  let ids = known === undefined ? [] : changed;
  let months = listMonths(
    (month) =>
      known === undefined ||
      there.some((ofServer, server) => textOf(ofServer.get(month)) !== (known[server]?.[month] ?? "")),
  );
  for (let round = 0; ; round++) {
    const writer = new RowWriter(claim, table, { round, signal });
    const sending: Sending = { claim, local, writer, signal, compared: new Set(months) };
    for (let first = 0; first < ids.length; first += MAX_IDS)
      await sendSelection(sending, { ids: ids.slice(first, first + MAX_IDS) });
    for (const group of groupsOf(months, there)) await sendSelection(sending, { months: group });
    await writer.flush();
    sent.rows += writer.sent.rows;
    sent.removed += writer.sent.removed;
    const { version, written } = writer;
    const arrived = version > 0 ? await readMonths(claim, table, { version, signal }) : [];
    if (version > 0) there = await readMonths(claim, table, { signal });
    const ofShards = there.filter(
      (_, index) => servers.findIndex(({ shard }) => shard === servers[index]?.shard) === index,
    );
    months = listMonths(
      (month) =>
        arrived.some(
          (ofServer, server) => textOf(ofServer.get(month)) !== textOf(written[server]?.get(month)),
        ) || countRows(ofShards, month) !== (here.get(month) ?? 0),
    );
    if (months.length === 0) break;
    if (round + 1 === ROW_VERSIONS) throw differentError(claim, local, months);
    ids = [];
  }
  const hashes = there.map((ofServer) =>
    Object.fromEntries([...ofServer].map(([month, counted]) => [month, textOf(counted)])),
  );
  return { sent, hashes };
}

type Months = ReadonlyMap<string, Month>;

const textOf = (month: Month | undefined) => (month === undefined ? "" : `${month.rows} ${month.hash}`);

function countRows(there: readonly Months[], month: string): number {
  return there.reduce((sum, ofServer) => sum + (ofServer.get(month)?.rows ?? 0), 0);
}

/** Groups months by how many rows the cluster has in them. */
function* groupsOf(months: readonly string[], there: readonly Months[]): Generator<string[]> {
  let group: string[] = [];
  let rows = 0;
  for (const month of months) {
    const rowsOfMonth = countRows(there, month);
    if (group.length > 0 && rows + rowsOfMonth > GROUP_ROWS) {
      yield group;
      group = [];
      rows = 0;
    }
    group.push(month);
    rows += rowsOfMonth;
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
}

/** Sends the rows of a selection that differ; a row that is not here is marked as deleted. */
async function sendSelection(
  { claim: { account, cluster }, local: { table, read }, writer, signal, compared }: Sending,
  selection: Selection,
): Promise<void> {
  const where =
    "ids" in selection
      ? `${quoted(table.key)} IN (${selection.ids.join(", ")})`
      : `${monthText(table)} IN (${selection.months.map(literal).join(", ")})`;
  const sql = `SELECT ${quoted(table.key)}, toString(${rowHashText(table)})
FROM ${cluster.table(localName(table.name))} FINAL WHERE account = ${literal(account)} AND is_deleted = 0 AND ${where}`;
  const options = { doing: `read the rows of ${account}`, signal };
  const stored = await cluster.atEach(async (node, server) => {
    const rows = await node.select(sql, options);
    return { server, rows: new Map(rows.map(([id, hash]) => [Number(id), BigInt(hash ?? 0)])) };
  });
  const ofShard = Map.groupBy(stored, ({ server }) => cluster.servers[server]?.shard);
  const hashOf = rowHash(table);
  for await (const row of paced(read(selection), signal)) {
    const isSent = "ids" in selection && compared.has(row.month); // with its month
    const hash = isSent ? 0n : hashOf(row.values);
    for (const { server, rows } of ofShard.get(row.shard) ?? []) {
      const known = rows.get(row.id);
      rows.delete(row.id);
      if (!isSent && known !== hash) await writer.write(server, row, hash);
    }
  }
  // A row that is left may be in another month here.
  const left = new Set(stored.flatMap(({ rows }) => [...rows.keys()]));
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
