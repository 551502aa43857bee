import type { Database } from "better-sqlite3";
import type { Span } from "../base/calendar/dates.ts";
import { hasHistory, isCovered } from "../base/calendar/history.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import { toCallerKey } from "../calls/attribution/call-text.ts";
import { toDuration } from "../calls/attribution/compiled-rules.ts";
import type { FactColumn } from "../calls/facts.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { Earnings } from "../figures/amounts/earned.ts";
import { Cells, type Side } from "../figures/cells/cells.ts";
import { countCells, type FoldSource } from "../figures/cells/counted-cells.ts";
import { countKeys, countSmall } from "../figures/cells/kept-cells.ts";
import { blankSmall } from "../figures/cells/small-cells.ts";
import { Dictionary, type FactValue } from "../figures/dictionary.ts";
import { type Dimension, type KeyColumn, keyColumns } from "../figures/dimensions.ts";
import { type DurationBand, durationBounds } from "../figures/duration-bands.ts";
import { type FoldedRow, foldRollup } from "../figures/fold-rollup.ts";
import type { OutcomeForm } from "../figures/metrics.ts";
import type { OTHER } from "../figures/reserved-keys.ts";
import {
  measuresOf,
  type RollupColumn,
  type RollupQuery,
  rollupColumns,
  type ZoneOffset,
} from "../figures/rollup-query.ts";
import { partsNeeded } from "../figures/row-figures.ts";
import {
  type ConditionOptions,
  comparedFacts,
  findUnmatched,
  toConditions,
  type UnmatchedValue,
} from "./call-filter.ts";
import type { CallSelection, Engine, ReadOutcomes } from "./engine.ts";
import { SessionSpend } from "./session-spend.ts";

export type Value = FactValue;
/** In the order of the columns; null for no value. */
export type Row = Value[];

export interface FigureSessionOptions extends Pick<ConditionOptions, "nameCaller"> {
  /** The rules by which the facts were computed. */
  rules: AttributionRules;
  /** Which calls count. @default those that the service lists */
  filter?: CallFilter | undefined;
}

/** The rows are made as they are iterated. */
export interface Rollup {
  columns: RollupColumn[];
  rows: Iterable<Row>;
}

export class FigureSession {
  protected readonly database: Database;
  protected readonly engine: Engine;
  protected readonly options: FigureSessionOptions;
  protected readonly selection: CallSelection;
  #spend: Promise<SessionSpend> | undefined;
  #outcomes: ReadOutcomes | undefined;
  #firstStart: Promise<string | null> | undefined;

  /** @param database the connection that the engine's SELECTs are for */
  constructor(database: Database, engine: Engine, options: FigureSessionOptions, selection: CallSelection) {
    // Rows are read while tables are made for the next question; better-sqlite3 refuses that without unsafe mode.
    this.database = database.unsafeMode();
    this.engine = engine;
    this.options = options;
    this.selection = selection;
  }

  get rules(): AttributionRules {
    return this.options.rules;
  }

  /**
   * Loads spend: from now on rollups can have its columns, and ranges include its days. Its sources, channels and
   * campaigns follow the session's rules; the filter's conditions on these apply to it, all others only to calls.
   * @param zone whose days the reports' days are taken for
   */
  loadSpend(zone: string): Promise<SessionSpend> {
    this.#spend ??= this.#loadSpend(zone);
    return this.#spend;
  }

