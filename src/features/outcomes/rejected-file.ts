import { Draft } from "../../base/draft.ts";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { toPrintable } from "../../base/printable.ts";
import { toDelimited } from "../../export/formats/delimited.ts";
import type { RejectedJob } from "./rejected-jobs.ts";

/** Writes the lines that were not imported, without their phone numbers: the line says where they are. */
export function writeRejected(path: string, rejected: readonly RejectedJob[]): void {
  const columns = [
    { name: "file", type: "text" },
    { name: "line", type: "integer" },
    { name: "job_id", type: "text" },
    { name: "kind", type: "text" },
    { name: "reason", type: "text" },
  ] as const;
  const rows = rejected.map(({ file, line, job_id, kind, reason }) => [file, line, job_id, kind, reason]);
  const content = [...toDelimited({ columns, rows }, { delimiter: "," })].join("");
  try {
    using draft = new Draft(path);
    draft.write(content, 0o600);
    draft.replace();
  } catch (error) {
    throw new UsageError(`Imported, but cannot write ${toPrintable(path)}: ${reasonOf(error)}`, {
      hint: adviseOn(error),
    });
  }
}
