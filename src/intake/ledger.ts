import { UsageError } from "../base/errors.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";

/** An imported file whose rows later imports may replace. */
export interface ImportedFile {
  number: number;
  imported_at: string;
  file: string;
  source: string;
  /** What is left. */
  rows: number;
  /** The import that took its last row. */
  replaced_by: number | null;
  removed_at: string | null;
}

export interface ImportLedger<Import extends ImportedFile> {
  /** The command that lists it. */
  command: "spend" | "outcome";
  /** Latest first. */
  read: (reader: Reader) => Import[];
  remove: (tx: Tx, removed: Import, removedAt: string) => void;
  /** Whether an earlier import has lost rows to the removed one. */
  hasLost: (earlier: Import, removed: Import) => boolean;
}

/**
 * @returns the import with what was removed, and the earlier ones whose rows it had replaced: these do not come back
 * @throws UsageError if no import has this number, or none of its rows is left
 */
export function removeImport<Import extends ImportedFile>(
  warehouse: Warehouse,
  { command, read, remove, hasLost }: ImportLedger<Import>,
  { number, removedAt }: { number: number; removedAt: string },
): { removed: Import; lost: Import[] } {
  return writeTransaction(warehouse, (tx) => {
    const all = read(tx);
    const removed = all.find((each) => each.number === number);
    const why = whyNotRemovable(removed);
    if (removed === undefined || why !== undefined)
      throw new UsageError(`Cannot remove import ${number}: ${why}`, {
        hint: `calltally ${command} list shows all.`,
      });
    remove(tx, removed, removedAt);
    const lost = all.filter(
      (each) =>
        each.number < number &&
        each.source === removed.source &&
        each.removed_at === null &&
        hasLost(each, removed),
    );
    return { removed, lost };
  });
}

function whyNotRemovable(file: ImportedFile | undefined): string | undefined {
  if (file === undefined) return "there is none of this number";
  if (file.removed_at !== null) return "it was removed before";
  return file.replaced_by === null ? undefined : `import ${file.replaced_by} has replaced all its rows`;
}

export function describeState({ removed_at, replaced_by }: ImportedFile): string {
  if (removed_at !== null) return "removed";
  return replaced_by === null ? "in use" : `replaced by ${replaced_by}`;
}
