import type { Snapshot } from "../../src/schedule/warehouse-snapshot.ts";

/** What the schedule sees of an empty warehouse, with these changes. */
export function snapshotOf(members: Partial<Snapshot> = {}): Snapshot {
  return {
    lastDoneRun: undefined,
    lastGoodRun: undefined,
    lastDone: new Map(),
    unfinished: new Set(),
    jobs: new Map(),
    calls: { live: 0, gone: 0 },
    statements: [],
    rejectedRows: 0,
    notices: [],
    driftedMembers: 0,
    ...members,
  };
}
