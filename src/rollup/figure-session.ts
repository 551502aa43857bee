import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { toPhoneDigits } from "../attribution/call-text.ts";
import { toDuration } from "../attribution/compiled-rules.ts";
import { hasHistory } from "../calendar/history.ts";
import {
  type CallFilter,
  findUnmatched,
  type Span,
  toConditions,
  type UnmatchedValue,
} from "./call-filter.ts";
import { type DurationBand, durationBounds } from "./duration-bands.ts";
import type { CallSelection, Engine, FactValue } from "./engine.ts";
import type { IS_OTHER } from "./own-words.ts";
import { type RollupColumn, type RollupQuery, rollupColumns, type ZoneOffset } from "./rollup-query.ts";
import { keyCountText, type RollupContext, rollupText, smallCellCountText } from "./rollup-sql.ts";
import { SessionSpend } from "./session-spend.ts";
import { blankSmallRows } from "./small-cells.ts";
import type { SqlText } from "./sql-text.ts";

export type Value = FactValue;
/** Values in the order of the columns; null where there is none. */
export type Row = Value[];

export interface FigureSessionOptions {
  /** The rules by which the facts were computed. */
  rules: AttributionRules;
  /** Which calls count. @default those that the service still shows */
  filter?: CallFilter | undefined;
  /** Returns what the facts know a caller by, given the digits and the plus sign of the number. @default those */
  nameCaller?: ((phoneDigits: string) => string) | undefined;
}

/** Answers questions of figures, all at one moment of what an engine holds. */
export class FigureSession {
  readonly rules: AttributionRules;
  protected readonly database: Database;
  protected readonly filter: CallFilter;
  protected readonly selection: CallSelection;
  protected readonly nameCaller: (phoneDigits: string) => string;
  readonly #engine: Engine;
  #spend: SessionSpend | undefined;
  #tables = 0;
  #firstStart: { of: string | null } | undefined;

  /** @param database a connection that the engine's SELECTs are for, and that nobody else uses meanwhile */
  constructor(
    database: Database,
    engine: Engine,
    { rules, filter = {}, nameCaller = (digits) => digits }: FigureSessionOptions,
  ) {
    this.database = database;
    this.#engine = engine;
    this.rules = rules;
    this.filter = filter;
    this.nameCaller = nameCaller;
    this.selection = this.selectionOf(filter);
  }

