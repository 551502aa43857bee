import { join } from "node:path";
import { realFile } from "../base/folder.ts";
import { deleteExports, hasExported, insertExports, settleExports } from "../warehouse/runs/exports.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { Commit, FileSet } from "./output/file-set.ts";
import { recordedFilter } from "./record-export.ts";

/** An account whose figures are in files of several accounts. */
export interface MergedAccount {
  /** What the manifest says of it. */
  manifest: Pick<Manifest, "run" | "filter" | "range">;
  /** Opens its warehouse; undefined for a cluster, and where this user may only read. */
  openWriter: () => Warehouse | undefined;
}

/** Records files of several accounts in the warehouse of each, one after the other. */
export function commitMerged(
  accounts: readonly MergedAccount[],
  {
    files: { folder, draftOf },
    entries,
    manifestSha256,
    now,
  }: {
    files: Pick<FileSet, "folder" | "draftOf">;
    entries: readonly ManifestFile[];
    manifestSha256: string;
    /** ISO 8601 UTC. */
    now: string;
  },
): Commit {
  const pathOf = (file: string) => join(realFile(folder), file);
  const entered: { account: MergedAccount; exportIds: number[] }[] = [];
  const change = (work: (warehouse: Warehouse, exportIds: number[]) => void) => {
    for (const { account, exportIds } of entered) {
      using warehouse = account.openWriter();
      if (warehouse) work(warehouse, exportIds);
    }
  };
  const undo = () =>
    change((warehouse, exportIds) => {
      const isUnnamed = (_: number, index: number) => draftOf(entries[index]?.file ?? "") !== undefined;
      deleteExports(warehouse, exportIds.filter(isUnnamed));
    });
  const enter = (account: MergedAccount) => {
    using warehouse = account.openWriter();
    if (warehouse === undefined) return;
    const { run, ...described } = account.manifest;
    const records = entries.map(({ file, sha256, rows }) => ({
      ...{ path: pathOf(file), sha256, rows },
      filter: recordedFilter(described),
      run_id: run?.run_id ?? null,
      manifest_sha256: manifestSha256,
    }));
    const exportIds = writeTransaction(warehouse, (tx) => insertExports(tx, records));
    entered.push({ account, exportIds });
  };
  return {
    isKnown: (file) =>
      accounts.some((account) => withReader(account, (reader) => hasExported(reader, pathOf(file)))),
    enter: () => {
      try {
        for (const account of accounts) enter(account);
      } catch (error) {
        undo();
        throw error;
      }
    },
    undo,
    settle: () => change((warehouse, exportIds) => settleExports(warehouse, exportIds, now)),
  };
}

function withReader(account: MergedAccount, read: (reader: Reader) => boolean): boolean {
  using warehouse = account.openWriter();
  return warehouse !== undefined && read(warehouse);
}
