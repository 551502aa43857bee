import type { Settings } from "../config/load-settings.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import {
  describeUnmatchedDisposition,
  findUnmatchedDispositions,
} from "../warehouse/unmatched-dispositions.ts";
import type { Context } from "./context.ts";

/** Notes which dispositions of the settings no call has: they may be misspelled, and the figures other than they were meant. */
export function noteUnmatchedDispositions(context: Context, { database, rules }: Settings): void {
  using reader = openWarehouseReader(database);
  for (const found of findUnmatchedDispositions(reader, rules)) {
    context.note(describeUnmatchedDisposition(found));
  }
}
