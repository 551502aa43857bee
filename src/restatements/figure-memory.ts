import { join } from "node:path";
import type { Job, Lists, RememberedFigures, RollupOutlet } from "../export/job.ts";
import { type ComparedRollup, settledUntil } from "../export/manifest.ts";
import type { CommitStep, CommittedFiles } from "../export/record-export.ts";
import type { Restatement } from "../export/restatement.ts";
import type { Table, Value } from "../export/table.ts";
import { readFactState } from "../warehouse/calls/fact-log.ts";
import { readLastDoneRun } from "../warehouse/runs/runs.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { extentOf, type GivenScope } from "./comparable-periods.ts";
import { findRestatements } from "./find-restatements.ts";
import { hindranceOf, recallRollup } from "./recall-rollup.ts";
import { type RollupToRemember, rememberRollups } from "./remember-rollups.ts";
import { insertRestatements } from "./restatement-table.ts";
import { keepRows, MAX_ROWS, type WatchedRollup, watchRollup } from "./watched-rollup.ts";

interface RememberOptions
  extends Pick<Job, "ask" | "timeframe" | "nowMs">,
    Pick<Lists, "reader" | "session" | "onNewKey"> {
  lookbackHours: number;
  /** Absolute path, with links resolved. */
  folder: string;
  /** The warehouse, to remember the figures in; null if it is read-only here. */
  writer: Warehouse | null;
  /** Number of the log of facts from before the figures were read; undefined if no figure is remembered. */
  log: number | undefined;
}

/** The comparison of an export with what its files held before. */
interface Compared {
  restatements: Restatement[];
  rollups: ComparedRollup[];
}

/** Compares the rollups of an export with those that the same files held before, and remembers them with the export. */
export class FigureMemory implements CommitStep, RememberedFigures {
  readonly #options: RememberOptions;
  /** Why no figure can be compared. */
  readonly #hindrance: string | undefined;
  readonly #given: GivenScope | undefined;
  readonly #state: ReturnType<typeof readFactState>;
  readonly #runId: number;
  readonly #watched: WatchedRollup[] = [];
  readonly #found = new Map<WatchedRollup, readonly Restatement[]>();
  readonly #remembered: RollupToRemember[] = [];
  readonly #restatements: Restatement[] = [];

  constructor(options: RememberOptions) {
    const { reader, timeframe, lookbackHours } = options;
    const run = readLastDoneRun(reader);
    const until = settledUntil(run, lookbackHours);
    this.#options = options;
    this.#state = readFactState(reader);
    this.#runId = run?.run_id ?? 0;
    this.#hindrance = hindranceOf(options);
    this.#given =
      until === undefined || this.#hindrance !== undefined
        ? undefined
        : { range: timeframe.range, extent: extentOf(timeframe), settledUntil: until };
  }

  /** Keeps the rows of complete periods. */
  *watch(outlet: RollupOutlet, rows: Table["rows"]): Generator<readonly Value[]> {
    const path = join(this.#options.folder, outlet.file);
    const recalled = recallRollup(outlet, path, this.#hindrance, this.#options);
    const watched = watchRollup(outlet, recalled, this.#given, this.#options);
    this.#watched.push(watched);
    yield* keepRows(watched, rows);
  }

  find(contents: string): readonly Restatement[] {
    const watched = this.#watched.find((each) => each.contents === contents);
    return watched === undefined ? [] : this.#find(watched);
  }

  #find(watched: WatchedRollup): readonly Restatement[] {
    const { before, isTooLong } = watched;
    if (before === undefined || isTooLong) return [];
    const { rulesId } = this.#state;
    const found =
      this.#found.get(watched) ?? findRestatements(watched, before, { ...this.#options, rulesId });
    this.#found.set(watched, found);
    return found;
  }

  /** Compares the rollups whose rows have been written. */
  compare(): Compared {
    const compared: Compared = { restatements: this.#restatements, rollups: [] };
    for (const watched of this.#watched) {
      const { file, path, contents, before, isTooLong, complete, rows } = watched;
      const refusal = isTooLong ? `more than ${MAX_ROWS} rows of complete periods` : watched.refusal;
      const isRemembered = !isTooLong && (complete.size > 0 || watched.isOpen);
      this.#remembered.push({
        path,
        contents,
        rollup: isRemembered ? this.#toRemember(watched) : undefined,
        rows: Iterator.from(rows.values()).filter(([period]) => complete.has(period)),
      });
      if (refusal !== undefined) {
        compared.rollups.push({ file, contents, not_compared: refusal });
        continue;
      }
      if (before === undefined) continue;
      const found = this.#find(watched);
      compared.restatements.push(...found);
      const given_out_at = before.exported_at;
      compared.rollups.push({ file, contents, given_out_at, restated_cells: found.length });
    }
    return compared;
  }

  /** Remembers the figures, after the files have their names: no export is compared with one that was killed. */
  settle(tx: Tx, { now }: CommittedFiles): void {
    const { log } = this.#options;
    insertRestatements(tx, this.#restatements);
    rememberRollups(tx, this.#remembered, { log, exportedAt: now });
  }

  #toRemember({ question, figures }: WatchedRollup): NonNullable<RollupToRemember["rollup"]> | undefined {
    if (this.#given === undefined) return undefined;
    const { range, extent, settledUntil } = this.#given;
    return {
      question,
      metrics: JSON.stringify(figures.map(({ name }) => name)),
      range_from: range.from ?? null,
      range_to: range.to ?? null,
      first_day: extent?.from ?? null,
      last_day: extent?.to ?? null,
      settled_until: settledUntil,
      change_id: this.#state.changeId,
      rules_id: this.#state.rulesId,
      run_id: this.#runId,
    };
  }
}
