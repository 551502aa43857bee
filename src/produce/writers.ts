import type { ConversionJob } from "../conversions/upload-ledger.ts";
import type { ManifestFile } from "../export/manifest.ts";
import type { Content, ContentKind } from "../request/contents.ts";

type Writer<C extends Content = Content> = (job: ConversionJob, content: C) => Promise<ManifestFile[]>;
type Writers = {
  [Kind in ContentKind]: () => Promise<Writer<Extract<Content, { kind: Kind }>>>;
};

const conversions = async () => (await import("../conversions/conversions.ts")).writeConversions;

const WRITERS: Writers = {
  rollup: async () => (await import("../export/rollups.ts")).writeRollup,
  calls: async () => (await import("../export/export-calls.ts")).writeCalls,
  callers: async () => (await import("../export/export-callers.ts")).writeCallers,
  page: async () => (await import("../page/write-page.ts")).writePage,
  "google-ads": conversions,
  "google-leads": conversions,
  "google-data-manager": conversions,
  "microsoft-ads": conversions,
  "ga4-events": conversions,
  "google-ads-adjustments": async () => (await import("../conversions/adjustments.ts")).writeAdjustments,
};

export async function writeContent<C extends Content>(
  job: ConversionJob,
  content: C,
): Promise<ManifestFile[]> {
  const load: Writers[keyof Writers] = WRITERS[content.kind];
  const write: (job: ConversionJob, content: never) => Promise<ManifestFile[]> = await load();
  return await write(job, content as never);
}
