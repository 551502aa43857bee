import { join } from "node:path";
import { CalltallyError, EXIT } from "../errors.ts";
import { rememberRollups } from "../warehouse/exported-rollups.ts";
import { deleteExports, insertExports, settleExports } from "../warehouse/exports.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { insertRestatements } from "../warehouse/restatement-table.ts";
import { withFileNamed } from "../warehouse/sqlite-errors.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Commit, FileSet } from "./file-set.ts";
import type { Compared } from "./given-out.ts";
import type { Manifest } from "./manifest.ts";
import type { UploadLedger } from "./upload-ledger.ts";

export interface RecordedExport {
  files: FileSet;
  manifest: Manifest;
  uploads: UploadLedger;
  /** The latest file of conversions when they were chosen. */
  lastUploadFile: number;
  /** What came of the comparison with earlier files. */
  compared: Compared | undefined;
  /** Number of the log of facts from before the figures were made. */
  log: number | undefined;
  /** ISO 8601 UTC. */
  now: string;
}

/**
 * Records an export in the warehouse, in a transaction before the files get their names and in one after that. Paths and
 * conversions are entered before. Figures are remembered after, so that no export is compared with one that was killed.
 */
export function recordExport(warehouse: Warehouse, recorded: RecordedExport): Commit {
  const { files, manifest, uploads, lastUploadFile, compared, log, now } = recorded;
  const { file: restated } = manifest.restatements ?? {};
  const entries = [...manifest.files, ...(restated ? [restated] : [])];
  const draftOf = (file: string) => files.draftOf(file);
  const write = (work: () => void) => withFileNamed(warehouse.path, () => writeTransaction(warehouse, work));
  let exportIds: number[] = [];
  return {
    enter: () =>
      write(() => {
        uploads.enter(draftOf, { after: lastUploadFile, now });
        exportIds = insertExports(
          warehouse,
          entries.map(({ file, sha256, rows }) => ({
            path: join(files.folder, file),
            sha256,
            rows,
            filter: JSON.stringify({ ...manifest.filter, ...manifest.range }),
            run_id: manifest.run?.run_id ?? null,
          })),
        );
      }),
    undo: () => {
      const unnamed = exportIds.filter((_, index) => draftOf(entries[index]?.file ?? "") !== undefined);
      try {
        write(() => {
          uploads.undo(draftOf);
          deleteExports(warehouse, unnamed);
        });
      } catch {
        // The error before this one is reported. The next export finds the entries.
      }
    },
    settle: () => {
      try {
        write(() => {
          uploads.settle();
          settleExports(warehouse, exportIds, now);
          if (compared === undefined) return;
          insertRestatements(warehouse, compared.restatements);
          rememberRollups(warehouse, compared.remember, { log, exportedAt: now });
        });
      } catch (cause) {
        const paths = entries.map(({ file }) => join(files.folder, file));
        throw new CalltallyError(
          EXIT.storage,
          `Cannot record in ${warehouse.path} that the export has ended; its files are in place: ${paths.join(", ")}`,
          {
            cause,
            hint: "`calltally doctor` says what is wrong. Then run the same export again: it replaces these files.",
          },
        );
      }
    },
  };
}
