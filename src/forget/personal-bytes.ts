import { closeSync, openSync, readSync } from "node:fs";
import { maskNumbers, toNational } from "../attribution/phone-mentions.ts";
import { toFileError } from "../base/file-access.ts";

const HEAD_BYTES = 65_536;
const CHUNK_BYTES = 4_194_304;
/** Overlap of two chunks: longer than any number or hash. */
const OVERLAP_BYTES = 256;

export interface Traces {
  /** As `+` and digits. */
  numbers: readonly string[];
  /** Other texts: numbers as they were written, hashes. */
  texts: readonly string[];
}

/** Whether a file is searchable text: compressed files have a byte 0 in their head. */
export function isTextFile(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return !head.subarray(0, readSync(handle, head)).includes(0);
  } finally {
    closeSync(handle);
  }
}

/** Returns `otherwise` if the file system refuses to read. */
export function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (toFileError(error) === undefined) throw error;
    return otherwise;
  }
}

export function holdsTraces(file: string, { numbers, texts }: Traces): boolean {
  const wanted = new Set(numbers.flatMap((number) => [number, toNational(number) ?? number]));
  const holds = (chunk: string) =>
    texts.some((text) => chunk.includes(text)) ||
    (wanted.size > 0 && maskNumbers(chunk, (number) => wanted.has(number)) !== chunk);
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(OVERLAP_BYTES + CHUNK_BYTES);
    for (let kept = 0; ; ) {
      const read = readSync(handle, buffer, kept, CHUNK_BYTES, null);
      // Invalid UTF-8 only loses the few characters that are cut in two.
      if (holds(buffer.toString("utf8", 0, kept + read))) return true;
      if (read === 0) return false;
      const end = kept + read;
      kept = Math.min(OVERLAP_BYTES, end);
      buffer.copyWithin(0, end - kept, end);
    }
  } finally {
    closeSync(handle);
  }
}
