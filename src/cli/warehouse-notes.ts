import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import {
  describeUnmatchedDisposition,
  findUnmatchedDispositions,
} from "../warehouse/calls/unmatched-dispositions.ts";
import { isCurrent } from "../warehouse/migrate.ts";
import { openToCopy, openWarehouseReader } from "../warehouse/open.ts";
import { findOtherOrigin, type OwnWarehouse } from "../warehouse/own-warehouse.ts";

/** For a command about the file itself: whether it is the warehouse of another account. */
export function notesOnOrigin(own: OwnWarehouse): string[] {
  using reader = openToCopy(own.database);
  const problem = isCurrent(reader.sqlite) ? findOtherOrigin(reader, own) : undefined;
  return problem === undefined ? [] : [`${reader.path} is another account's: ${problem}.`];
}

/** For a command that only reads: whether the settings would change the figures that it shows. */
export function notesOnRules(settings: Settings): string[] {
  using reader = openWarehouseReader(settings.database);
  return isInForce(readRulesInForce(reader), readAttributionRules(settings))
    ? []
    : [
        "The settings for attribution have changed: these figures follow the earlier ones until the next sync or export.",
      ];
}

/** Which dispositions of the settings no call has: they may be misspelled. */
export function notesOnDispositions({ database, rules }: Settings): string[] {
  using reader = openWarehouseReader(database);
  return findUnmatchedDispositions(reader, rules).map(describeUnmatchedDisposition);
}
