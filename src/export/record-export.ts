import { join } from "node:path";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import { deleteExports, hasExported, insertExports, settleExports } from "../warehouse/runs/exports.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { listsOf } from "./job.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { Commit } from "./output/file-set.ts";
import type { CommittedFiles, ExportStep } from "./step.ts";

/**
 * Returns the steps that record an export, so that no file ever exists that the record lacks, even if the process is
 * killed.
 */
export function commitOf(
  warehouse: Warehouse,
  steps: readonly ExportStep[],
  committed: CommittedFiles,
): Commit {
  const { folder } = committed.files;
  const entries = entriesOf(committed.manifest);
  const write = (work: (step: ExportStep, tx: Tx) => void) =>
    writeTransaction(warehouse, (tx) => {
      for (const step of steps) work(step, tx);
    });
  return {
    isKnown: (file) => hasExported(warehouse, join(realFile(folder), file)),
    enter: () => {
      try {
        write((step, tx) => step.enter?.(tx, committed));
      } catch (error) {
        throw nameFile(error, warehouse.path);
      }
    },
    undo: () => {
      try {
        write((step, tx) => step.undo?.(tx, committed));
      } catch {
        // The error before this one is reported. The next export cleans up.
      }
    },
    settle: () => {
      try {
        write((step, tx) => step.settle?.(tx, committed));
      } catch (error) {
        const paths = entries.map(({ file }) => join(folder, file));
        throw new CalltallyError(
          EXIT.storage,
          `Cannot record in ${warehouse.path} that the export has ended; its files are in place: ${paths.join(", ")}`,
          {
            cause: nameFile(error, warehouse.path),
            hint: "`calltally doctor` shows what is wrong. Then run the same export again: it replaces these files.",
          },
        );
      }
    },
  };
}

/** Records files of several accounts in the warehouse of each, one after the other. */
export function commitAll(commits: readonly Commit[]): Commit {
  const entered: Commit[] = [];
  const undo = () => {
    for (const commit of entered) commit.undo();
  };
  return {
    isKnown: (file) => commits.some((commit) => commit.isKnown(file)),
    enter: () => {
      try {
        for (const commit of commits) {
          commit.enter();
          entered.push(commit);
        }
      } catch (error) {
        undo();
        throw error;
      }
    },
    undo,
    // The files are in place, so an error in one warehouse leaves none of the others without its record.
    settle: () => {
      const errors = commits.flatMap((commit) => {
        try {
          commit.settle();
          return [];
        } catch (error) {
          return [error];
        }
      });
      for (const error of errors) throw error;
    },
  };
}

/** Enters the files in `exports`. */
export function exportLog(): ExportStep {
  let exportIds: number[] = [];
  /** The last act of forgetting when the calls were read. */
  let forgotten = 0;
  return {
    at: (job) => {
      forgotten = readLastForgotten(listsOf(job).reader);
      return undefined;
    },
    enter: (tx, { files: { folder }, manifest, manifestSha256 }) => {
      if (readLastForgotten(tx) !== forgotten) {
        throw new CalltallyError(EXIT.locked, `Cannot write to ${folder}: callers were forgotten meanwhile`, {
          hint: "Nothing was written. Run this again.",
        });
      }
      exportIds = insertExports(
        tx,
        entriesOf(manifest).map(({ file, sha256, rows, caller_key, sheets = [] }) => ({
          path: join(realFile(folder), file),
          sha256,
          rows,
          filter: recordedFilter(manifest),
          run_id: manifest.run?.run_id ?? null,
          manifest_sha256: manifestSha256,
          caller_key: [caller_key, ...sheets.map((sheet) => sheet.caller_key)].find(Boolean) ?? null,
        })),
      );
    },
    undo: (tx, { files, manifest }) => {
      const entries = entriesOf(manifest);
      const isUnnamed = (_: number, index: number) => files.draftOf(entries[index]?.file ?? "") !== undefined;
      deleteExports(tx, exportIds.filter(isUnnamed));
    },
    settle: (tx, { now }) => settleExports(tx, exportIds, now),
  };
}

export function recordedFilter({ filter, range }: { filter: object; range: object }): string {
  return JSON.stringify({ ...filter, ...range });
}

type FileEntry = Pick<ManifestFile, "file" | "sha256" | "rows" | "caller_key" | "sheets">;

function entriesOf({ files, restatements }: Manifest): FileEntry[] {
  return [...files, ...(restatements?.file ? [restatements.file] : [])];
}
