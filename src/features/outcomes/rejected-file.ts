import { sideFile } from "../../export/side-file.ts";
import type { RejectedJob } from "./rejected-jobs.ts";

/** A list of lines that were not imported. */
export const REJECTED_FILE = sideFile("the lines without a call", [
  { name: "file", type: "text" },
  { name: "line", type: "integer" },
  { name: "job_id", type: "text" },
  { name: "kind", type: "text" },
  { name: "reason", type: "text" },
]);

/** Writes the lines that were not imported, without their phone numbers: the line says where they are. */
export function writeRejected(path: string, rejected: readonly RejectedJob[]): void {
  const rows = rejected.map(({ file, line, job_id, kind, reason }) => [file, line, job_id, kind, reason]);
  REJECTED_FILE.write(path, rows, "Imported");
}
