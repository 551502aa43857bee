import { UsageError } from "../base/errors.ts";

const MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/** What old spreadsheets write in Western Europe and America. */
export const WINDOWS = "windows-1252";
const NOT_ASCII = /[^\p{ASCII}\ufffd]/u;
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/**
 * Decodes UTF-8 or UTF-16, with or without a byte order mark, and other text as Windows-1252.
 * @throws UsageError for bytes that are not text
 */
export function decodeText(bytes: Uint8Array): { text: string; encoding: string } {
  const mark = MARKS.find(({ bytes: lead }) => lead.every((byte, index) => bytes[index] === byte));
  const encoding = mark?.encoding ?? guessEncoding(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!isBinary(text)) return { text, encoding };
  } catch {
    const text = new TextDecoder(WINDOWS).decode(bytes);
    // With other letters in UTF-8, the file is damaged.
    const isUtf8 = mark !== undefined || NOT_ASCII.test(new TextDecoder().decode(bytes));
    if (encoding === "utf-8" && !isUtf8 && !CONTROL.test(text)) return { text, encoding: WINDOWS };
  }
  throw new UsageError("it is not text in UTF-8, UTF-16 or Windows-1252", {
    hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is not CSV.",
  });
}

/** A report begins with a Latin letter, a digit or a quote: in UTF-16 one of its two bytes is 0. */
function guessEncoding([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (second === 0) return "utf-16le";
  return first === 0 ? "utf-16be" : "utf-8";
}

/** The most NUL characters of a text, as a share: a line with one is left out. */
const MAX_NULS = 0.01;

function isBinary(text: string): boolean {
  if (!text.includes("\0")) return false;
  return text.split("\0").length - 1 > text.length * MAX_NULS;
}
