import { relative } from "node:path";
import { formatQuantity } from "../../base/quantity-text.ts";
import type { TakenBack, UploadFile } from "../../conversions/take-back.ts";
import { layOutTable } from "./query-table.ts";

export function layOutFiles(files: readonly UploadFile[], folder: string): string {
  return layOutTable(
    ["number", "written_at", "contents", "rows", "state", "file"],
    files.map((file) => [
      file.upload_file_id,
      file.written_at,
      file.contents,
      file.rows,
      file.state,
      relative(folder, file.path) || file.path,
    ]),
  );
}

/** Returns what was taken back, and where else it may be. */
export function describeTakenBack({ files, lines, mayBeIn }: TakenBack): string {
  const isAdjustments = files[0]?.contents === "google-ads-adjustments";
  const taken = `${formatQuantity(lines, isAdjustments ? "adjustment" : "conversion")} taken back: the next ${isAdjustments ? "file of adjustments" : "file with --new"} has ${lines === 1 ? "it" : "them"} again where ${lines === 1 ? "it still is" : "they still are"} due`;
  if (mayBeIn.length === 0) return taken;
  return `${taken}
${mayBeIn.length === 1 ? "File" : "Files"} ${mayBeIn.join(", ")} may have the same: what of that was uploaded, the next file tells of a second time.`;
}
