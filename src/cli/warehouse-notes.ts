import type { Settings } from "../config/load-settings.ts";
import { readStatements } from "../statements/read-statements.ts";
import { say } from "../statements/statements.ts";
import {
  describeUnmatchedDisposition,
  findUnmatchedDispositions,
} from "../warehouse/calls/unmatched-dispositions.ts";
import { isCurrent, openWarehouseReader } from "../warehouse/open.ts";
import { findOtherOrigin, type OwnWarehouse } from "../warehouse/own-warehouse.ts";

/** For a command about the file itself: whether it is another account's warehouse. */
export function notesOnOrigin(own: OwnWarehouse): string[] {
  if (!isCurrent(own.database)) return [];
  using reader = openWarehouseReader(own.database);
  const problem = findOtherOrigin(reader, own);
  return problem === undefined ? [] : [`${reader.path} is another account's: ${problem}.`];
}

/** For a command that only reads: whether the settings would change the figures. */
export function notesOnRules(settings: Settings): string[] {
  using reader = openWarehouseReader(settings.database);
  const statements = readStatements(reader, settings);
  return statements.filter(({ id }) => id === "rules_changed").map((statement) => say(statement).text);
}

/** Dispositions in the settings that no call has: they may be misspelled. */
export function notesOnDispositions({ database, rules }: Settings): string[] {
  using reader = openWarehouseReader(database);
  return findUnmatchedDispositions(reader, rules).map(describeUnmatchedDisposition);
}
