import { offsetSpanAt } from "../../base/calendar/local-time.ts";
import { attempt } from "../../base/errors.ts";
import { parseTimeZone } from "../../config/time-zone.ts";
import { WEEKDAYS } from "../../figures/dimensions.ts";
import { dateAllCalls } from "../call-moments.ts";
import { findOutdated, readObjects, replaceOutdated, type SchemaObjects } from "../stored-objects.ts";
import { type Tx, writeTransaction } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";

export const ZONE_VIEW = "zone_offsets";

/** Clock changes before and after are not known to the view. */
const [FIRST, LAST] = ["2000-01-01T00:00:00.000Z", "2050-01-01T00:00:00.000Z"];

/** SQL of the members of a start's local time. */
export function localTimeOf(started: string) {
  const offset = `(SELECT offset_seconds FROM ${ZONE_VIEW} WHERE starts_at <= ${started} ORDER BY starts_at DESC LIMIT 1) || ' seconds'`;
  const formatted = (format: string) => `strftime('${format}', ${started}, ${offset})`;
  const weekdays = WEEKDAYS.map((name, index) => `WHEN '${(index + 1) % 7}' THEN '${name}'`);
  return {
    call_started_local: formatted("%Y-%m-%d %H:%M:%S"),
    local_day: formatted("%Y-%m-%d"),
    local_weekday: `CASE ${formatted("%w")} ${weekdays.join(" ")} END`,
    local_hour: `CAST(${formatted("%H")} AS INTEGER)`,
  };
}

/** Returns the view of a zone's offsets, with its name: SQLite knows no IANA zones. */
export function zoneViewText(zone: string): string {
  const rows: string[] = [];
  for (let at: string | undefined = FIRST; at !== undefined && at < LAST; ) {
    const span = offsetSpanAt(at, zone);
    rows.push(`('${at === FIRST ? "" : at}', ${span.offsetSeconds})`);
    at = span.endsAt;
  }
  return `/* ${zone} */ SELECT column1 AS starts_at, column2 AS offset_seconds FROM (VALUES ${rows.join(", ")})`;
}

const objectsOf = (zone: string): SchemaObjects => ({ [ZONE_VIEW]: `AS ${zoneViewText(zone)}` });

export function createZoneView({ sqlite }: Tx, zone: string): void {
  replaceOutdated(sqlite, "VIEW", objectsOf(zone));
}

/** Returns the zone of the view; undefined if the view is not as it was made for any. */
export function readViewZone(warehouse: Reader): string | undefined {
  const text = readObjects(warehouse.sqlite, "VIEW").get(ZONE_VIEW) ?? "";
  const zone = attempt(() => parseTimeZone(/\/\* (\S+) \*\//.exec(text)?.[1] ?? ""));
  return zone !== undefined && findOutdatedZone(warehouse, zone).length === 0 ? zone : undefined;
}

export function findOutdatedZone({ sqlite }: Reader, zone: string) {
  return findOutdated(sqlite, "VIEW", objectsOf(zone));
}

/** Makes the local days of views those of a zone. */
export function refreshZone(warehouse: Warehouse, zone: string): void {
  if (findOutdatedZone(warehouse, zone).length > 0)
    writeTransaction(warehouse, (tx) => {
      createZoneView(tx, zone);
      dateAllCalls(tx);
    });
}
