/** A part of the program that makes decisions. */
export interface Room {
  /** The share of mutants, in percent, that a test must detect; no test can detect equivalent ones. @default not measured yet */
  floor?: number;
  /** Files, and the tests that must detect wrong decisions in them; as few as possible. */
  parts: readonly Part[];
}

export interface Part {
  files: readonly string[];
  /** Tests that run the files in their own process: a mutant is switched on there, and invisible to a child. */
  tests: readonly string[];
}

/** Each file with the test of its own name. */
const own = (folder: string, ...names: string[]): Part[] =>
  names.map((name) => ({ files: [`src/${folder}/${name}.ts`], tests: [`test/${folder}/${name}.test.ts`] }));

/** A table: also with the tests of its definition, descriptions and personal columns. */
const described = (folder: string, name: string): Part => ({
  files: [`src/${folder}/${name}.ts`],
  tests: [
    `test/${folder}/${name}.test.ts`,
    "test/{operate/schema/describe,warehouse/migrations}.test.ts",
    "test/{operate/forget/forget-callers,warehouse/personal-columns}.test.ts",
  ],
});

export const ROOMS: Readonly<Record<string, Room>> = {
  attribution: {
    floor: 95,
    parts: [
      ...own("calls/attribution", "ad-click", "attribution-rules", "call-text"),
      ...own("calls/attribution", "mask-numbers", "referring-host", "remember"),
      {
        files: ["src/calls/attribution/{attribute-call,compiled-rules}.ts"],
        tests: ["test/calls/attribution/{attribute-call,explain-attribution,golden,traffic-source}.test.ts"],
      },
      {
        files: ["src/calls/attribution/channel-{rules,sites}.ts"],
        tests: ["test/calls/attribution/channel-rules.test.ts"],
      },
    ],
  },
  paging: {
    floor: 95,
    parts: [
      ...own(
        "service/paging",
        "evidence",
        "id-sketch",
        "order-key",
        "prefetch",
        "slice",
        "throttle",
        "verdict",
      ),
      {
        files: ["src/service/paging/{chain,pass,record,walk}.ts"],
        tests: ["test/service/paging/{chain,record,traces,walk-scenes}.test.ts"],
      },
    ],
  },
  calendar: {
    floor: 90,
    parts: [...own("base/calendar", "age-text", "comparison", "dates", "local-time", "periods")],
  },
  retry: { floor: 90, parts: own("service/api", "retry") },
  api: {
    floor: 80,
    parts: [
      {
        files: ["src/service/api/!(retry).ts", "src/features/{insights/insight,webhooks/webhook}-client.ts"],
        tests: [
          "test/service/api/*.test.ts",
          "test/features/{insights/insight,webhooks/webhook}-client.test.ts",
        ],
      },
    ],
  },
  config: {
    floor: 85,
    parts: [
      { files: ["src/config/**/*.ts"], tests: ["test/config/**/*.test.ts", "test/cli/config.test.ts"] },
    ],
  },
  library: {
    floor: 75,
    parts: [{ files: ["src/library/*.ts"], tests: ["test/library/library.test.ts"] }],
  },
  export: {
    floor: 55,
    parts: [
      { files: ["src/export/formats/**/*.ts"], tests: ["test/export/formats/**/*.test.ts"] },
      { files: ["src/export/output/*.ts"], tests: ["test/export/{output/*,write-export}.test.ts"] },
      {
        files: ["src/export/*.ts"],
        tests: [
          "test/export/*.test.ts",
          "test/cli/{export,privacy/share-safe,reports/spend,warehouse/incremental}.test.ts",
        ],
      },
    ],
  },
  page: {
    floor: 85,
    parts: [{ files: ["src/reports/page/!(*.d).ts"], tests: ["test/reports/page/!(browser).test.ts"] }],
  },
  overview: {
    parts: [{ files: ["src/operate/overview/*.ts"], tests: ["test/operate/overview/overview.test.ts"] }],
  },
  sentences: {
    parts: [
      {
        files: ["src/export/sentences/sentence{s,-rules}.ts"],
        tests: ["test/export/sentences/sentences.test.ts"],
      },
      {
        files: ["src/export/sections/sentences.ts"],
        tests: ["test/reports/delivery/mail-message.test.ts"],
      },
    ],
  },
  hygiene: {
    parts: [
      ...own("features/hygiene", "append-aliases", "find-problems", "near-misses"),
      {
        files: ["src/features/hygiene/{read-problems,write-hygiene}.ts"],
        tests: ["test/features/hygiene/write-hygiene.test.ts"],
      },
    ],
  },
  reports: {
    floor: 85,
    parts: [
      ...own("reports", "recipients", "report"),
      {
        files: ["src/reports/{plan-report,delivery-targets}.ts"],
        tests: ["test/reports/plan-report.test.ts"],
      },
      {
        files: ["src/reports/{make-report,produce-report,report-news,start-run,summarize-report}.ts"],
        tests: ["test/reports/{due-report,make-report,start-run}.test.ts"],
      },
      { files: ["src/reports/due-report.ts"], tests: ["test/reports/due-report.test.ts"] },
      {
        files: ["src/reports/{requirements,sync-first}.ts"],
        tests: ["test/reports/{make-report,requirements}.test.ts"],
      },
    ],
  },
  delivery: {
    floor: 85,
    parts: [
      described("reports/delivery", "delivery-table"),
      ...own("reports/delivery", "mail-message"),
      described("reports/delivery", "report-run-table"),
      ...own("reports/delivery", "smtp-url"),
      { files: ["src/reports/delivery/hook-body.ts"], tests: ["test/reports/delivery/hook.test.ts"] },
      {
        files: ["src/reports/delivery/report-summary.ts"],
        tests: ["test/reports/delivery/{hook,mail-message}.test.ts"],
      },
      ...own("reports/delivery", "attempt", "send-command", "send-hook", "send-mail"),
      {
        files: ["src/reports/delivery/{deliver,delivery-target,run-folder}.ts"],
        tests: ["test/reports/delivery/{deliver,delivery-target,send-command}.test.ts"],
      },
    ],
  },
  notices: {
    floor: 85,
    parts: [
      ...own("features/notices", "call-hours", "notice-book"),
      {
        files: ["src/features/notices/{judge-calls,key-calls,local-days}.ts"],
        tests: ["test/features/notices/judge-once.test.ts"],
      },
      {
        files: ["src/features/notices/notice-words.ts"],
        tests: ["test/features/notices/notice-table.test.ts"],
      },
      described("features/notices", "notice-table"),
      described("features/notices", "watched-days"),
      {
        files: ["src/features/notices/watch-calls.ts"],
        tests: ["test/features/notices/watch-once.test.ts"],
      },
      ...own("features/notices", "spent-days"),
    ],
  },
  // Left out: the command, which starts a process for each call.
  mcp: {
    floor: 90,
    parts: [
      ...own("mcp", "answer", "hide-personal", "serve"),
      {
        files: ["src/mcp/{answer-call,ask-figures,moment,tools}.ts"],
        tests: ["test/mcp/{bounds,serve,tools}.test.ts"],
      },
    ],
  },
  // Left out: behaviour of a process of its own, such as reading from standard input.
  cli: {
    floor: 40,
    parts: [
      {
        files: ["src/cli/{frame,program,parsers,usage-error}.ts"],
        tests: ["test/cli/{frame,program,parsers,usage-error}.test.ts"],
      },
      {
        files: ["src/cli/{export-accounts,export-merged,request-flags,request-options}.ts"],
        tests: [
          "test/cli/{accounts/account-rollups,export,invalid-input,privacy/share-safe}.test.ts",
          "test/config/request/check.test.ts",
        ],
      },
      {
        files: ["src/cli/terminal/{account-table,status-screen}.ts", "src/cli/commands/status.ts"],
        tests: ["test/cli/{accounts/accounts,invalid-input,status,warehouse/incremental}.test.ts"],
      },
      {
        files: ["src/cli/commands/{spend,webhook,insight}.ts"],
        tests: ["test/cli/{invalid-input,reports/{insight,spend},schedule/{doorbell,webhook}}.test.ts"],
      },
    ],
  },
  spend: {
    floor: 90,
    parts: [
      ...own("features/spend", "import-files", "read-report", "spend-imports"),
      {
        files: ["src/features/spend/{spend-forms,spend-intake}.ts"],
        tests: ["test/features/spend/spend-columns.test.ts"],
      },
    ],
  },
  intake: {
    parts: own("intake", "amount-text", "day-text", "decode-text", "id-text", "moment-text", "read-file"),
  },
  figures: {
    floor: 90,
    parts: [
      {
        files: ["src/figures/**/*.ts"],
        tests: [
          "test/sources/{account-rollups,effects,figures,session}.test.ts",
          "test/figures/**/*.test.ts",
        ],
      },
    ],
  },
  // The ClickHouse cluster's engine does not belong to it. Only types: engine.
  rollup: {
    floor: 90,
    parts: [
      ...own("sources", "call-filter", "session-spend", "spend-campaigns"),
      { files: ["src/sources/sql-text.ts"], tests: ["test/sources/session-lists.test.ts"] },
      { files: ["src/sources/sqlite/read-effects.ts"], tests: ["test/sources/effects.test.ts"] },
      {
        files: ["src/sources/sqlite/sqlite-{callers-sql,conversions-sql,engine}.ts"],
        tests: ["test/sources/session-lists.test.ts"],
      },
      {
        files: ["src/sources/{figure-session,session}.ts"],
        tests: ["test/sources/{effects,session-lists,session-spend}.test.ts"],
      },
      {
        files: ["src/sources/sqlite/{call-columns,sqlite-calls-sql}.ts"],
        tests: ["test/sources/{account-rollups,session-lists}.test.ts"],
      },
    ],
  },
  sync: {
    floor: 90,
    parts: [
      ...own("sync", "check-file", "claim-warehouse", "latest", "order-members", "plan"),
      ...own("sync", "service-clock", "sync-options", "ledger", "read-calls"),
      {
        files: ["src/sync/{finish,judge-reading}.ts"],
        tests: ["test/sync/finish.test.ts"],
      },
      {
        files: ["src/sync/{store,undocumented-store}.ts"],
        tests: ["test/sync/store.test.ts"],
      },
      ...own("operate/forget", "prune-now"),
      {
        files: ["src/sync/sync-warehouse.ts"],
        tests: ["test/sync/{finish,ledger}.test.ts"],
      },
      // The tests with its name sync whole services: they take ten times as long.
      {
        files: ["src/sync/fetch.ts"],
        tests: ["test/sync/source.test.ts"],
      },
      {
        files: ["src/sync/{prepare-warehouse,run}.ts"],
        tests: ["test/sync/{rate-limit,run}.test.ts"],
      },
    ],
  },
  // Left out: the definition of jobs, which has only types.
  schedule: {
    floor: 90,
    parts: [
      ...own("schedule", "child-queue", "doorbell/doorbell-page", "health"),
      ...own("schedule", "heartbeat", "job-journal", "job-outcome", "job-log"),
      ...own("schedule", "monitor"),
      {
        files: ["src/schedule/schedule-metrics.ts"],
        tests: ["test/schedule/{prometheus-format,schedule-metrics}.test.ts"],
      },
      // The effect of a ring is only visible on the schedule.
      {
        files: ["src/schedule/{doorbell/bell,keep-schedule}.ts"],
        tests: ["test/schedule/{doorbell/bell,keep-schedule}.test.ts"],
      },
      // The other tests of slots take minutes for as many mutants as there are.
      { files: ["src/schedule/cron.ts"], tests: ["test/schedule/cron-edges.test.ts"] },
      {
        files: ["src/schedule/job-state.ts"],
        tests: ["test/schedule/job-state.test.ts"],
      },
      {
        files: ["src/schedule/{plan-jobs,warehouse-snapshot}.ts"],
        tests: ["test/schedule/plan-jobs.test.ts"],
      },
    ],
  },
  // Separate, since each of these tests starts processes: a mutant takes many seconds.
  "schedule-processes": {
    parts: [
      ...own("schedule", "child-process"),
      {
        files: ["src/schedule/{daemon,daemon/*}.ts"],
        tests: ["test/schedule/{daemon,daemon-lines,rung-daemon}.test.ts"],
      },
    ],
  },
  conversions: {
    floor: 90,
    parts: [
      ...own("features/conversions", "conversion-kinds", "uploaded-orders"),
      {
        files: ["src/features/conversions/adjustments.ts"],
        tests: ["test/features/conversions/{take-back,uploads-remembered}.test.ts"],
      },
      {
        files: ["src/features/conversions/conversions.ts"],
        tests: ["test/features/conversions/{conversions,take-back,uploads-remembered}.test.ts"],
      },
    ],
  },
  restatements: {
    floor: 90,
    parts: [
      ...own("features/restatements", "restatement-file", "restatement-table"),
      ...own("features/restatements", "restatement-words"),
      ...own("warehouse/calls", "drift"),
    ],
  },
  facts: {
    floor: 90,
    parts: [
      ...own("warehouse/calls", "fact-log", "gone"),
      ...own("warehouse/attribution", "apply-rules"),
      {
        files: ["src/warehouse/attribution/attribute-all.ts"],
        tests: ["test/warehouse/attribution/apply-rules.test.ts"],
      },
      {
        files: ["src/warehouse/calls/call-facts.ts"],
        tests: ["test/warehouse/{attribution/apply-rules,calls/call-facts,calls/fact-log}.test.ts"],
      },
    ],
  },
  callers: {
    floor: 80,
    parts: [
      ...own("warehouse/calls", "caller-hash", "caller-key", "callers", "rename-callers"),
      {
        files: ["src/warehouse/calls/caller-table.ts"],
        tests: ["test/warehouse/calls/{call-facts,callers,fact-log}.test.ts"],
      },
    ],
  },
  lock: {
    floor: 90,
    parts: [
      ...own("warehouse/file", "lock"),
      ...own("operate/backup", "copy", "restore", "write-backup"),
      {
        files: ["src/operate/backup/carry-over.ts"],
        tests: ["test/operate/backup/{carry-forgotten,restored-key}.test.ts"],
      },
    ],
  },
  erasure: {
    floor: 80,
    parts: [...own("warehouse", "erase"), ...own("sync", "prune")],
  },
  privacy: {
    floor: 90,
    parts: [
      ...own("calls/privacy", "keep-settings", "pseudonym", "withhold"),
      ...own("warehouse/calls", "forgotten-callers", "call-guard"),
      {
        files: ["src/operate/forget/{forget-callers,mask-texts,strip-calls}.ts"],
        tests: ["test/operate/forget/forget-callers.test.ts", "test/warehouse/personal-columns.test.ts"],
      },
    ],
  },
};
