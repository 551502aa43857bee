import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { UsageError } from "../base/errors.ts";
import { reasonOf } from "../base/file-access.ts";
import { toPrintable } from "../base/printable.ts";
import { type ReadReport, readReport } from "./read-report.ts";

/** Larger files are not reports by day, and would be held in memory. */
export const MAX_REPORT_BYTES = 64 * 1024 * 1024;

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
    return { file: basename(path), ...readReport(decodeReport(bytes), options) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot import ${name}: ${message}`, { hint });
  }
}

const MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/** Decodes UTF-8 or UTF-16, with or without a byte order mark. @throws UsageError for other bytes */
export function decodeReport(bytes: Uint8Array): string {
  const mark = MARKS.find(({ bytes: lead }) => lead.every((byte, index) => bytes[index] === byte));
  const encoding = mark?.encoding ?? guessEncoding(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below.
  }
  throw new UsageError("it is not text in UTF-8 or UTF-16", {
    hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is not CSV.",
  });
}

/** A report begins with a Latin letter, a digit or a quote: in UTF-16 one of its two bytes is 0. */
function guessEncoding([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (second === 0) return "utf-16le";
  return first === 0 ? "utf-16be" : "utf-8";
}
