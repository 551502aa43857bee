import { crc32, deflateSync } from "node:zlib";

/** Returns a grey PNG; the header may claim another size than it has. */
export function makePng({ width = 2, height = 2 }: { width?: number; height?: number } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits of a sample
  const pixels = deflateSync(Buffer.from([0, 99, 99, 0, 99, 99]));
  const chunks = [toChunk("IHDR", header), toChunk("IDAT", pixels), toChunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
