import { hash } from "node:crypto";
import { localTime } from "../../base/calendar/local-time.ts";
import { WEEKDAYS } from "../../figures/dimensions.ts";
import { openCallerDigests, openCallerHash, openPseudonyms } from "../../warehouse/calls/caller-hash.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { type AccountTable, CALLS_TABLE, FACTS, SPEND_TABLE } from "./account-tables.ts";
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
  /** Returns the number of rows of each month. */
  counts: () => Map<string, number>;
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
  const perSecond = readRulesInForce(reader).rules.duration_unit === "milliseconds" ? 1000 : 1;
  const { toPseudonym, fingerprint } = openPseudonyms(reader);
  const { hash: toHash } = openCallerHash(reader.path);
  const place = (fact: string) => FACTS.indexOf(fact);
  const [started, caller, gclid] = [place("call_started"), place("caller_id"), place("gclid")];
  const toLocal = localTime(timezone);
  const ofFact: Readonly<Record<string, string>> = {
    caller_id: "caller",
    duration: perSecond === 1 ? "duration" : `duration / ${perSecond}.0`,
  };
  const columns = FACTS.map((fact) => ofFact[fact] ?? fact);
  const toRow = (values: ClusterValue[], month: string): LocalRow => {
    const id = Number(values[0]);
    const at = values[started] ?? null;
    if (!isPersonal) {
      digest(values, caller, toPseudonym);
      digest(values, gclid, (text) => toHash(`gclid ${text}`));
    }
    values[started] = month === "" ? null : String(at).slice(0, -1).replace("T", " ");
    values.push(...localValues(at, toLocal));
    return { id, month, values, shard: shardOf(account, values[caller] ?? id, shards) };
  };
  const from = "call_facts LEFT JOIN callers USING (caller_id)";
  const digests = isPersonal ? undefined : { fingerprint, isKept: openCallerDigests(reader) !== undefined };
  return {
    ...openTable(reader, CALLS_TABLE, { columns, from, toRow }),
    /** What its rows are made of, in addition to facts. */
    basis: JSON.stringify({ ...options, perSecond, digests, columns: CALLS_TABLE.columns }),
  };
}

export function openLocalSpend(
  reader: Reader,
  { account, shards }: Pick<LocalOptions, "account" | "shards">,
): LocalTable {
  const toRow = (values: ClusterValue[], month: string) => {
    const id = Number(values[0]);
    return { id, month, values, shard: shardOf(account, id, shards) };
  };
  const source = { columns: Object.keys(SPEND_TABLE.columns), from: SPEND_TABLE.name, toRow };
  return openTable(reader, SPEND_TABLE, source);
}

function digest(values: ClusterValue[], place: number, toDigest: (text: string) => string): void {
  const text = values[place];
  if (typeof text === "string") values[place] = toDigest(text);
}

/** Returns the local day, weekday and hour, and milliseconds since 1970. */
function localValues(at: ClusterValue, toLocal: ReturnType<typeof localTime>): ClusterValue[] {
  if (typeof at !== "string") return [null, null, null, null];
  const [day = "", time = ""] = toLocal(at).local.split(" ");
  const weekday = WEEKDAYS[(new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7] ?? null;
  const isShown = FIRST <= day && day <= LAST;
  return [isShown ? day : null, weekday, Number(time.slice(0, 2)), Date.parse(at)];
}

/** How the rows of a table are made: columns of a SELECT, and what becomes of them. */
interface RowSource {
  columns: readonly string[];
  from: string;
  toRow: (values: ClusterValue[], month: string) => LocalRow;
}

function openTable({ sqlite }: Reader, table: AccountTable, { columns, from, toRow }: RowSource): LocalTable {
  const { key, time } = table;
  const month = `CASE WHEN ${time} BETWEEN '${FIRST}' AND '${LAST}~' THEN substr(${time}, 1, 7) ELSE '' END`;
  return {
    table,
    *read(selection) {
      const [selected, list] = "ids" in selection ? [key, selection.ids] : [month, selection.months];
      const sql = `SELECT ${columns.join(", ")}, ${month} FROM ${from} WHERE ${selected} IN (SELECT value FROM json_each(?))`;
      const rows = sqlite.prepare<[string], ClusterValue[]>(sql).raw().iterate(JSON.stringify(list));
      for (const values of rows) {
        const month = values.pop();
        yield toRow(values, String(month));
      }
    },
    counts() {
      const sql = `SELECT ${month}, count(*) FROM ${from} GROUP BY 1`;
      return new Map(sqlite.prepare<[], [string, number]>(sql).raw().all());
    },
  };
}

/** Returns the shard of a row, by account and caller, so that a caller's calls are on one server. */
export function shardOf(account: string, name: string | number, shards: number): number {
  return shards === 1 ? 0 : hash("md5", `${account}\0${name}`, "buffer").readUInt32BE(0) % shards;
}
