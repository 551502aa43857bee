import { Draft } from "../../base/draft.ts";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { readHead } from "../../base/folder.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { toDelimited } from "../../export/formats/delimited.ts";
import type { FileKind } from "../../warehouse/file/output-file.ts";
import type { RejectedJob } from "./rejected-jobs.ts";

const COLUMNS = [
  { name: "file", type: "text" },
  { name: "line", type: "integer" },
  { name: "job_id", type: "text" },
  { name: "kind", type: "text" },
  { name: "reason", type: "text" },
] as const;

/** A list of lines that were not imported. */
export const REJECTED_FILE: FileKind = {
  name: "the lines without a call",
  isOne: (file) => readHead(file).split("\r\n")[0] === `${COLUMNS.map(({ name }) => name).join()}`,
};

/** Writes the lines that were not imported, without their phone numbers: the line says where they are. */
export function writeRejected(path: string, rejected: readonly RejectedJob[]): void {
  const rows = rejected.map(({ file, line, job_id, kind, reason }) => [file, line, job_id, kind, reason]);
  const content = [...toDelimited({ columns: COLUMNS, rows }, { delimiter: "," })].join("");
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
