import type { ConversionJob } from "../conversions/upload-ledger.ts";
import type { ManifestFile } from "../export/manifest.ts";
import type { Content, ContentKind } from "../request/contents.ts";

type ContentOf = { [Kind in ContentKind]: Extract<Content, { kind: Kind }> };
type Writers = {
  [Kind in ContentKind]: () => Promise<
    (job: ConversionJob, content: ContentOf[Kind]) => Promise<ManifestFile[]>
  >;
};

const conversions = async () => (await import("../conversions/conversions.ts")).writeConversions;

const WRITERS: Writers = {
  rollup: async () => (await import("../export/rollups.ts")).writeRollup,
  calls: async () => (await import("../export/export-calls.ts")).writeCalls,
  callers: async () => (await import("../export/export-callers.ts")).writeCallers,
  page: async () => (await import("../page/write-page.ts")).writePage,
  explore: async () => (await import("../features/explore/write-explore.ts")).writeExplore,
  "google-ads": conversions,
  "google-leads": conversions,
  "google-data-manager": conversions,
  "microsoft-ads": conversions,
  "ga4-events": conversions,
  "google-ads-adjustments": async () => (await import("../conversions/adjustments.ts")).writeAdjustments,
};

export async function writeContent<Kind extends ContentKind>(
  job: ConversionJob,
  content: ContentOf[Kind] & { kind: Kind },
): Promise<ManifestFile[]> {
  const write = await WRITERS[content.kind]();
  return await write(job, content);
}
