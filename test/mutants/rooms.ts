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
  schedule: { parts: [{ files: ["src/schedule/*.ts"], tests: ["test/schedule/*.test.ts"] }] },
  conversions: {
    parts: [
      ...own("export", "conversion-kinds", "uploaded-orders"),
      { files: ["src/export/adjustments.ts"], tests: ["test/export/uploads.test.ts"] },
      { files: ["src/export/conversions.ts"], tests: ["test/export/{conversions,uploads}.test.ts"] },
    ],
  },
  restatements: {
    floor: 90,
    parts: [
      ...own("export", "restatement-file", "restatement-words"),
      ...own("warehouse", "drift", "restatement-table"),
    ],
  },
  facts: { parts: own("warehouse", "attribute-all", "call-facts", "fact-log", "gone") },
  callers: { parts: own("warehouse", "caller-hash", "caller-key", "caller-names", "callers") },
  lock: {
    parts: [
      {
        files: ["src/warehouse/{copy,lock,restore,restored-key,write-backup}.ts"],
        tests: ["test/warehouse/{lock,migrate,write-backup}.test.ts"],
      },
    ],
  },
  privacy: {
    parts: [
      {
        files: [
          "src/privacy/*.ts",
          "src/warehouse/{carry-forgotten,erase,forget,forgotten,keeping,prune}.ts",
        ],
        tests: [
          "test/privacy/keep.test.ts",
          "test/sync/keep.test.ts",
          "test/warehouse/{personal-columns,rejected}.test.ts",
        ],
      },
    ],
  },
};
