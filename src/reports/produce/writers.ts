import type { ContentKind } from "../../config/request/option-values.ts";
import type { Job } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { ContentOf, ContentWriters, ExportStep } from "../../export/step.ts";

const CORE: ContentWriters = {
  rollup: async (job, content) => (await import("../../export/rollups.ts")).writeRollup(job, content),
  calls: async (job) => (await import("../../export/export-calls.ts")).writeCalls(job),
  callers: async (job) => (await import("../../export/export-callers.ts")).writeCallers(job),
  callbacks: async (job) => (await import("../../export/export-callbacks.ts")).writeCallbacks(job),
  page: async (job) => (await import("../page/write-page.ts")).writePage(job),
};

export async function writeContent<Kind extends ContentKind>(
  job: Job,
  content: ContentOf<Kind> & { kind: Kind },
  steps: readonly ExportStep[],
): Promise<ManifestFile[]> {
  for (const { contents } of [{ contents: CORE }, ...steps]) {
    const write = contents?.[content.kind];
    if (write !== undefined) return await write(job, content);
  }
  throw new Error(`Nothing writes ${content.kind}`);
}
