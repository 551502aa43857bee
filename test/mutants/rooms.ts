/** A stretch of the program that decides something, and how much of what may go wrong there its tests notice. */
export interface Room {
  /** The share of mutants, in percent, that a test must notice, equivalent ones aside; none where it has not been measured yet. */
  floor?: number;
  /** Files, and the tests that have to notice it when they decide otherwise; as short a list as does. */
  parts: readonly Part[];
}

export interface Part {
  files: readonly string[];
  /** Those that run the files in their own process: a mutant is switched on there, and a child does not see it. */
  tests: readonly string[];
}

/** Each file with the test of its own name. */
const own = (folder: string, ...names: string[]): Part[] =>
  names.map((name) => ({ files: [`src/${folder}/${name}.ts`], tests: [`test/${folder}/${name}.test.ts`] }));

export const ROOMS: Readonly<Record<string, Room>> = {
  attribution: {
    floor: 95,
    parts: [
      ...own("attribution", "attribution-rules", "call-text", "explain-attribution", "microsoft-click-id"),
      ...own("attribution", "phone-mentions", "referring-host", "remember"),
      {
        files: ["src/attribution/{attribute-call,compiled-rules}.ts"],
        tests: ["test/attribution/{attribute-call,golden}.test.ts"],
      },
      {
        files: ["src/attribution/channel-{rules,sites}.ts"],
        tests: ["test/attribution/channel-rules.test.ts"],
      },
    ],
  },
  paging: {
    floor: 95,
    parts: [
      ...own("paging", "evidence", "id-sketch", "order-key", "slice", "throttle", "verdict"),
      {
        files: ["src/paging/{chain,pass,prefetch,record,walk}.ts"],
        tests: ["test/paging/{chain,traces,walk-scenes}.test.ts"],
      },
    ],
  },
  calendar: {
    floor: 90,
    parts: [
      ...own("calendar", "age-text", "comparison", "dates", "local-time", "periods"),
      {
        files: ["src/calendar/zone-names.ts"],
        tests: ["test/calendar/zone-names.test.ts", "test/config/time-zone.test.ts"],
      },
    ],
  },
  retry: { floor: 90, parts: own("api", "retry") },
  // Of these it is only said how many are noticed: no one has worked on them yet. Much of what they decide is shown by tests
  // of the built program, which do not count here.
  spend: { parts: [{ files: ["src/spend/*.ts"], tests: ["test/spend/*.test.ts"] }] },
  rollup: {
    parts: [
      {
        files: ["src/rollup/*.ts"],
        tests: ["test/rollup/*.test.ts", "test/export/exact-figures.test.ts"],
      },
    ],
  },
  sync: { parts: [{ files: ["src/sync/*.ts"], tests: ["test/sync/*.test.ts"] }] },
  // Left out: what a job is, which are types alone.
  schedule: {
    parts: [
      ...own("schedule", "allowed-host", "child-queue", "doorbell-page", "health", "heartbeat"),
      ...own("schedule", "job-journal", "job-outcome", "log-attribution"),
      ...own("schedule", "monitor", "prometheus-format", "schedule-metrics", "zone-offsets"),
      // What a ring starts is seen on the schedule alone.
      {
        files: ["src/schedule/{bell,keep-schedule}.ts"],
        tests: ["test/schedule/{bell,keep-schedule}.test.ts"],
      },
      // The other tests of slots take minutes for as many mutants as there are.
      { files: ["src/schedule/cron.ts"], tests: ["test/schedule/cron-edges.test.ts"] },
      {
        files: ["src/schedule/job-{state,statistics}.ts"],
        tests: ["test/schedule/job-state.test.ts"],
      },
      {
        files: ["src/schedule/{plan-jobs,warehouse-snapshot}.ts"],
        tests: ["test/schedule/plan-jobs.test.ts"],
      },
    ],
  },
  // By itself, since each of these tests starts processes: a mutant takes many seconds.
  "schedule-processes": {
    parts: [
      ...own("schedule", "child-process"),
      {
        files: ["src/schedule/daemon.ts"],
        tests: ["test/schedule/{daemon,daemon-lines,rung-daemon}.test.ts"],
      },
    ],
  },
  conversions: {
    parts: [
      {
        files: ["src/export/{adjustments,conversion-kinds,conversions,uploaded-orders}.ts"],
        tests: ["test/export/{conversions,uploads}.test.ts"],
      },
    ],
  },
  restatements: {
    parts: [
      {
        files: ["src/export/restatement-{file,words}.ts", "src/warehouse/{drift,restatement-table}.ts"],
        tests: ["test/export/restatements.test.ts", "test/warehouse/drift.test.ts"],
      },
    ],
  },
  facts: {
    parts: [
      {
        files: ["src/warehouse/{attribute-all,call-facts,fact-log,gone}.ts"],
        tests: ["test/warehouse/{attribute-all,call-facts,call-table,fact-log}.test.ts"],
      },
    ],
  },
  callers: {
    parts: [
      {
        files: ["src/warehouse/{caller-hash,caller-key,caller-names,callers}.ts"],
        tests: ["test/export/export-{callers,calls}.test.ts", "test/warehouse/call-facts.test.ts"],
      },
    ],
  },
  lock: {
    parts: [
      {
        files: ["src/warehouse/{copy,lock,restore,restored-key,write-backup}.ts"],
        tests: ["test/warehouse/{lock,migrate,write-backup}.test.ts"],
      },
    ],
  },
  erasure: { floor: 90, parts: own("warehouse", "carry-forgotten", "erase", "prune") },
  privacy: {
    parts: [
      ...own("privacy", "keep", "pseudonym", "withhold"),
      ...own("warehouse", "forgotten", "keeping"),
      {
        files: ["src/warehouse/forget.ts"],
        tests: ["test/warehouse/{forget,personal-columns}.test.ts"],
      },
    ],
  },
};