  /** Loads outcomes: from now on rollups can have their columns. @throws Error if the engine has none */
  loadOutcomes(by: OutcomeForm["by"], zone: string): ReadOutcomes {
    this.#outcomes ??= this.engine.readOutcomes?.(by, zone);
    if (this.#outcomes === undefined) throw new Error("The engine has no outcomes");
    return this.#outcomes;
  }

  /** Returns what calls earned by period and key. @throws Error if outcomes are not loaded */
  async earned(
    keys: readonly KeyColumn[],
    side: Side,
    offsets: readonly ZoneOffset[],
  ): Promise<{ cells: Cells; earned: ReadonlyMap<number, Earnings> }> {
    if (this.#outcomes === undefined) throw new Error("The session has no outcomes");
    const dictionaryOf = (key: KeyColumn) => this.engine.dictionaryOf(key);
    const cells = new Cells(keys, { dictionaryOf, offsets, periods: new Dictionary() });
    return { cells, earned: await this.#outcomes.byCell({ ...side, cells }, this.selection) };
  }

  async #loadSpend(zone: string): Promise<SessionSpend> {
    const { rules, filter = {} } = this.options;
    const imported = await this.engine.readSpend();
    const campaignNames = await this.engine.readCampaignNames();
    const makeTable = (columns: string) => this.engine.makeTable(columns);
    return new SessionSpend(this.database, { rules, filter, zone, imported, campaignNames, makeTable });
  }

  /**
   * Answers a rollup. Changes are null if a compared span is not {@link isCovered}, those of first-time callers
   * also if it begins without {@link hasHistory}.
   * @param onOther receives each row {@link OTHER} before it is passed on
   */
  async rollup(query: RollupQuery, onOther?: (row: Row) => void): Promise<Rollup> {
    const { minCell, compared = [] } = query;
    const first = compared.length > 0 ? await this.readFirstStart() : null;
    const known = compared.map(({ span: { startsAt }, isUnreached }) => ({
      isBeforeCovered: isCovered(startsAt, first) && !isUnreached,
      hasHistoryBefore: hasHistory(startsAt, first),
    }));
    const columns = rollupColumns(query, this.rules);
    const rows = await foldRollup(query, await this.#source(), known);
    const blank = minCell === undefined ? undefined : blankSmall(columns, minCell);
    return { columns, rows: toRows(rows, { blank, onOther }) };
  }

  /** Reads what rollups by these dimensions need with whatever is asked next, so that one scan answers all. */
  expect(dimensions: readonly Dimension[], query: Pick<RollupQuery, "raw" | "figures"> = {}): void {
    const measures = measuresOf({ ...query, dimensions }, this.rules);
    this.engine.expect(keyColumns(dimensions, query), partsNeeded(measures));
  }

  /**
   * Answers a rollup's total: one row of all its calls, in which each caller counts once. It is blank if a period has
   * too few calls, since subtracting the other rows would reveal them.
   */
  async total(query: RollupQuery): Promise<Rollup> {
    const { dimensions, figures, span, spend, outcomes, isWithSpend, periods, minCell } = query;
    const compared = query.compared?.map((side) => ({ ...side, periods: undefined }));
    const { columns, rows } = await this.rollup({
      dimensions: [],
      totalOf: dimensions,
      isWithSpend,
      figures,
      span,
      spend,
      outcomes,
      minCell,
      compared,
    });
    if (minCell === undefined || periods === undefined) return { columns, rows };
    const ofPeriods = { dimensions: [], figures: [], span, periods, minCell };
    const counts = await this.rollup({
      ...ofPeriods,
      compared: query.compared?.filter((side) => side.periods),
    });
    const isBlank = Iterator.from(counts.rows).some(([_, calls]) => calls === null);
    return { columns, rows: isBlank ? Iterator.from(rows).map((row) => row.map(() => null)) : rows };
  }

  /** Counts calls by duration, shortest first, without gaps; calls without a duration come last, if there are any. */
  async durationBands(span: Span = {}): Promise<DurationBand[]> {
    const bounds = durationBounds(this.rules);
    const stored = bounds.map((seconds) => toDuration(seconds, this.rules));
    const rows = await this.engine.readBands(stored, span, this.selection);
    const countsOf = (band: number | null) => {
      const [, calls = 0, answered = 0, missed = 0] = rows.find(([known = null]) => known === band) ?? [];
      return { calls: Number(calls), answered_calls: Number(answered), missed_calls: Number(missed) };
    };
    const bands: DurationBand[] = bounds.map((from_seconds, index) => ({
      from_seconds,
      to_seconds: bounds[index + 1] ?? null,
      ...countsOf(index + 1),
    }));
    const [below, unknown] = [countsOf(0), countsOf(null)];
    if (below.calls > 0) bands.unshift({ from_seconds: null, to_seconds: 0, ...below });
    if (unknown.calls > 0) bands.push({ from_seconds: null, to_seconds: null, ...unknown });
    return bands;
  }

  /** Counts the keys that a rollup shows over all periods, and those folded into `(other)`. */
  async countKeys(query: RollupQuery): Promise<{ shown: number; folded: number }> {
    const compared = query.compared?.map(({ span }) => ({ span }));
    const whole = { ...query, periods: undefined, compared };
    const { all, withValue } = countKeys(await countCells(whole, await this.#source()));
    const folded = Math.max(0, withValue - (query.top ?? Number.POSITIVE_INFINITY));
    return { shown: all - folded + (folded > 0 ? 1 : 0), folded };
  }

  /** Counts the rows folded into `(other)` because they, or their neighbours, have fewer calls. */
  async countSmallCells(query: RollupQuery & { minCell: number }): Promise<number> {
    return countSmall(await countCells(query, await this.#source()), query.minCell);
  }

  readOffsets(zone: string): Promise<ZoneOffset[]> {
    return this.engine.readOffsets(zone);
  }

  /** Returns the first and the last start of what counts: calls, days of spend, days of jobs; undefined if none is known. */
  async readExtent(): Promise<{ first: string; last: string } | undefined> {
    const ofSpend = (await this.#spend)?.readExtent();
    const extents = [
      await this.engine.readExtent(this.selection),
      await this.#outcomes?.readExtent(this.selection),
      ofSpend && [ofSpend.first, ofSpend.last],
    ];
    const starts = extents.flatMap((extent) => extent ?? []).toSorted();
    const [first, last] = [starts[0], starts.at(-1)];
    return first === undefined || last === undefined ? undefined : { first, last };
  }

  readFirstStart(): Promise<string | null> {
    this.#firstStart ??= this.engine.readFirstStart();
    return this.#firstStart;
  }

  /** Counts the phone numbers (as in {@link CallFilter}) that never called. */
  countUnknownCallers(numbers: readonly string[]): Promise<number> {
    const { nameCaller = (digits: string) => digits } = this.options;
    return this.engine.countUnknownCallers(numbers.map((number) => nameCaller(toCallerKey(number))));
  }

  /** Counts the calls that the service no longer lists and that still count; undefined if they are not known. */
  async countMissing(span: Span): Promise<number | undefined> {
    return await this.engine.countMissing?.(span, this.selection);
  }

  /** Finds the values in a filter that neither a call nor, where it counts, spend has. */
  async findUnmatched(filter: CallFilter): Promise<UnmatchedValue[]> {
    const compared = comparedFacts(filter);
    if (compared.length === 0) return [];
    const spend = await this.#spend;
    const values = new Map<FactColumn, FactValue[]>();
    for (const fact of new Set<FactColumn>(["channel", ...compared])) {
      values.set(fact, [...(await this.engine.readValues(fact)), ...(spend?.readValues(fact) ?? [])]);
    }
    return findUnmatched(filter, (fact) => values.get(fact) ?? []);
  }

  async readCampaigns(): Promise<string[]> {
    return (await this.engine.readValues("campaign")).filter((value) => typeof value === "string");
  }

  protected *iterate(sql: string): Generator<Row, void, void> {
    yield* this.database.prepare<[], Row>(sql).raw().iterate();
  }

  protected first(sql: string): Row {
    return this.database.prepare<[], Row>(sql).raw().get() ?? [];
  }

  async #source(): Promise<FoldSource> {
    const spend = await this.#spend;
    const outcomes = this.#outcomes;
    return {
      rules: this.rules,
      dictionaryOf: (key) => this.engine.dictionaryOf(key),
      groups: (question) => this.engine.groups(question, this.selection),
      spend: spend && ((side, cells) => spend.byCell(side, cells)),
      outcomes: outcomes && ((side, cells) => outcomes.byCell({ ...side, cells }, this.selection)),
    };
  }
}

/** @param values what calls have, to compare with the filter's */
export function selectionOf(
  { rules, filter = {}, nameCaller }: FigureSessionOptions,
  values: Pick<ConditionOptions, "readValues" | "campaignNames">,
): CallSelection {
  const conditions = toConditions(filter, rules, { ...values, nameCaller });
  return { rules, conditions, isGoneCounted: filter.include_gone ?? false };
}

function* toRows(
  rows: Iterable<FoldedRow>,
  { blank, onOther }: { blank?: ((row: Row) => Row) | undefined; onOther?: ((row: Row) => void) | undefined },
): Generator<Row> {
  for (const { values, isOther } of rows) {
    const shown = blank?.(values) ?? values;
    if (isOther) onOther?.(shown);
    yield shown;
  }
}
