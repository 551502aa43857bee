import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { contractError } from "./api-errors.ts";

const gunzipAsync = promisify(gunzip);

/** Bytes after decoding; a page of 1,000 long transcripts has about 20 MB. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The same for an error response, of which only two short members are read. */
export const MAX_ERROR_BYTES = 256 * 1024;

/** RFC 8259 § 8.1 allows a JSON reader to ignore it. */
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Reads a whole body as UTF-8 without its byte order mark.
 * @throws ApiError if it is larger than `maxBytes`, truncated, or not UTF-8
 */
export async function readBody(
  { body, headers, statusCode }: Dispatcher.ResponseData,
  maxBytes = MAX_BODY_BYTES,
): Promise<Buffer> {
  const encoding = String(headers["content-encoding"] ?? "identity").toLowerCase();
  const bytes = await decode(await readBytes(body, maxBytes), encoding, maxBytes);
  if (!isUtf8(bytes)) throw contractError("The API response is not UTF-8 text", { status: statusCode });
  return bytes.subarray(bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0);
}

async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
  }
  return Buffer.concat(chunks, size);
}

async function decode(wire: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (encoding === "identity") return wire;
  if (encoding !== "gzip") {
    // A header may contain anything, even the token.
    const name = /^[a-z-]{1,10}$/.test(encoding) ? `as ${encoding}` : "in an unknown way";
    throw contractError(`The API response is encoded ${name}, which was not requested`);
  }
  try {
    // A gzip stream ends with its decoded size, so it can be read into one buffer.
    const size = wire.length < 4 ? 0 : wire.readUInt32LE(wire.length - 4);
    const chunkSize = Math.max(1024, Math.min(size, maxBytes)) + 1;
    return await gunzipAsync(wire, { maxOutputLength: maxBytes, chunkSize });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge();
    throw contractError("The API response is a damaged or truncated gzip stream", { cause });
  }
}

function tooLarge() {
  return contractError(`The API response is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`, {
    transient: false,
    hint: ({ limit }) => `Ask for smaller pages with ${limit}.`,
  });
}
