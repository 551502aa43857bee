import type { TriggerFamily } from "../../features/feature.ts";
import { FEATURES } from "../../features/list.ts";
import { MOMENT_TRIGGERS } from "../../warehouse/call-moments.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { findOutdatedViews } from "../../warehouse/calls/views.ts";
import { readViewZone, ZONE_VIEW } from "../../warehouse/calls/zone-view.ts";
import { CAMPAIGN_TRIGGERS } from "../../warehouse/campaign-table.ts";
import { MARK_TRIGGERS } from "../../warehouse/changed-calls.ts";
import { findOutdated, readObjects } from "../../warehouse/stored-objects.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

const CORE: readonly TriggerFamily[] = [
  { family: MOMENT_TRIGGERS, needed: "moment" },
  { family: CAMPAIGN_TRIGGERS, needed: "moment" },
  { family: MARK_TRIGGERS, needed: "publications WHERE totals IS NOT NULL" },
];

/** Returns the names of views and triggers that differ from those that the program makes, and of foreign triggers. */
export async function findAlteredObjects(warehouse: Reader): Promise<string[]> {
  const { sqlite } = warehouse;
  const stored = [...readObjects(sqlite, "TRIGGER").keys()];
  const views = findOutdatedViews(sqlite, readRulesInForce(warehouse).rules).map(({ name }) => name);
  const zone = readViewZone(warehouse) === undefined ? [ZONE_VIEW] : [];
  const families = [...CORE];
  for (const feature of FEATURES) if (feature.triggers) families.push(await feature.triggers());
  const triggers = families.flatMap(({ family, needed }) => {
    const isNeeded = sqlite.prepare(`SELECT 1 FROM ${needed}`).get() !== undefined;
    const isThere = isNeeded || stored.some((name) => name in family);
    return isThere ? findOutdated(sqlite, "TRIGGER", family) : [];
  });
  const foreign = stored.filter((name) => !families.some(({ family }) => name in family));
  return [...views, ...zone, ...triggers.map(({ name }) => name), ...foreign];
}