  /**
   * Takes what ads cost into account, from now on: rollups can have its columns, and what is asked of days reaches over
   * its own. Its sources, channels and campaigns are those of the calls in the session's rules; the filter's conditions on
   * these hold for it as well, and others choose calls alone.
   *
   * @param zone whose days those of the reports are taken for
   */
  loadSpend(zone: string): SessionSpend {
    this.#spend ??= new SessionSpend(this.database, {
      rules: this.rules,
      filter: this.filter,
      zone,
      campaigns: this.#engine.loadCampaigns(),
      makeTable: (columns) => this.makeTable(columns),
    });
    return this.#spend;
  }

  /**
   * Answers a rollup: its columns, and its rows, which are read as they are asked for. Figures of first-time callers have no
   * change where the stretch compared with began without {@link hasHistory}.
   *
   * @param onOther receives each row `(other)` before it is passed on
   */
  rollup(query: RollupQuery, onOther?: (row: Row) => void): { columns: RollupColumn[]; rows: Iterable<Row> } {
    const { minCell, previous } = query;
    const hasHistoryBefore =
      previous === undefined || hasHistory(previous.span.startsAt, this.readFirstStart());
    const columns = rollupColumns(query, this.rules);
    const rows = this.iterate(rollupText(query, { ...this.#context(), hasHistoryBefore }));
    const shown = minCell === undefined ? rows : blankSmallRows(rows, columns, minCell);
    return { columns, rows: dropHidden(shown, columns.length, onOther) };
  }

  /**
   * Answers a rollup's line of totals: one row of all its calls, in which each caller counts once. It has no figures where
   * one of the periods has too few calls: the other rows, taken from the total, would show them.
   */
  total(query: RollupQuery): ReturnType<FigureSession["rollup"]> {
    const { dimensions, figures, span, spend, periods, previous, minCell } = query;
    const before = previous && { span: previous.span };
    const { columns, rows } = this.rollup({
      dimensions: [],
      totalOf: dimensions,
      figures,
      span,
      spend,
      minCell,
      previous: before,
    });
    if (minCell === undefined || periods === undefined) return { columns, rows };
    const ofPeriods = { dimensions: [], figures: [], span, periods, minCell };
    const counts = this.rollup({ ...ofPeriods, previous: previous?.periods && previous }).rows;
    const isBlank = Iterator.from(counts).some(([_, calls]) => calls === null);
    return { columns, rows: isBlank ? Iterator.from(rows).map((row) => row.map(() => null)) : rows };
  }

  /** Counts calls by their duration, shortest first, without gaps; those without a duration last, where there are any. */
  durationBands(span: Span = {}): DurationBand[] {
    const bounds = durationBounds(this.rules);
    const stored = bounds.map((seconds) => toDuration(seconds, this.rules));
    const counts = new Map(
      Iterator.from(this.#engine.readBands(stored, span, this.selection)).map(
        ([band = null, calls, answered, missed]) => [
          band,
          { calls: Number(calls), answered_calls: Number(answered), missed_calls: Number(missed) },
        ],
      ),
    );
    const none = { calls: 0, answered_calls: 0, missed_calls: 0 };
    const bands = bounds.map((from_seconds, index) => ({
      from_seconds,
      to_seconds: bounds[index + 1] ?? null,
      ...(counts.get(index + 1) ?? none),
    }));
    const below = counts.get(0);
    const unknown = counts.get(null);
    return [
      ...(below ? [{ from_seconds: null, to_seconds: 0, ...below }] : []),
      ...bands,
      ...(unknown ? [{ from_seconds: null, to_seconds: null, ...unknown }] : []),
    ];
  }

  /** Counts the keys that a rollup shows, whatever their periods, and those that it puts together as `(other)`. */
  countKeys(query: RollupQuery): { shown: number; folded: number } {
    const [all, withValue] = this.first(keyCountText(query, this.#context())).map(Number);
    const folded = Math.max(0, (withValue ?? 0) - (query.top ?? Number.POSITIVE_INFINITY));
    return { shown: (all ?? 0) - folded + (folded > 0 ? 1 : 0), folded };
  }

  /** Counts the rows that a rollup puts together as `(other)`, since they or those beside them have fewer calls. */
  countSmallCells(query: RollupQuery & { minCell: number }): number {
    const [count] = this.first(smallCellCountText(query, query.minCell, this.#context()));
    return Number(count);
  }

  /** Returns a zone's offsets under which there are any calls, each from its instant on. */
  readOffsets(zone: string): ZoneOffset[] {
    return this.#engine.readOffsets(zone);
  }

  /** Returns when the first and the last call started that count, or their days of spend, ISO 8601 UTC; undefined without any of known time. */
  readExtent(): { first: string; last: string } | undefined {
    const ofCalls = this.#engine.readExtent(this.selection);
    const ofSpend = this.#spend?.readExtent();
    if (ofCalls === null) return ofSpend;
    const [first, last] = ofCalls;
    if (ofSpend === undefined) return { first, last };
    return {
      first: first < ofSpend.first ? first : ofSpend.first,
      last: last > ofSpend.last ? last : ofSpend.last,
    };
  }

  /** Returns when the first of all calls started, whether it counts or not. */
  readFirstStart(): string | null {
    this.#firstStart ??= { of: this.#engine.readFirstStart() };
    return this.#firstStart.of;
  }

  /** Counts the phone numbers that no call is from; of numbers as {@link CallFilter} has them. */
  countUnknownCallers(numbers: readonly string[]): number {
    return this.#engine.countUnknownCallers(numbers.map((number) => this.nameCaller(toPhoneDigits(number))));
  }

  /** Finds the values in a filter that no call has, and no spend where it counts. */
  findUnmatched(filter: CallFilter): UnmatchedValue[] {
    return findUnmatched(filter, (fact) => [
      ...this.#engine.readValues(fact),
      ...(this.#spend?.readValues(fact) ?? []),
    ]);
  }

  /** Lists the names of campaigns that calls have. */
  readCampaigns(): string[] {
    return this.#engine.readValues("campaign").filter((value) => typeof value === "string");
  }

  /** @param readValues reads the different values of a fact, with which the filter's are compared */
  protected selectionOf(
    filter: CallFilter,
    readValues: (fact: FactColumn) => readonly FactValue[] = (fact) => this.#engine.readKnownValues(fact),
  ): CallSelection {
    const conditions = toConditions(filter, this.rules, { readValues, nameCaller: this.nameCaller });
    return { rules: this.rules, conditions, isGoneCounted: filter.include_gone ?? false };
  }

  protected makeTable(columns: string): string {
    const name = `temp.selection_${++this.#tables}`;
    this.database.exec(`CREATE TABLE ${name} (${columns})`);
    return name;
  }

  protected *iterate({ sql, values }: SqlText): Generator<Row, void, void> {
    yield* this.database.prepare<[SqlText["values"]], Row>(sql).raw().iterate(values);
  }

  protected first({ sql, values }: SqlText): Row {
    return this.database.prepare<[SqlText["values"]], Row>(sql).raw().get(values) ?? [];
  }

  #context(): RollupContext {
    return { ...this.selection, sides: this.#engine, spend: this.#spend };
  }
}

/** Passes rows on without {@link IS_OTHER}, which is their last value where keys may be folded. */
function* dropHidden(
  rows: Iterable<Row>,
  columns: number,
  onOther: (row: Row) => void = () => {},
): Generator<Row> {
  for (const row of rows) {
    const isOther = row.length > columns && row.pop() === 1;
    if (isOther) onOther(row);
    yield row;
  }
}
