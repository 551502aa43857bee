import { CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { closedRange } from "../calendar/dates.ts";
import { type ConversionLists, type ReportRunOfFiles, UploadLedger } from "../conversions/upload-ledger.ts";
import type { Job, Lists } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import type { FileSet } from "../export/output/file-set.ts";
import { commitOf, exportLog } from "../export/record-export.ts";
import type { Ask } from "../request/resolve.ts";
import { FigureMemory } from "../restatements/figure-memory.ts";
import { beginFactLog } from "../restatements/logged-facts.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export class Recorder {
  readonly #ask: Ask;
  readonly #warehouse: Warehouse;
  readonly #folder: string;
  readonly #reportRun: ReportRunOfFiles | undefined;
  readonly #ledger: UploadLedger;
  #memory: FigureMemory | undefined;
  #log: number | undefined;
  #forgotten = 0;

  /** Finds what killed exports left, before opening the folder removes old drafts. */
  constructor(ask: Ask, warehouse: Warehouse, folder: string, reportRun: ReportRunOfFiles | undefined) {
    this.#ask = ask;
    this.#warehouse = warehouse;
    this.#folder = folder;
    this.#reportRun = reportRun;
    this.#ledger = new UploadLedger(warehouse, folder, ask.contents, reportRun);
  }

  /** Logs later changes, so that changed figures can be explained. */
  begin(): void {
    if (mayBeRemembered(this.#ask, this.#warehouse)) this.#log = beginFactLog(this.#warehouse);
  }

  readAt(reader: Warehouse): void {
    this.#ledger.chooseAt(reader);
    this.#forgotten = readLastForgotten(reader);
  }

  get uploads(): Omit<ConversionLists, keyof Lists> {
    return {
      repeats: this.#reportRun?.isRepeated ? this.#reportRun.runId : undefined,
      rewritten: this.#ledger.rewritten,
      remember: (file) => {
        if (this.#isReadOnly && file.isChosen) throw unrememberedError(this.#warehouse.path, file.file.file);
        this.#ledger.add(file);
      },
    };
  }

  compare(
    job: Pick<Job, "ask" | "timeframe" | "nowMs">,
    lists: Pick<Lists, "reader" | "session" | "onNewKey">,
    lookbackHours: number,
  ): FigureMemory {
    const writer = this.#isReadOnly ? null : this.#warehouse;
    const folder = realFile(this.#folder);
    this.#memory = new FigureMemory({ ...job, ...lists, lookbackHours, folder, writer, log: this.#log });
    return this.#memory;
  }

  commitOf(files: FileSet, manifest: Manifest, now: string) {
    if (this.#isReadOnly) return undefined;
    const steps = [this.#ledger, exportLog(() => this.#forgotten), ...(this.#memory ? [this.#memory] : [])];
    return commitOf(this.#warehouse, steps, { files, manifest, now });
  }

  notes() {
    const uploads = this.#ledger.notes();
    return {
      newKey: this.#ledger.newKey,
      ...(Object.keys(uploads).length > 0 && { uploads }),
      ...(this.#isReadOnly && { unrecorded: true as const }),
    };
  }

  get #isReadOnly(): boolean {
    return this.#warehouse.sqlite.readonly;
  }
}

function unrememberedError(database: string, file: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot write ${file}: no write permission on ${database}, where its conversions must be recorded`,
    { hint: "Let the owner of the warehouse write it; without --new any reader can write conversions." },
  );
}

/** Whether a later export may be compared with these figures: only complete periods are. */
function mayBeRemembered(ask: Ask, { sqlite }: Warehouse): boolean {
  const { contents, grain, range, raw, top, minCell, filter } = ask;
  const isClosed = (grain ?? closedRange(range)) !== undefined;
  const isPlain = !raw && top === undefined && minCell === undefined && !filter.include_gone;
  const isCompared = contents.some(({ kind }) => kind === "rollup" || kind === "page");
  return isClosed && isPlain && !sqlite.readonly && isCompared;
}
