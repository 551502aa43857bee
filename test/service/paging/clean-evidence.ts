import type { Evidence, Totals } from "../../../src/service/paging/evidence.ts";
import { readKeys } from "../../../src/service/paging/order-key.ts";

export const NEWEST = readKeys("call_started desc");
export const BY_SOURCE = readKeys("insight_name asc then call_id desc");

export const totals = (changes: Partial<Totals> = {}): Totals => ({
  first: 100,
  last: 100,
  least: 100,
  most: 100,
  isConstant: true,
  fall: 0,
  falls: 0,
  rises: 0,
  overruns: 0,
  ...changes,
});

/** The evidence of a full pass over 100 calls without irregularities. */
export const CLEAN: Evidence = {
  slices: 3,
  resumed: 0,
  startsAtFront: true,
  keys: NEWEST,
  outOfPlace: undefined,
  end: "short slice",
  endsAt: 100,
  gaps: [],
  isProven: true,
  isLinked: true,
  isFrontMet: true,
  front: { met: 50, needed: 50 },
  isOneLength: true,
  seamsMended: 0,
  seamsBroken: 0,
  fragmented: 0,
  vanished: 0,
  closing: 1,
  closingOnly: 0,
  behind: [],
  unplaced: 0,
  repeated: 0,
  old: 0,
  totals: totals(),
  settled: false,
  fresh: 100,
};
