import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { toPhoneDigits } from "../attribution/call-text.ts";
import { toDuration } from "../attribution/compiled-rules.ts";
import { hasHistory, isCovered } from "../calendar/history.ts";
import {
  type CallFilter,
  type ConditionOptions,
  comparedFacts,
  findUnmatched,
  type Span,
  toConditions,
  type UnmatchedValue,
} from "./call-filter.ts";
import { type DurationBand, durationBounds } from "./duration-bands.ts";
import type { CallSelection, Engine, FactValue } from "./engine.ts";
import type { IS_OTHER } from "./reserved-keys.ts";
import { type RollupColumn, type RollupQuery, rollupColumns, type ZoneOffset } from "./rollup-query.ts";
import { keyCountText, type RollupContext, rollupText, smallCellCountText } from "./rollup-sql.ts";
import { SessionSpend } from "./session-spend.ts";
import { blankSmallRows } from "./small-cells.ts";

export type Value = FactValue;
/** In the order of the columns; null for no value. */
export type Row = Value[];

export interface FigureSessionOptions extends Pick<ConditionOptions, "nameCaller"> {
  /** The rules by which the facts were computed. */
  rules: AttributionRules;
  /** Which calls count. @default those that the service lists */
  filter?: CallFilter | undefined;
}

/** The rows are read as they are iterated, even while other questions are asked. */
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

  async #loadSpend(zone: string): Promise<SessionSpend> {
    const { rules, filter = {} } = this.options;
    const imported = await this.engine.readSpend();
    const makeTable = (columns: string) => this.engine.makeTable(columns);
    return new SessionSpend(this.database, { rules, filter, zone, imported, makeTable });
  }

  /**
   * Answers a rollup. Changes are null if the compared span is not {@link isCovered}, those of first-time callers
   * also if it begins without {@link hasHistory}.
   * @param onOther receives each row `(other)` before it is passed on
   */
  async rollup(query: RollupQuery, onOther?: (row: Row) => void): Promise<Rollup> {
    const { minCell, previous } = query;
    const startsAt = previous?.span.startsAt;
    const first = previous && (await this.readFirstStart());
    const known =
      first === undefined
        ? {}
        : {
            isBeforeCovered: isCovered(startsAt, first) && !previous?.isUnreached,
            hasHistoryBefore: hasHistory(startsAt, first),
          };
    const columns = rollupColumns(query, this.rules);
    const rows = this.iterate(await rollupText(query, { ...(await this.#context()), ...known }));
    const shown = minCell === undefined ? rows : blankSmallRows(rows, columns, minCell);
    return { columns, rows: dropHidden(shown, columns.length, onOther) };
  }

  /**
   * Answers a rollup's total: one row of all its calls, in which each caller counts once. It is blank if a period has
   * too few calls, since subtracting the other rows would reveal them.
   */
  async total(query: RollupQuery): Promise<Rollup> {
    const { dimensions, figures, span, spend, isWithSpend, periods, previous, minCell } = query;
    const before = previous && { span: previous.span };
    const { columns, rows } = await this.rollup({
      dimensions: [],
      totalOf: dimensions,
      isWithSpend,
      figures,
      span,
      spend,
      minCell,
      previous: before,
    });
    if (minCell === undefined || periods === undefined) return { columns, rows };
    const ofPeriods = { dimensions: [], figures: [], span, periods, minCell };
    const counts = await this.rollup({ ...ofPeriods, previous: previous?.periods && previous });
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
    const [all, withValue] = this.first(await keyCountText(query, await this.#context())).map(Number);
    const folded = Math.max(0, (withValue ?? 0) - (query.top ?? Number.POSITIVE_INFINITY));
    return { shown: (all ?? 0) - folded + (folded > 0 ? 1 : 0), folded };
  }

  /** Counts the rows folded into `(other)` because they, or their neighbours, have fewer calls. */
  async countSmallCells(query: RollupQuery & { minCell: number }): Promise<number> {
    const [count] = this.first(await smallCellCountText(query, query.minCell, await this.#context()));
    return Number(count);
  }

  readOffsets(zone: string): Promise<ZoneOffset[]> {
    return this.engine.readOffsets(zone);
  }

  /**
   * Returns the start of the first and the last call that counts, or their days of spend, ISO 8601 UTC; undefined if
   * none is known.
   */
  async readExtent(): Promise<{ first: string; last: string } | undefined> {
    const ofCalls = await this.engine.readExtent(this.selection);
    const ofSpend = (await this.#spend)?.readExtent();
    if (ofCalls === null) return ofSpend;
    const [first, last] = ofCalls;
    if (ofSpend === undefined) return { first, last };
    return {
      first: first < ofSpend.first ? first : ofSpend.first,
      last: last > ofSpend.last ? last : ofSpend.last,
    };
  }

  readFirstStart(): Promise<string | null> {
    this.#firstStart ??= this.engine.readFirstStart();
    return this.#firstStart;
  }

  /** Counts the phone numbers (as in {@link CallFilter}) that never called. */
  countUnknownCallers(numbers: readonly string[]): Promise<number> {
    const { nameCaller = (digits: string) => digits } = this.options;
    return this.engine.countUnknownCallers(numbers.map((number) => nameCaller(toPhoneDigits(number))));
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

  async #context(): Promise<RollupContext> {
    return { ...this.selection, engine: this.engine, spend: await this.#spend };
  }
}

/** @param readValues reads the distinct values of a fact, to compare with the filter's */
export function selectionOf(
  { rules, filter = {}, nameCaller }: FigureSessionOptions,
  readValues: (fact: FactColumn) => readonly FactValue[],
): CallSelection {
  const conditions = toConditions(filter, rules, { readValues, nameCaller });
  return { rules, conditions, isGoneCounted: filter.include_gone ?? false };
}

/** Drops {@link IS_OTHER}, the last value of rows whose keys may be folded. */
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
