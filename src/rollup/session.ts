import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { presentId, toCaller, toPhoneDigits } from "../attribution/call-text.ts";
import { toDuration } from "../attribution/compiled-rules.ts";
import { microsoftClickId } from "../attribution/microsoft-click-id.ts";
import { type OffsetSpan, offsetSpanAt } from "../calendar/local-time.ts";
import type { Call } from "../call.ts";
import {
  type CallFilter,
  type Condition,
  findUnmatched,
  type Span,
  toConditions,
  type UnmatchedValue,
} from "./call-filter.ts";
import type { CallerSummary } from "./caller-summary.ts";
import { CHANGE_REASONS, type ChangeReason } from "./change-reasons.ts";
import type { Candidate, ConversionQuery } from "./conversion-query.ts";
import { keyColumns } from "./dimensions.ts";
import { type DurationBand, durationBounds } from "./duration-bands.ts";
import {
  callMeasures,
  measuresOf,
  type RollupColumn,
  type RollupQuery,
  rollupColumns,
  type ZoneOffset,
} from "./rollup-query.ts";
import { SessionSpend } from "./session-spend.ts";
import { callersText } from "./sqlite-callers-sql.ts";
import { effectsText, stepsText } from "./sqlite-effects-sql.ts";
import {
  candidatesText,
  durationBandsText,
  factText,
  firstConversionsText,
  keyCountText,
  listText,
  rollupText,
  type SqliteContext,
  type SqlText,
  selectionText,
  smallCellCountText,
} from "./sqlite-rollup-sql.ts";

export type Value = string | number | null;
/** Values in the order of the columns; null where there is none. */
export type Row = Value[];

/** What a list of calls shows: a fact, a member of the call as it is stored, or what was said in it. */
export type CallSource =
  | { fact: FactColumn }
  | { stored: Exclude<keyof Call, TranscriptMember> | "gone_at" }
  | { transcript: TranscriptMember };
type TranscriptMember = "summary" | "transcription" | "transcription_details";

/** Some calls, in the order of time, those of unknown time last. */
export interface Selected<Item> {
  count: number;
  /** Reads them; more than once, if need be. */
  read: () => Iterable<Item>;
}

/** What changes of calls for one reason did to one row of a rollup. */
export interface RowEffect {
  /** Values of the key columns, the period first where there is one. */
  key: Row;
  reason: ChangeReason;
  /** By the name of a metric: how many calls changed it, and by how much together; null for one that does not add up. */
  figures: ReadonlyMap<string, { calls: number; effect: number | null }>;
}

export interface SessionOptions {
  /** The rules by which the facts were computed; a function reads them in the session's snapshot. */
  rules: AttributionRules | (() => AttributionRules);
  /** Which calls count. @default those that the service still shows */
  filter?: CallFilter | undefined;
  /** Returns what the facts know a caller by, given the digits and the plus sign of the number. @default those */
  nameCaller?: (phoneDigits: string) => string;
}

type FactValue = Value;

const CACHE_KIB = 16_384;

/** Answers questions to the facts of a warehouse, all at one moment of it; dispose of it to let that moment go. */
export class RollupSession implements Disposable {
  readonly rules: AttributionRules;
  readonly #database: Database;
  readonly #filter: CallFilter;
  readonly #context: SqliteContext;
  #spend: SessionSpend | undefined;
  readonly #nameCaller: (phoneDigits: string) => string;
  readonly #values = new Map<FactColumn, FactValue[]>();
  #selections = 0;

  /** @param database a connection that nobody else uses meanwhile, read-only will do */
  constructor(database: Database, { rules, filter = {}, nameCaller = (digits) => digits }: SessionOptions) {
    this.#database = database;
    // SQLite sorts in pieces of this size: with its own 2 MB a rollup of a million clicks takes a tenth longer.
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    database.function("microsoft_click_id", { deterministic: true }, microsoftClickId);
    database.function("present_id", { deterministic: true }, presentId);
    database.function("caller_of", { deterministic: true }, toCaller);
    database.exec("BEGIN");
    this.rules = typeof rules === "function" ? rules() : rules;
    this.#filter = filter;
    this.#nameCaller = nameCaller;
    this.#context = this.#contextOf(filter);
  }

