import { basename, dirname, join } from "node:path";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import type { WrittenFile } from "../../export/output/file-set.ts";
import type { CommittedFiles, ExportPlan, RecordedExport } from "../../export/step.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import {
  findReplacedBy,
  findReplacedUploads,
  idsOf,
  isInPlace,
  openUploadKey,
  readLastUploadFile,
  recoverUploads,
  settleUploads,
  type UploadFile,
  undoUploads,
} from "./upload-files.ts";
import { type EnteredFile, enterUploads, type UploadBatch } from "./upload-table.ts";

export type ShownUpload = Pick<UploadFile, "upload_file_id" | "contents" | "path" | "rows" | "written_at">;

/** What an export reports about the ledger. Empty lists are omitted. */
export interface UploadNotes {
  /** Files written without `--new`, which count as uploaded from now on. */
  counted?: ShownUpload[];
  /** Files that count as uploaded and were overwritten, now or by a killed export. */
  replaced?: ShownUpload[];
  /** Overwritten files of killed exports: they no longer count, and their conversions are due again. */
  rewritten?: ShownUpload[];
  /** Files of killed exports that may have been uploaded: they count. */
  left?: ShownUpload[];
}

export type WrittenUpload = Pick<UploadBatch, "contents" | "rows" | "lines" | "isChosen"> & {
  file: WrittenFile;
};

/**
 * The ledger of uploads for one export. Files are entered with the paths of their drafts before they are renamed, and
 * settled afterwards. After a kill, a file that still has its draft was never renamed. Any other counts and is
 * reported, unless this export overwrites it in place: then its conversions are due again.
 */
export class UploadLedger {
  /** Ids of files of killed exports that this one overwrites: they do not count. */
  readonly rewritten: readonly number[];
  /** The report run whose earlier conversions are to be written again, and no others. */
  readonly repeats: number | undefined;
  readonly #recorded: RecordedExport | undefined;
  readonly #again: readonly UploadFile[];
  /** Those of them that may have been uploaded. */
  readonly #rewritten: readonly UploadFile[];
  readonly #left: readonly UploadFile[];
  readonly #files: WrittenUpload[] = [];
  /** At first what files of killed exports overwrote. */
  #replaced: readonly UploadFile[];
  /** The latest file when conversions were chosen. */
  #after = 0;
  #entered: readonly EnteredFile[] = [];

  constructor({ ask, recorded }: ExportPlan) {
    this.#recorded = recorded;
    const writer = recorded?.warehouse.writer;
    const { runId, isRepeated = false } = recorded?.reportRun ?? {};
    this.repeats = isRepeated ? runId : undefined;
    const paths = ask.contents.map(({ kind }) => this.#pathOf(`${kind}.csv`));
    const recovered = writer ? recoverUploads(writer, isRepeated ? undefined : runId) : [];
    // Nobody received the files of the resumed run, whose export had ended.
    const again = recovered.filter(
      (file) => paths.includes(file.path) && (file.draft === null || isInPlace(file)),
    );
    this.#again = [...new Map(again.map((file) => [file.path, file])).values()];
    this.#rewritten = this.#again.filter((file) => file.draft !== null || !isInPlace(file));
    this.#left = recovered.filter((file) => !this.#again.includes(file));
    const killed = recovered.filter(({ draft }) => draft !== null);
    this.#replaced = writer ? findReplacedBy(writer, killed) : [];
    this.rewritten = idsOf(this.#again);
  }

  #pathOf(file: string): string {
    return join(this.#recorded?.folder ?? "", file);
  }

  chooseAt(reader: Reader): void {
    this.#after = readLastUploadFile(reader);
  }

  /**
   * Registers a file of conversions: it counts as uploaded once it is renamed.
   * @throws CalltallyError (exit 7) if it depends on the ledger, which cannot be written
   */
  add(file: WrittenUpload): void {
    const { warehouse } = this.#recorded ?? {};
    if (warehouse !== undefined && warehouse.writer === undefined && file.isChosen)
      throw unrememberedError(warehouse.path, file.file.file);
    this.#files.push(file);
  }

  /**
   * @throws CalltallyError (exit 6) if another export has entered conversions, or a file of a killed one was moved
   * meanwhile
   */
  enter(tx: Tx, { files, now }: CommittedFiles): void {
    if (this.#files.length === 0) return;
    for (const file of this.#again) {
      if (file.draft === null || isInPlace(file)) continue;
      throw new CalltallyError(EXIT.locked, `Cannot write ${file.path}: it was moved or changed meanwhile`, {
        hint: "Nothing was written. Run this again.",
      });
    }
    const { reportRun, onNewKey } = this.#recorded ?? {};
    const report_run_id = reportRun?.runId ?? null;
    const key = openUploadKey(tx);
    if (key.newKey !== undefined) onNewKey?.(key.newKey);
    const byHand = report_run_id === null ? this.#files.filter(({ isChosen }) => isChosen) : [];
    const paths = byHand.map(({ file }) => this.#pathOf(file.file));
    const inPlace = findReplacedUploads(tx, paths).filter(
      ({ upload_file_id }) => !this.rewritten.includes(upload_file_id),
    );
    this.#replaced = [...inPlace, ...this.#replaced];
    const batches = this.#files.map(({ file: { file, sha256 }, ...batch }): UploadBatch => {
      const path = this.#pathOf(file);
      const atPath = (some: readonly UploadFile[]) => some.find((each) => each.path === path);
      return {
        ...batch,
        path,
        sha256,
        draft: join(dirname(path), basename(files.draftOf(file) ?? path)),
        rewrites: atPath(this.#again)?.upload_file_id ?? null,
        replaced_sha256: atPath(this.#replaced)?.sha256 ?? null,
        report_run_id,
      };
    });
    this.#entered = enterUploads(tx, batches, { after: this.#after, now, key });
  }

  undo(tx: Tx, { files }: CommittedFiles): void {
    const rows = this.#entered.map(({ row }) => row);
    const isUnnamed = ({ path }: UploadFile) => files.draftOf(basename(path)) !== undefined;
    const named = idsOf(rows.filter((row) => !isUnnamed(row)));
    undoUploads(tx, { named, unnamed: idsOf(rows.filter(isUnnamed)) });
  }

  /** Records that all files were renamed. What killed exports left is reported once, and settled with them. */
  settle(tx: Tx): void {
    if (this.#files.length === 0) return;
    settleUploads(tx, idsOf([...this.#entered.map(({ row }) => row), ...this.#left]));
  }

  notes(): UploadNotes {
    if (this.#files.length === 0) return {};
    const counted = this.#entered.flatMap(({ row, entered, isChosen }) =>
      !isChosen && entered > 0 && row.rows > 0 ? row : [],
    );
    const lists = { counted, replaced: this.#replaced, rewritten: this.#rewritten, left: this.#left };
    const shown = Object.entries(lists).map(([name, files]) => [name, files.map(toShown)] as const);
    return Object.fromEntries(shown.filter(([, files]) => files.length > 0));
  }
}

function unrememberedError(database: string, file: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot write ${file}: no write permission on ${database}, where its conversions must be recorded`,
    { hint: "Run this as the owner of the warehouse; without --new, read access is enough." },
  );
}

function toShown({ upload_file_id, contents, path, rows, written_at }: UploadFile): ShownUpload {
  return { upload_file_id, contents, path, rows, written_at };
}
