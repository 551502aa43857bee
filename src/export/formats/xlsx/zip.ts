import { constants, crc32, deflateRawSync } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { UsageError } from "../../../base/errors.ts";

export interface ZipPart {
  name: string;
  text: Iterable<string>;
}

/** The largest size or offset without ZIP64, which not every reader of workbooks knows. */
const MAX_BYTES = 0xffff_ffff;
const DEFLATED = 8;
/** The earliest possible time, so that the same parts give the same bytes. */
const MTIME = "1980-01-01T00:00:00";

/**
 * Holds one chunk of text at a time. The container is fflate's; zlib deflates three times as fast.
 * @throws UsageError beyond 4 GiB
 */
export function* toZip(parts: Iterable<ZipPart>): Generator<Buffer> {
  const pieces: Buffer[] = [];
  let written = 0;
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    written += piece.length;
    pieces.push(Buffer.from(piece));
  });
  for (const { name, text } of parts) {
    const file: ZipInputFile = { filename: name, mtime: MTIME, compression: DEFLATED, size: 0, crc: 0 };
    zip.add(file);
    for (const chunk of text) {
      const bytes = Buffer.from(chunk);
      file.crc = crc32(bytes, file.crc);
      file.size += bytes.length;
      // Each chunk is deflated separately, up to a byte boundary; together they are one deflate stream.
      file.ondata?.(null, deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }), false);
      assertFits(name, Math.max(written, file.size));
      yield* pieces.splice(0);
    }
    file.ondata?.(null, deflateRawSync(""), true);
  }
  zip.end();
  assertFits("the directory", written);
  yield* pieces;
}

export function assertFits(name: string, bytes: number): void {
  if (bytes <= MAX_BYTES) return;
  throw new UsageError(`Cannot write ${name} of the workbook: it is larger than 4 GiB`, {
    hint: ({ format }) => `Use a shorter range, or ${format} csv or parquet.`,
  });
}
