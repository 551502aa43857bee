import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { UsageError } from "../base/errors.ts";
import { adviseOn, reasonOf } from "../base/file-access.ts";
import { toPrintable } from "../base/text/printable.ts";
import { decodeText } from "./decode-text.ts";

/** Larger files are split, because one is held in memory. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 1024 * 1024;

/**
 * Decodes a file, and reads its text.
 * @param toWhat completes "Cannot … the file"
 * @throws UsageError that names the file
 */
export function readTextFile<Read extends object>(
  path: string,
  read: (text: string) => Read,
  toWhat = "import",
) {
  const name = toPrintable(path);
  try {
    const { text, encoding } = decodeText(readBytes(path, name, toWhat));
    return { file: basename(path), encoding, ...read(text) };
  } catch (error) {
    if (!(error instanceof UsageError) || error.message.startsWith("Cannot ")) throw error;
    const { message, hint } = error;
    throw new UsageError(`Cannot ${toWhat} ${name}: ${message}`, { hint });
  }
}

/** Reads no more than the largest file has: a pipe or a device may never end, and has no size. */
function readBytes(path: string, name: string, toWhat: string): Buffer {
  let bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (;;) {
        const count = readSync(file, bytes, { offset: size });
        size += count;
        if (count === 0 || size > MAX_FILE_BYTES) break;
        if (size === bytes.length)
          bytes = Buffer.concat([bytes], Math.min(4 * bytes.length, MAX_FILE_BYTES + 1));
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UsageError(`Cannot read ${name}: ${reasonOf(error)}`, { hint: adviseOn(error) });
  }
  if (size <= MAX_FILE_BYTES) return bytes.subarray(0, size);
  throw new UsageError(`Cannot ${toWhat} ${name}: it is larger than 64 MiB`, { hint: "Split it by days." });
}
