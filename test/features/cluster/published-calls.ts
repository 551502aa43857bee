import type { Call } from "../../../src/calls/columns.ts";
import { openCallerHash, openPseudonyms } from "../../../src/warehouse/calls/caller-hash.ts";
import { FACT_COLUMNS } from "../../../src/warehouse/calls/facts.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import type { ClickhouseServers } from "../../support/services/clickhouse-servers.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

/** Texts that differ only when every byte is compared. */
const ODD_TEXTS = [
  "nul\0l",
  "😀",
  "\ud83d",
  "it's; DROP TABLE `calls` -- \\N",
  'a "quoted" \\ back\tslash\r\n',
  "\\N",
  "~",
  "1:a",
  "line\u2028separator",
  "é",
  "x".repeat(65_536),
  "ΌΔΟΣ",
  " ",
  "null",
  "",
];

const SOURCES = ["google", "bing", "facebook", "newsletter", null];
const OUTCOMES = ["answered", "no answer", "busy", "transferred", null];
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2026-06-01T00:00:00.000Z");

/** Returns calls of an account, always the same; some ids are negative or as large as possible. */
export function makeCalls(count: number, seed: number): Call[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = (index * 2_654_435_761 + seed * 40_503) >>> 0;
    const pick = <T>(values: readonly T[], by: number) => values[Math.floor(drawn / by) % values.length];
    const odd = index % 50 === 0 ? (ODD_TEXTS[(index / 50) % ODD_TEXTS.length] ?? null) : null;
    return makeCall({
      call_id: index === 0 ? Number.MAX_SAFE_INTEGER : index === 1 ? Number.MIN_SAFE_INTEGER : index - 500,
      caller_id: index % 11 === 0 ? null : `+49${1_000_000 + (drawn % Math.ceil(count / 3))}`,
      call_started: index % 97 === 0 ? null : new Date(FIRST_MS + (drawn % (150 * DAY_MS))).toISOString(),
      duration: index % 13 === 0 ? null : index % 7 === 0 ? -5 : drawn % 900,
      disposition: pick(OUTCOMES, 7) ?? null,
      utm_source: odd ?? pick(SOURCES, 3) ?? null,
      utm_medium: index % 2 === 0 ? "cpc" : null,
      utm_campaign: odd,
      campaign_name: index % 3 === 0 ? `Campaign ${drawn % 40}` : null,
      campaign_id: index % 3 === 0 ? String(drawn % 40) : null,
      gclid: index % 4 === 0 ? `Cj${drawn}` : null,
      org_unit_id: index % 5 === 0 ? null : drawn % 9,
      insight_name: odd,
      tracking_number: "+4989654321",
    });
  });
}

/** Columns in the cluster, and their values in a warehouse whose local days are those of UTC. */
const COLUMNS = {
  ...Object.fromEntries(FACT_COLUMNS.map((name) => [name, name])),
  call_started: "replace(rtrim(call_started, 'Z'), 'T', ' ')",
  local_day: "substr(call_started, 1, 10)",
  local_weekday:
    "substr('Sunday   Monday   Tuesday  WednesdayThursday Friday   Saturday ', 9 * strftime('%w', call_started) + 1, 9)",
  local_hour: "CAST(substr(call_started, 12, 2) AS INTEGER)",
  call_started_ms:
    "CAST(unixepoch(call_started) AS INTEGER) * 1000 + CAST(substr(call_started, 21, 3) AS INTEGER)",
};
const RENAMED: Readonly<Record<string, string>> = {
  caller_id: "caller",
  duration: "duration_seconds",
  is_qualified: "qualified",
  is_first_call: "first_time_caller",
};
const FOUND = Object.keys(COLUMNS)
  .map((name) => RENAMED[name] ?? name)
  .join(", ");
const EXPECTED = Object.entries(COLUMNS)
  .map(([name, text]) =>
    name === "caller_id" ? "caller" : `trim(${text}, ' ') AS ${name}`.replace(`trim(${name}, ' ')`, name),
  )
  .join(", ");

type Value = string | number | null;

/** Returns the facts expected in the cluster, computed in another way than by the program: one line per call. */
export function readExpected(database: string, { isPersonal = false } = {}): Map<number, string> {
  using warehouse = openReader(database);
  const rows = warehouse.sqlite
    .prepare<[], Record<string, Value>>(
      `SELECT ${EXPECTED} FROM call_facts LEFT JOIN callers USING (caller_id)`,
    )
    .all();
  const { toPseudonym } = openPseudonyms(warehouse);
  const { hash } = openCallerHash(database);
  return new Map(
    rows.map((row) => {
      if (!isPersonal) {
        if (typeof row.caller === "string") row.caller = toPseudonym(row.caller);
        if (typeof row.gclid === "string") row.gclid = hash(`gclid ${row.gclid}`);
      }
      return [Number(row.call_id), lineOf(row)];
    }),
  );
}

/** Returns the cluster's facts of an account, as its readers see them. */
export async function readFound(
  servers: ClickhouseServers,
  database: string,
  account: string,
  { table = "calls", server = 1 } = {},
): Promise<Map<number, string>> {
  const text = await servers.ask(
    server,
    `SELECT ${FOUND} FROM ${database}.${table} FINAL WHERE account = '${account}' AND is_deleted = 0 FORMAT JSON`,
  );
  const { data }: { data: Record<string, Value>[] } = JSON.parse(text);
  const ids = data.map(({ call_id }) => Number(call_id));
  if (new Set(ids).size < ids.length) throw new Error("A call is there twice");
  return new Map(data.map((row) => [Number(row.call_id), lineOf(row)]));
}

/** Numbers of 64 bits are texts in ClickHouse's JSON. */
function lineOf(row: Readonly<Record<string, Value>>): string {
  return JSON.stringify(Object.values(row).map((value) => (value === null ? null : String(value))));
}
