import { resolve } from "node:path";
import { encodeManifest } from "../manifest.ts";
import { findRestatementFile } from "./earlier-restatements.ts";
import { FileSet } from "./file-set.ts";
import { claimFolder } from "./folder-owner.ts";
import type { Output } from "./output.ts";
import { MANIFEST } from "./read-manifest.ts";

export const FOLDER_CAN = { manyFiles: true, remembers: true };

/** Where Parquet files of calls lie; the next export replaces all of them. */
const PARTITIONS = "calls/month=*/calls.parquet";

/** Files appear together, `manifest.json` last; `replace` allows replacing those of another warehouse. */
export function folderOutput(
  path: string,
  { replace = false, signal }: { replace?: boolean | undefined; signal?: AbortSignal | undefined } = {},
): Output & { folder: string } {
  return {
    can: FOLDER_CAN,
    folder: resolve(path),
    open: async (origin) => {
      const files = await FileSet.open(path);
      const { folder } = files;
      const claim = () => [...claimFolder(folder, origin, replace), ...findRestatementFile(folder)];
      try {
        claim();
        // Renamed first: after a kill halfway, the manifest says `unfinished` instead of listing files that are gone.
        await files.write(MANIFEST, [`${JSON.stringify({ origin, unfinished: true, files: [] })}\n`]);
      } catch (error) {
        await files[Symbol.asyncDispose]();
        throw error;
      }
      return {
        write: (file, content, audience) => files.write(file, content, audience),
        commit: async (manifest, recordOf) => {
          await files.write(MANIFEST, [encodeManifest(manifest)]);
          const isPartitioned = manifest.files.some(({ file }) => file.startsWith("calls/"));
          await files.publish({
            replace: isPartitioned ? PARTITIONS : undefined,
            claim,
            commit: recordOf(files),
            signal,
          });
        },
        [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
      };
    },
  };
}
