import { UsageError } from "../base/errors.ts";

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
    // What it is not is said below.
  }
  throw new UsageError("it is not text in UTF-8 or UTF-16", {
    hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is no CSV file.",
  });
}

/** A report begins with a Latin letter, a digit or a quote: in UTF-16 one of its two bytes is 0. */
function guessEncoding([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (second === 0) return "utf-16le";
  return first === 0 ? "utf-16be" : "utf-8";
}
