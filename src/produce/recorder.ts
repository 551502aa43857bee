import { CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { closedRange } from "../calendar/dates.ts";
import { type ConversionLists, type LedgerOptions, UploadLedger } from "../conversions/upload-ledger.ts";
import type { Job, Lists } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import type { FileSet } from "../export/output/file-set.ts";
import { commitOf, exportLog } from "../export/record-export.ts";
import type { Ask } from "../request/resolve.ts";
import { FigureMemory } from "../restatements/figure-memory.ts";
import { beginFactLog } from "../restatements/logged-facts.ts";
import type { PermittedWarehouse } from "../warehouse/open.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import type { Reader } from "../warehouse/warehouse.ts";

/** Finds what killed exports left, before opening the folder removes old drafts. */
export function openRecorder(
  ask: Ask,
  { path, writer }: PermittedWarehouse,
  { folder, reportRun, onNewKey }: Omit<LedgerOptions, "contents">,
) {
  const ledger = new UploadLedger(writer, { folder, contents: ask.contents, reportRun, onNewKey });
  const uploads: Omit<ConversionLists, keyof Lists> = {
    repeats: reportRun?.isRepeated ? reportRun.runId : undefined,
    rewritten: ledger.rewritten,
    remember: (file) => {
      if (writer === undefined && file.isChosen) throw unrememberedError(path, file.file.file);
      ledger.add(file);
    },
  };
  let memory: FigureMemory | undefined;
  let log: number | undefined;
  let forgotten = 0;
  return {
    uploads,
    /** Logs later changes, so that changed figures can be explained. */
    begin(): void {
      if (writer && mayBeRemembered(ask)) log = beginFactLog(writer);
    },
    readAt(reader: Reader): void {
      ledger.chooseAt(reader);
      forgotten = readLastForgotten(reader);
    },
    compare(
      job: Pick<Job, "ask" | "timeframe" | "nowMs">,
      lists: Pick<Lists, "reader" | "session" | "onNewKey">,
      lookbackHours: number,
    ): FigureMemory {
      memory = new FigureMemory({ ...job, ...lists, lookbackHours, folder: realFile(folder), writer, log });
      return memory;
    },
    commitOf(files: FileSet, manifest: Manifest, now: string) {
      if (writer === undefined) return undefined;
      const steps = [ledger, exportLog(() => forgotten), ...(memory ? [memory] : [])];
      return commitOf(writer, steps, { files, manifest, now });
    },
    notes() {
      const found = ledger.notes();
      return {
        ...(Object.keys(found).length > 0 && { uploads: found }),
        ...(!writer && { unrecorded: true as const }),
      };
    },
  };
}

function unrememberedError(database: string, file: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot write ${file}: no write permission on ${database}, where its conversions must be recorded`,
    { hint: "Run this as the owner of the warehouse; without --new, read access is enough." },
  );
}

/** Whether a later export may be compared with these figures: only complete periods are. */
function mayBeRemembered(ask: Ask): boolean {
  const { contents, grain, range, raw, top, minCell, filter } = ask;
  const isClosed = (grain ?? closedRange(range)) !== undefined;
  const isPlain = !raw && top === undefined && minCell === undefined && !filter.include_gone;
  const isCompared = contents.some(({ kind }) => kind === "rollup" || kind === "page");
  return isClosed && isPlain && isCompared;
}
