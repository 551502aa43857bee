import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DateRange } from "../../base/calendar/dates.ts";
import { UsageError } from "../../base/errors.ts";
import { hashFile, isFile } from "../../base/folder.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { type DescribedOrigin, originInWords } from "../../warehouse/origin.ts";
import { type DescribedFilter, encodeManifest } from "../manifest.ts";
import { type Commit, FileSet } from "./file-set.ts";
import type { Output, WrittenManifest } from "./output.ts";
import { type KnownManifest, MANIFEST, readManifest, tryReadManifest } from "./read-manifest.ts";

export const FOLDER_CAN = { manyFiles: true, remembers: true };

/** In place of the id of a warehouse. */
export const SEVERAL_ACCOUNTS = "several accounts";

/** Hive's name for the partition of unknown months; also written if there are no calls, so that a reader finds columns. */
export const UNKNOWN_MONTH = "__HIVE_DEFAULT_PARTITION__";

/** Parquet files of calls; the next export replaces all of them. */
const PARTITIONS = "calls/month=*/calls.parquet";

/** Figures in the files next to it that changed after they were exported. */
export const RESTATEMENT_FILE = "restatements.csv";

const OURS = /^\ufeff?file([,;|\t])contents\1period\1key\1metric\1was\1now\1/;

/** Files appear together, `manifest.json` last; `replace` allows replacing those of another warehouse or of other months. */
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
        // Renamed first: after a kill halfway, the manifest says `unfinished` instead of listing missing files.
        await files.write(MANIFEST, [`${JSON.stringify({ origin, unfinished: true, files: [] })}\n`]);
      } catch (error) {
        await files[Symbol.asyncDispose]();
        throw error;
      }
      return {
        write: (file, content, audience) => files.write(file, content, audience),
        commit: async (manifest, recordOf) => {
          const { sha256 } = await files.write(MANIFEST, [encodeManifest(manifest)]);
          const commit = recordOf(files, sha256);
          const isPartitioned = manifest.files.some(({ file }) => file.startsWith("calls/"));
          await files.publish({
            replace: isPartitioned ? PARTITIONS : undefined,
            claim: () => {
              if (isPartitioned && !replace) assertCovered(folder, manifest);
              if (!replace) assertOwnFiles(folder, manifest, commit);
              return claim();
            },
            commit,
            signal,
          });
        },
        [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
      };
    },
  };
}

/** @throws UsageError for months of calls outside the range, or of another filter, which would be removed */
function assertCovered(folder: string, { range = {}, filter }: WrittenManifest): void {
  const lost = findLost(folder, range) ?? (filter && findFiltered(folder, filter));
  if (lost === undefined) return;
  throw new UsageError(`Cannot export to ${folder}: that would remove ${lost}`, {
    hint: ({ out, replace }) =>
      `Export those, too, or into another folder ${out}${replace === undefined ? "" : `; ${replace} removes them`}.`,
  });
}

/** A folder without a manifest may have files of others. @throws UsageError for a file that no export has written */
function assertOwnFiles(folder: string, { files }: WrittenManifest, commit: Commit | undefined): void {
  if (isFile(join(folder, MANIFEST))) return;
  const other = files.find(({ file }) => isFile(join(folder, file)) && !commit?.isKnown(file));
  if (other === undefined) return;
  throw new UsageError(`Cannot export to ${folder}: calltally did not write its ${other.file}`, {
    hint: ({ out, replace }) =>
      `It was not changed. Use another folder ${out}${replace === undefined ? "" : `, or replace the file with ${replace}`}.`,
  });
}

function findLost(folder: string, { from = "", to = "~" }: DateRange): string | undefined {
  const months = globSync(PARTITIONS, { cwd: folder }).flatMap(
    (file) => /month=([\w-]+)/.exec(file)?.[1] ?? [],
  );
  const known = months.filter((month) => month !== UNKNOWN_MONTH);
  const others = known.filter((month) => month < from.slice(0, 7) || month > to.slice(0, 7)).sort();
  const [first] = others;
  if (first !== undefined) {
    const which =
      others.length === 1
        ? first
        : `${formatQuantity(others.length, "month")} from ${first} to ${others.at(-1)}`;
    return `the calls of ${which}, which these days do not include`;
  }
  // Without other months, it may be the file of no calls.
  const isUnknownLost = (from !== "" || to !== "~") && known.length > 0 && months.length > known.length;
  return isUnknownLost ? "the calls whose start is unknown, which no days include" : undefined;
}

/** A filter that is as before, or none, leaves out nothing that is there. */
function findFiltered(folder: string, filter: DescribedFilter): string | undefined {
  const inWords = ({ excluded_callers_without_calls: _, ...rest }: Readonly<Record<string, unknown>>) =>
    JSON.stringify(rest);
  const { gone_calls: _, ...narrowing } = filter;
  const before = tryReadManifest(folder)?.filter;
  const isNarrower = before !== undefined && Object.keys(narrowing).length > 0;
  return isNarrower && inWords(before) !== inWords(filter)
    ? "calls that this filter leaves out, and the one before did not"
    : undefined;
}

/**
 * Refuses a folder with the export of another warehouse.
 * @param isReplaced whether `--replace` allows deleting those files
 * @returns the other warehouse's files to delete: those of its last export that are unchanged
 * @throws UsageError that names both
 */
function claimFolder(folder: string, origin: DescribedOrigin, isReplaced: boolean): string[] {
  const manifest = isReplaced ? tryReadManifest(folder) : readManifest(folder);
  if (manifest === undefined || manifest.origin.warehouse_id === origin.warehouse_id) return [];
  const isUnchanged = ({ file, sha256 }: KnownManifest["files"][number]) =>
    hashFile(join(folder, file)) === sha256;
  if (isReplaced) return manifest.files.filter(isUnchanged).map(({ file }) => file);
  const isOfSeveral = ({ warehouse_id }: { warehouse_id: string }) => warehouse_id === SEVERAL_ACCOUNTS;
  const held = isOfSeveral(manifest.origin)
    ? SEVERAL_ACCOUNTS
    : `another warehouse, ${describe(manifest.origin)}`;
  const present = isOfSeveral(origin)
    ? "the new ones are of several accounts"
    : `this warehouse is ${describe(origin)}`;
  throw new UsageError(`Cannot export to ${folder}: it holds the files of ${held}; ${present}`, {
    hint: ({ out, replace }) =>
      `Give each warehouse a folder of its own ${out}${replace === undefined ? "" : `, or replace those files with ${replace}`}.`,
  });
}

/** Two warehouses may be copies of one service. */
function describe(origin: Pick<DescribedOrigin, "base_url" | "made_by_demo" | "warehouse_id">): string {
  return `${originInWords(origin)} (${origin.warehouse_id.slice(0, 8)})`;
}

/** Returns the restatements file of an earlier export in this folder, which does not apply to the next. */
export function findRestatementFile(folder: string): string[] {
  const path = join(folder, RESTATEMENT_FILE);
  return isFile(path) && OURS.test(readFileSync(path, "utf8")) ? [RESTATEMENT_FILE] : [];
}
