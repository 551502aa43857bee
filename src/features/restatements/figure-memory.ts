import { join } from "node:path";
import type { ExportJob, Lists, RememberedFigures, RollupOutlet } from "../../export/job.ts";
import { type ComparedRollup, settledUntil } from "../../export/manifest.ts";
import type { CommittedFiles } from "../../export/step.ts";
import type { Table, Value } from "../../export/table.ts";
import { byWeek } from "../../export/weeks-of-range.ts";
import { readFactState } from "../../warehouse/calls/fact-log.ts";
import { readLastDoneRun } from "../../warehouse/runs/runs.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import { scopeOf } from "./comparable-periods.ts";
import { forgetOthers, type RollupToRemember, rememberRollup } from "./exported-rollups.ts";
import { findRestatements } from "./find-restatements.ts";
import { pruneFactLog } from "./logged-facts.ts";
import { repeatCommand } from "./repeat-command.ts";
import type { Restatement } from "./restatement.ts";
import { insertRestatements } from "./restatement-table.ts";
import { keepRows, MAX_ROWS, type WatchedRollup, watchRollup } from "./watched-rollup.ts";

interface RememberOptions
  extends Pick<ExportJob, "ask" | "timeframe" | "nowMs">,
    Pick<Lists, "reader" | "session" | "onNewKey"> {
  lookbackHours: number;
  /** Absolute path, with links resolved. */
  folder: string;
  /** The warehouse that records the figures; undefined if it is read-only. */
  writer: Warehouse | undefined;
  /** Id of the fact log when the figures were read; undefined if no figure is recorded. */
  log: number | undefined;
}

/** Compares the rollups of an export with what the same files held before, and records them with the export. */
export class FigureMemory implements RememberedFigures {
  readonly #options: RememberOptions;
  readonly #notCompared: string | undefined;
  /** Undefined if nothing is recorded. */
  readonly #until: string | undefined;
  readonly #command: string;
  readonly #state: ReturnType<typeof readFactState>;
  readonly #runId: number;
  readonly #watched: WatchedRollup[] = [];
  readonly #byRollup = new Map<WatchedRollup, readonly Restatement[]>();
  readonly restatements: Restatement[] = [];

  constructor(options: RememberOptions) {
    const { reader, lookbackHours } = options;
    const run = readLastDoneRun(reader);
    const until = settledUntil(run, lookbackHours);
    this.#options = options;
    this.#state = readFactState(reader);
    this.#runId = run?.run_id ?? 0;
    this.#notCompared = whyNotCompared(options);
    this.#until = this.#notCompared === undefined ? until : undefined;
    this.#command = repeatCommand(options.ask);
  }

  get isKept(): boolean {
    return this.#until !== undefined;
  }

  *watch(outlet: RollupOutlet, rows: Table["rows"]): Generator<readonly Value[]> {
    const path = join(this.#options.folder, outlet.file);
    const [notCompared, until] = [this.#notCompared, this.#until];
    const timeframe = outlet.weeks
      ? { ...this.#options.timeframe, grain: "week" as const, periods: outlet.weeks }
      : this.#options.timeframe;
    const scope = until === undefined ? undefined : scopeOf(timeframe, until);
    const watched = watchRollup(outlet, { ...this.#options, timeframe, path, notCompared, scope });
    this.#watched.push(watched);
    yield* keepRows(watched, rows);
  }

  findIn(file: string): readonly Restatement[] {
    return this.#watched.filter((watched) => watched.file === file).flatMap((watched) => this.#find(watched));
  }

  #find(watched: WatchedRollup): readonly Restatement[] {
    const { before, isTooLong } = watched;
    if (before === undefined || isTooLong) return [];
    const { rulesId } = this.#state;
    const restatements =
      this.#byRollup.get(watched) ?? findRestatements(watched, before, { ...this.#options, rulesId });
    this.#byRollup.set(watched, restatements);
    return restatements;
  }

  /** Whether all days of a rollup's weeks are compared in one. */
  #isWhole({ file, contents }: WatchedRollup): boolean {
    return this.#watched.some((whole) => {
      return whole.file === file && byWeek(whole.contents) === contents && whole.comparable.length > 0;
    });
  }

  compare(): { restatements: readonly Restatement[]; rollups: ComparedRollup[] } {
    const rollups = this.#watched.flatMap((watched): ComparedRollup[] => {
      const { file, contents, before, isTooLong } = watched;
      if (watched.weeks && (isTooLong || watched.comparable.length === 0 || this.#isWhole(watched)))
        return [];
      const refusal = isTooLong ? `more than ${MAX_ROWS} rows of complete periods` : watched.refusal;
      if (refusal !== undefined) return [{ file, contents, not_compared: refusal }];
      if (before === undefined) return [];
      const restatements = this.#find(watched);
      this.restatements.push(...restatements);
      return [{ file, contents, exported_at: before.exported_at, restated_cells: restatements.length }];
    });
    return { restatements: this.restatements, rollups };
  }

  /** Records the figures after the files were renamed: no export is compared with one that was killed. */
  settle(tx: Tx, { now }: CommittedFiles): void {
    const { log } = this.#options;
    insertRestatements(tx, this.restatements);
    for (const watched of this.#watched)
      rememberRollup(tx, this.#toRemember(watched), { log, exportedAt: now });
    for (const [path, same] of Map.groupBy(this.#watched, (watched) => watched.path))
      forgetOthers(
        tx,
        path,
        same.map(({ contents }) => contents),
      );
    pruneFactLog(tx, Date.parse(now));
  }

  #toRemember(watched: WatchedRollup): RollupToRemember {
    const { path, contents, question, scope, figures, rows, complete, isOpen, isTooLong } = watched;
    const isRemembered = scope !== undefined && !isTooLong && (complete.size > 0 || isOpen);
    const rollup = isRemembered
      ? {
          ...scope,
          question,
          command: this.#command,
          metrics: JSON.stringify(figures.map(({ name }) => name)),
          change_id: this.#state.changeId,
          rules_id: this.#state.rulesId,
          run_id: this.#runId,
        }
      : undefined;
    return { path, contents, rollup, rows: rows.values().filter(([period]) => complete.has(period)) };
  }
}

function whyNotCompared({ ask, timeframe, writer }: RememberOptions): string | undefined {
  const { raw, top, minCell } = ask;
  if (raw) return "utm values as stored";
  if (top !== undefined || minCell !== undefined) return "keys folded into (other)";
  if (timeframe.filter.include_gone) return "gone calls are counted";
  return writer === undefined ? "the warehouse is read-only here" : undefined;
}
