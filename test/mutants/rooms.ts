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
  spend: {
    floor: 90,
    parts: [
      ...own("spend", "decode-report", "spend-amount", "spend-columns", "spend-day"),
      { files: ["src/spend/read-report.ts"], tests: ["test/spend/read-report.test.ts"] },
    ],
  },
  // The ClickHouse cluster's engine is not part of it. Types alone: caller-summary, conversion-query, engine.
  rollup: {
    parts: [
      ...own("rollup", "call-filter", "own-words", "session-spend", "spend-campaigns"),
      {
        files: ["src/rollup/{dimensions,duration-bands,figure-sql,metrics,rollup-query,sql-text}.ts"],
        tests: ["test/rollup/figures.test.ts"],
      },
      { files: ["src/rollup/sqlite-spend-sql.ts"], tests: ["test/rollup/session-spend.test.ts"] },
      { files: ["src/rollup/sqlite-effects-sql.ts"], tests: ["test/rollup/effects.test.ts"] },
      {
        files: ["src/rollup/sqlite-{callers,conversions}-sql.ts", "src/rollup/sqlite-engine.ts"],
        tests: ["test/rollup/session-lists.test.ts"],
      },
      {
        files: ["src/rollup/{figure-session,session}.ts"],
        tests: ["test/rollup/{effects,session-lists,session-spend}.test.ts"],
      },
      {
        files: ["src/rollup/{rollup-sql,sqlite-calls-sql}.ts"],
        tests: ["test/rollup/{account-rollups,figures,session-lists}.test.ts"],
      },
    ],
  },
  // Of these it is only said how many are noticed: no one has worked on them yet. Much of what they decide is shown by tests
  // of the built program, which do not count here.
  sync: { parts: [{ files: ["src/sync/*.ts"], tests: ["test/sync/*.test.ts"] }] },
  schedule: { parts: [{ files: ["src/schedule/*.ts"], tests: ["test/schedule/*.test.ts"] }] },
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
