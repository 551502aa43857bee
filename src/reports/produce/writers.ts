import type { UPLOADS } from "../../config/request/conversion-kinds.ts";
import type { ContentKind, HYGIENE } from "../../config/request/option-values.ts";
import type { ExportJob } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { ContentOf, ContentWriters, ExportStep } from "../../export/step.ts";

/** Contents that features write. */
type OfFeatures = "explore" | typeof HYGIENE | (typeof UPLOADS)[number];

const CORE: Required<Omit<ContentWriters, OfFeatures>> = {
  rollup: async (job, content) => (await import("../../export/rollups.ts")).writeRollup(job, content),
  calls: async (job) => (await import("../../export/export-calls.ts")).writeCalls(job),
  callers: async (job) => (await import("../../export/export-callers.ts")).writeCallers(job),
  callbacks: async (job) => (await import("../../export/export-callbacks.ts")).writeCallbacks(job),
  page: async (job) => {
    const { writePage } = await import("../page/write-page.ts");
    return await writePage(
      job.print === undefined ? job : (await import("./printed-page.ts")).toPrinted(job, job.print),
    );
  },
};

export async function writeContent<Kind extends ContentKind>(
  job: ExportJob,
  content: ContentOf<Kind> & { kind: Kind },
  steps: readonly ExportStep[],
): Promise<ManifestFile[]> {
  const writers: (ContentWriters | undefined)[] = [CORE, ...steps.map(({ contents }) => contents)];
  for (const contents of writers) {
    const write = contents?.[content.kind];
    if (write !== undefined) return await write(job, content);
  }
  throw new Error(`Nothing writes ${content.kind}`);
}
