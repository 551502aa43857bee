import { hash } from "node:crypto";
import { localTime } from "../../calendar/local-time.ts";
import { WEEKDAYS } from "../../figures/dimensions.ts";
import { openCallerDigests, openCallerHash, openPseudonyms } from "../../warehouse/calls/caller-hash.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import {
  type AccountTable,
  CALLS_TABLE,
  FACTS,
  NOTHING,
  rowHashText,
  SPEND_TABLE,
} from "./account-tables.ts";
import type { ClusterValue } from "./clickhouse-text.ts";

export interface LocalRow {
  id: number;
  /** Index of its shard. */
  shard: number;
  month: string;
  /** In the order of the table's columns. */
  values: ClusterValue[];
}

/** Some months, `YYYY-MM` or empty for rows without one; or some rows. */
export type Selection = { months: readonly string[] } | { ids: readonly number[] };

export interface LocalTable {
  table: AccountTable;
  read: (selection: Selection) => Iterable<LocalRow>;
  /** Returns the number of rows and the sums of each month. */
  sums: () => Map<string, readonly number[]>;
}

export interface LocalOptions {
  account: string;
  shards: number;
  /** Whether numbers and click ids are published unchanged. */
  isPersonal: boolean;
  /** IANA zone of local days. */
  timezone: string;
}

/** ClickHouse's dates; other months are empty. */
const [FIRST, LAST] = ["1970-01-01", "2105-12-31"];

/** Callers and click ids are keyed digests, unless personal data is published. @param reader is and stays in a transaction */
export function openLocalCalls(reader: Reader, options: LocalOptions) {
  const { account, shards, isPersonal, timezone } = options;
  const digest = isPersonal ? undefined : openDigests(reader);
  const perSecond = readRulesInForce(reader).rules.duration_unit === "milliseconds" ? 1000 : 1;
  const [started, duration, caller, gclid] = ["call_started", "duration", "caller_id", "gclid"].map((name) =>
    FACTS.indexOf(name),
  );
  const toLocal = localTime(timezone);
  const columns = FACTS.map((name) => (name === "caller_id" ? "caller" : name));
  const from = `(SELECT *, duration * ${1000 / perSecond} AS duration_ms FROM call_facts) LEFT JOIN callers USING (caller_id)`;
  const toRow = (values: ClusterValue[]): LocalRow => {
    const at = values[started ?? 0] ?? null;
    const month = monthOf(at);
    if (digest !== undefined) {
      if (typeof values[caller ?? 0] === "string")
        values[caller ?? 0] = digest.caller(String(values[caller ?? 0]));
      if (typeof values[gclid ?? 0] === "string")
        values[gclid ?? 0] = digest.gclid(String(values[gclid ?? 0]));
    }
    const seconds = values[duration ?? 0];
    if (typeof seconds === "number") values[duration ?? 0] = seconds / perSecond;
    values[started ?? 0] = month === "" ? null : String(at).slice(0, -1).replace("T", " ");
    values.push(...localValues(at, month !== "", toLocal));
    const id = Number(values[0]);
    return { id, month, values, shard: shardOf(account, values[caller ?? 0] ?? id, shards) };
  };
  return {
    ...openTable(reader, CALLS_TABLE, { columns, from, toRow }),
    /** What its rows are made of, in addition to facts. */
    basis: JSON.stringify({ ...options, perSecond, digest: digest?.basis, hash: rowHashText(CALLS_TABLE) }),
  };
}

export function openLocalSpend(
  reader: Reader,
  { account, shards }: Pick<LocalOptions, "account" | "shards">,
): LocalTable {
  const toRow = (values: ClusterValue[]) => {
    const id = Number(values[0]);
    return { id, month: monthOf(values[1] ?? null), values, shard: shardOf(account, id, shards) };
  };
  const own = { columns: Object.keys(SPEND_TABLE.columns), from: SPEND_TABLE.name, toRow };
  return openTable(reader, SPEND_TABLE, own);
}

/** Returns the local day, weekday and hour, and milliseconds since 1970. */
function localValues(
  at: ClusterValue,
  isDate: boolean,
  toLocal: ReturnType<typeof localTime>,
): ClusterValue[] {
  if (typeof at !== "string") return [null, null, null, null];
  const { local } = toLocal(at);
  const [day = "", time = ""] = local.split(" ");
  const weekday = WEEKDAYS[(new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7] ?? null;
  const isShown = isDate && FIRST <= day && day <= LAST;
  return [isShown ? day : null, weekday, Number(time.slice(0, 2)), Date.parse(at)];
}

function monthOf(at: ClusterValue): string {
  return typeof at === "string" && FIRST <= at && at < `${LAST}~` ? at.slice(0, "YYYY-MM".length) : "";
}

function openDigests(reader: Reader) {
  const { toPseudonym, fingerprint } = openPseudonyms(reader);
  const { hash: toHash } = openCallerHash(reader.path);
  const isDigest = openCallerDigests(reader) !== undefined;
  return {
    basis: { fingerprint, isDigest },
    caller: toPseudonym,
    gclid: (gclid: string) => toHash(`gclid ${gclid}`),
  };
}

function openTable(
  { sqlite }: Reader,
  table: AccountTable,
  {
    columns,
    from,
    toRow,
  }: { columns: readonly string[]; from: string; toRow: (values: ClusterValue[]) => LocalRow },
) {
  const isDated = `${table.time} BETWEEN '${FIRST}' AND '${LAST}~'`;
  const ofMonth = (month: string) =>
    month === ""
      ? `ifnull(NOT ${isDated}, 1)`
      : `${table.time} BETWEEN '${month}' AND '${month}~' AND ${isDated}`;
  const whereText = (selection: Selection) =>
    "ids" in selection
      ? `${table.key} IN (SELECT value FROM json_each('${JSON.stringify(selection.ids)}'))`
      : selection.months.map(ofMonth).join(" OR ");
  return {
    table,
    *read(selection: Selection) {
      const sql = `SELECT ${columns.join(", ")} FROM ${from} WHERE ${whereText(selection)}`;
      for (const values of sqlite.prepare<[], ClusterValue[]>(sql).raw().iterate()) yield toRow(values);
    },
    sums() {
      const month = `CASE WHEN ${isDated} THEN substr(${table.time}, 1, 7) ELSE '' END`;
      const sql = `SELECT ${month}, count(*), ${table.sums.map(([, here]) => here).join(", ")} FROM ${from} GROUP BY 1`;
      const rows = sqlite.prepare<[], [string, ...number[]]>(sql).raw().all();
      return new Map(rows.map(([name, ...sums]) => [name, sums]));
    },
  };
}

/** Returns the shard of a row, by account and caller, so that a caller's calls are on one server. */
export function shardOf(account: string, name: string | number, shards: number): number {
  return shards === 1 ? 0 : hash("md5", `${account}\0${name}`, "buffer").readUInt32BE(0) % shards;
}

/** Returns what {@link rowHashText} computes in the cluster. */
export function hashRow(values: readonly ClusterValue[]): bigint {
  let text = "";
  for (const value of values) {
    if (value === null) text += NOTHING;
    else
      text +=
        typeof value === "number"
          ? `${String(value).length}:${value}`
          : `${Buffer.byteLength(value)}:${value}`;
  }
  return hash("md5", text, "buffer").readBigUInt64BE(0);
}
