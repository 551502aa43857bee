import type { OutputCan, SourceCan } from "../config/request/can.ts";
import { AS_WRITTEN, check } from "../config/request/check.ts";
import type { ExportRequest } from "../config/request/export-request.ts";
import { resolve } from "../config/request/resolve.ts";
import type { Manifest } from "../export/manifest.ts";
import { memoryOutput, type ReadTable } from "../export/output/memory.ts";
import { type ProduceOptions, produce } from "../reports/produce/produce.ts";
import type { Source } from "../reports/produce/source.ts";
import type { ParsedRequest } from "./parse-options.ts";

/**
 * Answers a question, with the manifest of its moment.
 * @throws UsageError for an impossible question
 */
export async function askRollup(
  source: Source,
  { request, timezone }: ParsedRequest,
  options?: ProduceOptions,
): Promise<{ table: ReadTable; manifest: Manifest }> {
  const output = memoryOutput();
  const ask = toAsk(request, source.can, output.can, timezone);
  const { manifest } = await produce(ask, source, output, options);
  const [table] = output.tables;
  if (table === undefined) throw new Error("No table was made");
  return { table, manifest };
}

export function toAsk(request: ExportRequest, source: SourceCan, output: OutputCan, timezone: string) {
  check(request, { source, output }, AS_WRITTEN);
  return resolve(request, { nowMs: Date.now(), timezone });
}
