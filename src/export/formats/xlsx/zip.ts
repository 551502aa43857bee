import { constants, crc32, deflateRawSync } from "node:zlib";
import { UsageError } from "../../../base/errors.ts";

/** A file in an archive. Its text is read once, while the archive is written. */
export interface ZipPart {
  /** Its name there, in ASCII. */
  name: string;
  text: Iterable<string>;
}

/** What the archive's directory says of a part. */
interface DirectoryEntry {
  name: string;
  offset: number;
  crc: number;
  compressed: number;
  size: number;
}

/** Largest size or offset without the extension ZIP64, which not every reader of workbooks knows. */
const MAX_BYTES = 0xffff_ffff;
const VERSION = 20;
/** Bit 3: sizes follow the data, since nobody knows them before. */
const FLAGS = 0x0008;
const DEFLATED = 8;
/** 1980-01-01 00:00, the earliest there is: the same parts give the same bytes, whenever they are written. */
const DOS_TIME = 0;
const DOS_DATE = 0x0021;

/**
 * Yields a ZIP archive (APPNOTE.TXT 6.3.3) as it is made, in the memory of one chunk of text at a time. Whoever stops reading ends the
 * reading of the parts.
 *
 * @throws UsageError beyond 4 GiB
 */
export function* toZip(parts: Iterable<ZipPart>): Generator<Buffer> {
  const entries: DirectoryEntry[] = [];
  let offset = 0;
  for (const { name, text } of parts) {
    const entry = { name, offset, crc: 0, compressed: 0, size: 0 };
    const header = localHeader(name);
    yield header;
    for (const piece of deflate(text, entry)) {
      entry.compressed += piece.length;
      yield piece;
    }
    const descriptor = dataDescriptor(entry);
    yield descriptor;
    offset += header.length + entry.compressed + descriptor.length;
    assertFits(name, Math.max(offset, entry.size));
    entries.push(entry);
  }
  const directory = Buffer.concat(entries.map(directoryRecord));
  yield directory;
  yield endOfDirectory(entries.length, directory.length, offset);
}

/** Refuses what the fields of 32 bits cannot say. */
export function assertFits(name: string, bytes: number): void {
  if (bytes <= MAX_BYTES) return;
  throw new UsageError(`Cannot write ${name} of the workbook: it is larger than 4 GiB`, {
    hint: "Use a shorter range, or --format csv or parquet.",
  });
}

/** Yields each chunk deflated on its own, up to a byte's end: one after the other they are one deflated text. */
function* deflate(text: Iterable<string>, entry: DirectoryEntry): Generator<Buffer> {
  for (const chunk of text) {
    const bytes = Buffer.from(chunk);
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    yield deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  }
  yield deflateRawSync("");
}

function localHeader(name: string): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(DEFLATED, 8);
  header.writeUInt16LE(DOS_TIME, 10);
  header.writeUInt16LE(DOS_DATE, 12);
  // Checksum and sizes are zero here, and stand in the descriptor.
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name, "ascii")]);
}

function dataDescriptor({ crc, compressed, size }: DirectoryEntry): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  // What does not fit is refused before anybody could read it.
  descriptor.writeUInt32LE(compressed % (MAX_BYTES + 1), 8);
  descriptor.writeUInt32LE(size % (MAX_BYTES + 1), 12);
  return descriptor;
}

function directoryRecord({ name, offset, crc, compressed, size }: DirectoryEntry): Buffer {
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x0201_4b50, 0);
  record.writeUInt16LE(VERSION, 4);
  record.writeUInt16LE(VERSION, 6);
  record.writeUInt16LE(FLAGS, 8);
  record.writeUInt16LE(DEFLATED, 10);
  record.writeUInt16LE(DOS_TIME, 12);
  record.writeUInt16LE(DOS_DATE, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(compressed, 20);
  record.writeUInt32LE(size, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt32LE(offset, 42);
  return Buffer.concat([record, Buffer.from(name, "ascii")]);
}

function endOfDirectory(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
