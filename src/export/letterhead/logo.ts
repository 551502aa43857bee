import { readFileSync, statSync } from "node:fs";
import { describeError, UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { cleanSvg } from "./clean-svg.ts";

export interface Logo {
  type: "image/png" | "image/svg+xml";
  base64: string;
}

/** Each page and mail holds all of it. */
const MAX_BYTES = 256_000;
const MAX_PIXELS = 2000;
const HINT =
  "CALLTALLY_LOGO, or logo in calltally.yaml, names a PNG, or an SVG that loads nothing and has no script.";

/** @throws UsageError that names the file and what is wrong with it */
export function readLogo(file: string): Logo {
  const content = readBounded(file);
  try {
    if (content.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
      assertPng(content);
      return { type: "image/png", base64: content.toString("base64") };
    }
    return { type: "image/svg+xml", base64: Buffer.from(cleanSvg(decode(content))).toString("base64") };
  } catch (error) {
    throw refuse(file, describeError(error));
  }
}

/** Returns what an `img` can show, without loading anything: a script in it would not run. */
export function toDataUrl({ type, base64 }: Logo): string {
  return `data:${type};base64,${base64}`;
}

function readBounded(file: string): Buffer {
  try {
    const { size } = assertFile(file, statSync(file));
    if (size > MAX_BYTES)
      throw refuse(file, `it has ${Math.ceil(size / 1000)} kB; the maximum is ${MAX_BYTES / 1000} kB`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot read the logo ${file}: ${reasonOf(error)}`, { hint: adviseOn(error) });
  }
}

function assertFile<S extends { isFile: () => boolean }>(file: string, stat: S): S {
  if (stat.isFile()) return stat;
  throw refuse(file, "it is not a file");
}

function refuse(file: string, what: string): UsageError {
  return new UsageError(`Cannot use the logo ${file}: ${what}`, { hint: HINT });
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Length, type, width and height of the first chunk (PNG, 11.2.1), and the last chunk, which is always the same. */
const HEADER = { length: 8, type: 12, width: 16, height: 20, end: 33 } as const;
const END = Buffer.from("\x00\x00\x00\x00IEND\xaeB`\x82", "latin1");

function assertPng(content: Buffer): void {
  if (content.length < HEADER.end || content.toString("latin1", HEADER.type, HEADER.width) !== "IHDR")
    throw new Error("it is not a whole PNG");
  if (!content.subarray(-END.length).equals(END)) throw new Error("it is not a whole PNG");
  const [width, height] = [content.readUInt32BE(HEADER.width), content.readUInt32BE(HEADER.height)];
  if (width < 1 || height < 1) throw new Error("it has no pixels");
  if (width > MAX_PIXELS || height > MAX_PIXELS)
    throw new Error(`it has ${width} × ${height} pixels; the maximum is ${MAX_PIXELS} × ${MAX_PIXELS}`);
}

function decode(content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new Error("it is neither a PNG nor an SVG in UTF-8");
  }
}
