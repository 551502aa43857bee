import { CalltallyError, EXIT } from "../../base/errors.ts";
import { paced } from "../../base/paced.ts";
import { localName, rowHashText } from "./account-tables.ts";
import { type Claim, ROW_VERSIONS } from "./claim.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import { hashRow, type LocalTable, type Selection } from "./local-rows.ts";
import { findDifferentMonths, type Month, monthText, readMonths } from "./months.ts";
import { RowWriter, type WriteOptions } from "./row-writer.ts";

interface SendOptions extends WriteOptions {
  /** The hash of each month at each server after the last publication; undefined if that is unknown. */
  known: readonly Readonly<Record<string, string>>[] | undefined;
  /** The rows that have changed here since. */
  changed: readonly number[];
}

/** Most rows in the cluster whose keys and hashes are held in memory, unless a month has more. */
const GROUP_ROWS = 500_000;
/** Most rows that a statement names; if more have changed, the rows of all months are compared. */
const MAX_IDS = 50_000;
const MONTHS_SHOWN = 5;

/**
 * Makes an account's rows in the cluster equal to the warehouse's: sends what changed here, and the months that changed
 * there. Then it compares all months, and sends again each that differs, whole.
 * @returns how many rows were sent, and marked as deleted; and the hash of each month at each server
 * @throws CalltallyError (exit 3) that names the months that still differ
 */
export async function sendRows(claim: Claim, local: LocalTable, { known, changed, ...options }: SendOptions) {
  const { signal } = options;
  const writer = new RowWriter(claim, local.table, options);
  const here = local.sums();
  const read = () => readMonths(claim, local.table, { version: writer.version, signal });
  let there = await read();
  const isUnknown = known === undefined || changed.length > MAX_IDS;
  const months = new Set([here, ...there].flatMap((own) => [...own.keys()])).values().filter((month) => {
    return isUnknown || there.some((own, shard) => own.get(month)?.hash !== known[shard]?.[month]);
  });
  let selections = [
    ...groupsOf([...months], there),
    ...(isUnknown || changed.length === 0 ? [] : [{ ids: changed }]),
  ];
  for (let round = 0; ; round++) {
    for (const selection of selections)
      await sendSelection(claim, local, selection, { writer, round, signal });
    if (writer.version > 0) there = await read();
    const different = findDifferentMonths(here, there, writer.counts);
    if (different.length === 0) break;
    if (round + 1 === ROW_VERSIONS) throw differentError(claim, local, different);
    for (const counts of writer.counts) for (const month of different) counts.delete(month);
    selections = [...groupsOf(different, there)];
  }
  const hashes = there.map((months) =>
    Object.fromEntries([...months].map(([month, { hash }]) => [month, hash])),
  );
  return { sent: writer.sent, hashes };
}

type Months = ReadonlyMap<string, Month>;

/** Groups months by how many rows the cluster has in them. */
function* groupsOf(months: readonly string[], there: readonly Months[]): Generator<Selection> {
  let group: string[] = [];
  let rows = 0;
  for (const month of months.toSorted()) {
    const own = there.reduce((sum, each) => sum + (each.get(month)?.sums[0] ?? 0), 0);
    if (group.length > 0 && rows + own > GROUP_ROWS) {
      yield { months: group };
      group = [];
      rows = 0;
    }
    group.push(month);
    rows += own;
  }
  if (group.length > 0) yield { months: group };
}

/** Sends the rows of a selection that differ, or all after the first round; a row that is not here is marked as deleted. */
async function sendSelection(
  claim: Claim,
  { table, read }: LocalTable,
  selection: Selection,
  { writer, round, signal }: { writer: RowWriter; round: number; signal: AbortSignal | undefined },
): Promise<void> {
  const where =
    "ids" in selection
      ? `${quoted(table.key)} IN (${selection.ids.join(", ")})`
      : `${monthText(table)} IN (${selection.months.map(literal).join(", ")})`;
  const sql = `SELECT ${quoted(table.key)} AS id, ${rowHashText(table)} AS hash
FROM ${claim.cluster.table(localName(table.name))} FINAL WHERE account = ${literal(claim.account)} AND is_deleted = 0 AND ${where}`;
  const options = { doing: `read the rows of ${claim.account}`, signal };
  const stored = await claim.cluster.atEach((node) => readHashes(node, sql, options));
  for await (const row of paced(read(selection), signal)) {
    const known = stored[row.shard]?.get(row.id);
    stored[row.shard]?.delete(row.id);
    if (round > 0 || known !== hashRow(row.values)) await writer.write(row, round);
  }
  // A row that is left may be in another month here.
  const left = new Set(stored.flatMap((ids) => [...ids.keys()]));
  if ("months" in selection && left.size > 0) {
    for await (const row of paced(read({ ids: [...left] }), signal))
      if (stored[row.shard]?.delete(row.id)) await writer.write(row, round);
  }
  for (const [shard, ids] of stored.entries())
    for (const id of ids.keys()) await writer.remove(shard, id, round);
  await writer.flush();
}

async function readHashes(
  node: ClickhouseNode,
  sql: string,
  options: Parameters<ClickhouseNode["iterate"]>[1],
) {
  const hashes = new Map<number, bigint>();
  for await (const { id, hash } of node.iterate(sql, options)) hashes.set(Number(id), BigInt(hash ?? 0));
  return hashes;
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
