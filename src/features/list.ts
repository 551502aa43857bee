import type { Feature } from "./feature.ts";

/** All features, in the order in which they take part. Their code is loaded when it is needed. */
export const FEATURES: readonly Feature[] = [
  {
    name: "conversions",
    startExport: async (plan) => (await import("./conversions/upload-step.ts")).uploadStep(plan),
    explainCall: async (call) => (await import("./conversions/call-note.ts")).readCallNote(call),
    findFilesOf: async (reader, pseudonyms) =>
      (await import("./conversions/upload-table.ts")).findUploadsOf(reader, pseudonyms),
    settleExports: async (warehouse) => {
      const { recoverUploads } = await import("./conversions/upload-files.ts");
      recoverUploads(warehouse);
    },
    needsCallerKey: async (reader) =>
      (await import("./conversions/upload-files.ts")).readUploadKeys(reader).length > 0,
  },
  {
    name: "restatements",
    startExport: async (plan) => (await import("./restatements/remember-figures.ts")).rememberFigures(plan),
    endSync: async (warehouse, run, { clock }) => {
      const { trimFigureMemory } = await import("./restatements/logged-facts.ts");
      trimFigureMemory(warehouse, clock.now());
      return run;
    },
    loadFindings: async () => (await import("./restatements/restatement-table.ts")).findRestatedSince,
    mayBeRestated: async (reader, folder) =>
      (await import("./restatements/exported-rollups.ts")).mayBeRestated(reader, folder),
    triggers: async () => (await import("./restatements/logged-facts.ts")).LOGGED,
  },
  {
    name: "explore",
    startExport: async () => ({
      contents: {
        explore: async (job, content) =>
          (await import("./explore/write-explore.ts")).writeExplore(job, content),
      },
    }),
    readFileBasis: async (text) => (await import("./explore/read-page.ts")).readPageBasis(text),
  },
  {
    name: "hygiene",
    startExport: async () => ({
      sections: {
        tags: async (job) => (await import("./hygiene/tag-section.ts")).readTagSection(job),
      },
      contents: {
        hygiene: async (job) => (await import("./hygiene/write-hygiene.ts")).writeHygiene(job),
      },
    }),
  },
  {
    name: "notices",
    endSync: async (warehouse, run, options) =>
      (await import("./notices/watch-calls.ts")).watchAfterSync(warehouse, run, options),
    loadNotices: async () => (await import("./notices/notice-book.ts")).NOTICE_BOOK,
    loadFindings: async () => (await import("./notices/notice-book.ts")).findNotices,
    triggers: async () => (await import("./notices/watched-days.ts")).COUNTED,
  },
  {
    name: "cluster",
    followSync: {
      member: "publication",
      done: "published",
      run: async (account) =>
        account.settings.publish.isAfterSync && account.settings.publish.to
          ? (await import("./cluster/publish-after-sync.ts")).publishAfterSync(account)
          : undefined,
    },
    readEngine: async (question) => (await import("./cluster/read-engine.ts")).readEngine(question),
  },
];
