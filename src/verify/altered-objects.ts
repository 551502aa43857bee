import { COUNT_TRIGGERS } from "../notices/watched-days.ts";
import { LOG_TRIGGERS } from "../warehouse/calls/fact-log.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { findOutdatedViews } from "../warehouse/calls/views.ts";
import { readViewZone, ZONE_VIEW } from "../warehouse/calls/zone-view.ts";
import { MARK_TRIGGERS } from "../warehouse/changed-calls.ts";
import { findOutdated, readObjects } from "../warehouse/stored-objects.ts";
import type { Reader } from "../warehouse/warehouse.ts";

/** Triggers that exist together, and rows without which they need not. */
const TRIGGERS = [
  { family: LOG_TRIGGERS, needed: "exported_rollups" },
  { family: MARK_TRIGGERS, needed: "publications WHERE totals IS NOT NULL" },
  { family: COUNT_TRIGGERS, needed: "watched_days" },
];

/** Returns the names of views and triggers that differ from those that the program makes, and of foreign triggers. */
export function findAlteredObjects(warehouse: Reader): string[] {
  const { sqlite } = warehouse;
  const stored = [...readObjects(sqlite, "TRIGGER").keys()];
  const views = findOutdatedViews(sqlite, readRulesInForce(warehouse).rules).map(({ name }) => name);
  const zone = readViewZone(warehouse) === undefined ? [ZONE_VIEW] : [];
  const triggers = TRIGGERS.flatMap(({ family, needed }) => {
    const isNeeded = sqlite.prepare(`SELECT 1 FROM ${needed}`).get() !== undefined;
    const isThere = isNeeded || stored.some((name) => name in family);
    return isThere ? findOutdated(sqlite, "TRIGGER", family) : [];
  });
  const foreign = stored.filter((name) => !TRIGGERS.some(({ family }) => name in family));
  return [...views, ...zone, ...triggers.map(({ name }) => name), ...foreign];
}
