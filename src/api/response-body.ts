import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { contractError } from "./api-errors.ts";

const gunzipAsync = promisify(gunzip);

/** Largest body that is read, in bytes after decoding; a page of 1,000 long transcripts has about 20 MB. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Reads a whole body, as UTF-8.
 *
 * @throws ApiError when it is larger than {@link MAX_BODY_BYTES}, cut short, or not UTF-8.
 */
export async function readBody({ body, headers, statusCode }: Dispatcher.ResponseData): Promise<Buffer> {
  const bytes = await decode(
    await readBytes(body),
    String(headers["content-encoding"] ?? "identity").toLowerCase(),
  );
  if (!isUtf8(bytes)) throw contractError("The API response is not UTF-8 text", { status: statusCode });
  return bytes;
}

async function readBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
  }
  return Buffer.concat(chunks, size);
}

async function decode(wire: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === "identity") return wire;
  if (encoding !== "gzip")
    throw contractError(`The API response is encoded as ${encoding}, which was not asked for`);
  try {
    return await gunzipAsync(wire, { maxOutputLength: MAX_BODY_BYTES });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge();
    throw contractError("The API response is a damaged or cut gzip stream", { cause });
  }
}

function tooLarge() {
  return contractError(`The API response is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`, {
    transient: false,
    hint: "Ask for smaller pages with --limit.",
  });
}
