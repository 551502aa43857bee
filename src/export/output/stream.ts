import { createHash } from "node:crypto";
import type { Output } from "./output.ts";

export const STREAM_CAN = { manyFiles: false, remembers: false };

/** Returns the output for the first file, in chunks; others are only counted. */
export function streamOutput(
  writeChunk: (chunk: Buffer) => Promise<void>,
): Output & { readonly hasWritten: boolean } {
  let hasWritten = false;
  return {
    can: STREAM_CAN,
    get hasWritten() {
      return hasWritten;
    },
    open: async () => {
      let files = 0;
      return {
        write: async (file, content) => {
          const isFirst = files++ === 0;
          const sha256 = createHash("sha256");
          let bytes = 0;
          for (const chunk of content) {
            const buffer = Buffer.from(chunk);
            sha256.update(buffer);
            bytes += buffer.length;
            if (!isFirst) continue;
            hasWritten = true;
            await writeChunk(buffer);
          }
          return { file, bytes, sha256: sha256.digest("hex") };
        },
        commit: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}