  /**
   * Takes what ads cost into account, from now on: rollups can have its columns, and what is asked of days reaches over
   * its own. Its sources, channels and campaigns are those of the calls in the session's rules; the filter's conditions on
   * these hold for it as well, and others choose calls alone.
   *
   * @param zone whose days those of the reports are taken for
   */
  loadSpend(zone: string): SessionSpend {
    this.#spend ??= new SessionSpend(this.#database, {
      rules: this.rules,
      filter: this.#filter,
      zone,
      makeTable: (columns) => this.#makeTable(columns),
    });
    return this.#spend;
  }

  /** Answers a rollup: its columns, and its rows, which are read as they are asked for. */
  rollup(query: RollupQuery): { columns: RollupColumn[]; rows: Iterable<Row> } {
    return {
      columns: rollupColumns(query, this.rules),
      rows: this.#iterate(rollupText(query, { ...this.#context, spend: this.#spend })),
    };
  }

  /**
   * Tells what changes of calls did to the rows of a rollup, of values that are not raw and calls that are not gone. The
   * effects on a row are together what its sums are more now than when the changes began.
   *
   * @param since the last row in `fact_changes` that is not looked at
   * @param zone IANA zone of weekdays and hours
   */
  *effects(query: RollupQuery, since: number, zone: string): Generator<RowEffect> {
    const facts = this.#database
      .prepare<[], string>("SELECT name FROM pragma_table_info('call_facts')")
      .pluck()
      .all();
    const steps = this.#makeTable(["sign", "reason", ...facts].join(", "));
    this.#database.prepare(stepsText(steps, facts)).run({ since });
    // The facts before a change may have values that no call has any more.
    const readValues = (fact: FactColumn) =>
      this.#database.prepare<[], FactValue>(`SELECT DISTINCT ${fact} FROM ${steps}`).pluck().all();
    const conditions = toConditions(this.#filter, this.rules, { readValues, nameCaller: this.#nameCaller });
    const context = { rules: this.rules, conditions, isGoneCounted: false, facts: steps };
    const offsets = query.offsets && this.readOffsets(zone, steps);
    const measures = callMeasures(measuresOf(query, this.rules));
    const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
    for (const row of this.#iterate(effectsText({ ...query, offsets }, context))) {
      const reason = CHANGE_REASONS.find((known) => known === row[keys]);
      if (reason === undefined) throw new Error(`fact_changes has an unknown reason: ${row[keys]}`);
      const figures = measures.map(({ name }, index): [string, { calls: number; effect: number | null }] => {
        const [calls, effect = null] = row.slice(keys + 1 + 2 * index);
        return [name, { calls: Number(calls), effect: effect === null ? null : Number(effect) }];
      });
      yield { key: row.slice(0, keys), reason, figures: new Map(figures) };
    }
  }

  /** Counts calls by their duration, shortest first, without gaps; those without a duration last, where there are any. */
  durationBands(span: Span = {}): DurationBand[] {
    const bounds = durationBounds(this.rules);
    const toStored = (seconds: number) => toDuration(seconds, this.rules);
    const rows = this.#iterate(durationBandsText(bounds.map(toStored), span, this.#context));
    const counts = new Map(
      rows.map(([band, calls, answered, missed]) => [
        band,
        { calls: Number(calls), answered_calls: Number(answered), missed_calls: Number(missed) },
      ]),
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
    const [all, withValue] = this.#first(keyCountText(query, { ...this.#context, spend: this.#spend })).map(
      Number,
    );
    const folded = Math.max(0, (withValue ?? 0) - (query.top ?? Number.POSITIVE_INFINITY));
    return { shown: (all ?? 0) - folded + (folded > 0 ? 1 : 0), folded };
  }

  /** Counts the rows that a rollup puts together as `(other)`, since they or those beside them have fewer calls. */
  countSmallCells(query: RollupQuery & { minCell: number }): number {
    const [count] = this.#first(smallCellCountText(query, query.minCell, this.#context));
    return Number(count);
  }

  /** Returns a zone's offsets under which there are any calls, each from the first of these calls on. */
  readOffsets(zone: string, facts = "call_facts"): ZoneOffset[] {
    const sql = `SELECT min(call_started) FROM ${facts} WHERE call_started >= ?`;
    const readFirst = this.#database.prepare<[string], string | null>(sql).pluck();
    const offsets: ZoneOffset[] = [];
    for (let from: string | undefined = ""; from !== undefined; ) {
      const startsAt = readFirst.get(from);
      if (typeof startsAt !== "string") break;
      const span: OffsetSpan = offsetSpanAt(startsAt, zone);
      offsets.push({ startsAt, offsetSeconds: span.offsetSeconds });
      from = span.endsAt;
    }
    return offsets;
  }

  /** Returns when the first and the last call started that count, or their days of spend, ISO 8601 UTC; undefined without any of known time. */
  readExtent(): { first: string; last: string } | undefined {
    const { sql, values } = selectionText({}, this.#context);
    const [first, last] = this.#first({
      sql: `SELECT min(f.call_started), max(f.call_started) ${sql}`,
      values,
    });
    const ofSpend = this.#spend?.readExtent();
    if (typeof first !== "string" || typeof last !== "string") return ofSpend;
    if (ofSpend === undefined) return { first, last };
    return {
      first: first < ofSpend.first ? first : ofSpend.first,
      last: last > ofSpend.last ? last : ofSpend.last,
    };
  }

  /** Returns when the warehouse's first call started, whether it counts or not. */
  readFirstStart(): string | null {
    const [first] = this.#first({ sql: "SELECT min(call_started) FROM call_facts", values: {} });
    return typeof first === "string" ? first : null;
  }

  /** Counts the phone numbers that no call is from; of numbers as {@link CallFilter} has them. */
  countUnknownCallers(numbers: readonly string[]): number {
    const isKnown = this.#database.prepare<[string]>("SELECT 1 FROM call_facts WHERE caller = ?");
    return numbers.filter((number) => isKnown.get(this.#nameCaller(toPhoneDigits(number))) === undefined)
      .length;
  }

  /** Finds the values in a filter that no call in the warehouse has, and no spend where it counts. */
  findUnmatched(filter: CallFilter): UnmatchedValue[] {
    return findUnmatched(filter, (fact) => [
      ...this.#readValues(fact),
      ...(this.#spend?.readValues(fact) ?? []),
    ]);
  }

  /** Lists the names of campaigns that calls have. */
  readCampaigns(): string[] {
    return this.#readValues("campaign").filter((value) => typeof value === "string");
  }

  /** Lists calls. */
  calls(columns: readonly CallSource[], span: Span = {}): Selected<Row> {
    const { table, count } = this.#select(span);
    const expressions = columns.map((column) => {
      if ("fact" in column) return factText(column.fact, this.#context);
      return "stored" in column ? `c.${column.stored}` : `t.${column.transcript}`;
    });
    const join = (name: string, alias: string) =>
      expressions.some((expression) => expression.startsWith(`${alias}.`))
        ? `\nLEFT JOIN ${name} AS ${alias} ON ${alias}.call_id = s.call_id`
        : "";
    const sql = `SELECT ${expressions.join(",\n  ")}
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id${join("calls", "c")}${join("transcripts", "t")}
ORDER BY s.rank`;
    return { count, read: () => this.#iterate({ sql, values: {} }) };
  }

  /** Lists callers, each with what its calls are together, in the order of their first calls; and counts the calls without one. */
  callers(span: Span = {}): { callsWithoutCaller: number; read: () => Iterable<CallerSummary> } {
    const { sql, values } = selectionText(span, this.#context);
    const [calls, withCaller] = this.#first({ sql: `SELECT count(*), count(f.caller) ${sql}`, values });
    const text = callersText(span, this.#context);
    const select = this.#database.prepare<[SqlText["values"]], CallerSummary>(text.sql);
    return {
      callsWithoutCaller: Number(calls) - Number(withCaller),
      read: () => select.iterate(text.values),
    };
  }

  /**
   * Lists calls with what decides whether they are conversions. Which call of a click or a caller is the first is looked
   * for among all calls of the population, whenever they were: what an earlier file has reported must not be reported again
   * because the dates of this one begin later.
   *
   * @param population which calls are looked at for that; what else the session's filter says does not matter
   */
  conversions(query: ConversionQuery, population: CallFilter, span: Span = {}): Selected<Candidate> {
    const first = firstConversionsText(query, this.#contextOf(population));
    const firstTable = this.#makeTable("call_id INTEGER PRIMARY KEY");
    this.#database.prepare(`INSERT INTO ${firstTable} ${first.sql}`).run(first.values);
    const { table, count } =
      query.likeCalls === undefined ? this.#select(span) : this.#selectThese(query.likeCalls);
    const sql = candidatesText(query, table, firstTable, this.#context);
    const read = function* (this: RollupSession): Generator<Candidate> {
      for (const row of this.#iterate({ sql, values: {} })) {
        const [id, isLive, started, key, gclsrc, isQualified, isRepeated] = row;
        yield {
          call_id: Number(id),
          is_live: isLive === 1,
          call_started: toText(started),
          key: toText(key),
          gclsrc: toText(gclsrc) ?? "",
          is_qualified: isQualified === 1,
          is_repeated: isRepeated === 1,
        };
      }
    };
    return { count, read: read.bind(this) };
  }

  [Symbol.dispose](): void {
    if (this.#database.open && this.#database.inTransaction) this.#database.exec("ROLLBACK");
  }

  #contextOf(filter: CallFilter): SqliteContext {
    const conditions: Condition[] = toConditions(filter, this.rules, {
      readValues: (fact) => this.#readValues(fact),
      nameCaller: this.#nameCaller,
    });
    return { rules: this.rules, conditions, isGoneCounted: filter.include_gone ?? false };
  }

  #readValues(fact: FactColumn): FactValue[] {
    const known = this.#values.get(fact);
    if (known !== undefined) return known;
    const select = this.#database.prepare<[], FactValue>(`SELECT DISTINCT ${fact} FROM call_facts`);
    const values = select.pluck().all();
    this.#values.set(fact, values);
    return values;
  }

  /** Puts the ids of calls into a table of this connection, in the order of time: small, whatever the calls hold. */
  #select(span: Span): { table: string; count: number } {
    const { sql, values } = selectionText(span, this.#context);
    const table = this.#makeTable("rank INTEGER PRIMARY KEY, call_id INTEGER NOT NULL");
    const insert = `INSERT INTO ${table} (call_id) SELECT f.call_id ${sql} ORDER BY f.call_started NULLS LAST, f.call_id`;
    return { table, count: this.#database.prepare(insert).run(values).changes };
  }

  /** Of calls by their ids, whatever the filter says. */
  #selectThese(callIds: readonly number[]): { table: string; count: number } {
    const table = this.#makeTable("rank INTEGER PRIMARY KEY, call_id INTEGER NOT NULL");
    const insert = `INSERT INTO ${table} (call_id) SELECT call_id FROM call_facts WHERE call_id IN ${listText(callIds)} ORDER BY call_id`;
    return { table, count: this.#database.prepare(insert).run().changes };
  }

  #makeTable(columns: string): string {
    const name = `temp.selection_${++this.#selections}`;
    this.#database.exec(`CREATE TABLE ${name} (${columns})`);
    return name;
  }

  *#iterate({ sql, values }: SqlText): Generator<Row, void, void> {
    yield* this.#database.prepare<[SqlText["values"]], Row>(sql).raw().iterate(values);
  }

  #first({ sql, values }: SqlText): Row {
    return this.#database.prepare<[SqlText["values"]], Row>(sql).raw().get(values) ?? [];
  }
}

function toText(value: Value | undefined): string | null {
  return typeof value === "string" ? value : null;
}
