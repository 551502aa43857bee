import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { UsageError } from "../base/errors.ts";
import { reasonOf } from "../base/file-access.ts";
import { toPrintable } from "../base/printable.ts";
import { MAX_REPORT_BYTES, type ReadReport, readReport } from "./read-report.ts";

export interface ReportFile extends ReadReport {
  file: string;
}

/** @throws UsageError that names the file */
export function readReportFile(path: string, options: Parameters<typeof readReport>[1]): ReportFile {
  const name = toPrintable(path);
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_REPORT_BYTES)
      throw new UsageError(`Cannot import ${name}: it is larger than 64 MiB`, { hint: "Split it by days." });
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`);
  }
  try {
    return { file: basename(path), ...readReport(bytes, options) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot import ${name}: ${message}`, hint === undefined ? {} : { hint });
  }
}
