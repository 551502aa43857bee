import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { presentId, toCaller } from "../attribution/call-text.ts";
import { microsoftClickId } from "../attribution/microsoft-click-id.ts";
import type { CallFilter, Span } from "./call-filter.ts";
import type { CallerSummary } from "./caller-summary.ts";
import { CHANGE_REASONS, type ChangeReason } from "./change-reasons.ts";
import type { Candidate, ConversionQuery } from "./conversion-query.ts";
import { keyColumns } from "./dimensions.ts";
import {
  FigureSession,
  type FigureSessionOptions,
  type Row,
  selectionOf,
  type Value,
} from "./figure-session.ts";
import { type ListedMember, listedText } from "./listed-member.ts";
import { callMeasures, measuresOf, type RollupQuery } from "./rollup-query.ts";
import type { SqlText } from "./sql-text.ts";
import { callersText } from "./sqlite-callers-sql.ts";
import { factText, selectionText } from "./sqlite-calls-sql.ts";
import { candidatesText, firstConversionsText, listText } from "./sqlite-conversions-sql.ts";
import { effectsText, stepsText } from "./sqlite-effects-sql.ts";
import { readOffsets, SqliteEngine } from "./sqlite-engine.ts";

/** What a list of calls shows: a fact, a member of the call, or since when it is gone. */
export type CallSource = { fact: FactColumn } | { member: ListedMember } | { stored: "gone_at" };

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

export interface SessionOptions extends Omit<FigureSessionOptions, "rules"> {
  /** The rules by which the facts were computed; a function reads them in the session's snapshot. */
  rules: AttributionRules | (() => AttributionRules);
}

const CACHE_KIB = 16_384;

/** Answers questions to the facts of a warehouse, all at one moment of it; dispose of it to let that moment go. */
export class RollupSession extends FigureSession implements Disposable {
  readonly #listValues: SqliteEngine["listValues"];

  /** @param database a connection that nobody else uses meanwhile, read-only will do */
  constructor(database: Database, { rules, ...others }: SessionOptions) {
    // SQLite sorts in pieces of this size: with its own 2 MB a rollup of a million clicks takes a tenth longer.
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    database.function("microsoft_click_id", { deterministic: true }, microsoftClickId);
    database.function("present_id", { deterministic: true }, presentId);
    database.function("caller_of", { deterministic: true }, toCaller);
    database.exec("BEGIN");
    const options = { ...others, rules: typeof rules === "function" ? rules() : rules };
    const engine = new SqliteEngine(database);
    const listValues = (fact: FactColumn) => engine.listValues(fact);
    super(database, engine, options, selectionOf(options, listValues));
    this.#listValues = listValues;
  }

  /**
   * Tells what changes of calls did to the rows of a rollup, of values that are not raw and calls that are not gone. The
   * effects on a row are together what its sums are more now than when the changes began.
   *
   * @param since the last row in `fact_changes` that is not looked at
   * @param zone IANA zone of weekdays and hours
   */
  *effects(query: RollupQuery, since: number, zone: string): Generator<RowEffect> {
    const facts = this.database
      .prepare<[], string>("SELECT name FROM pragma_table_info('call_facts')")
      .pluck()
      .all();
    const steps = this.engine.makeTable(["sign", "reason", ...facts].join(", "));
    this.database.prepare(stepsText(steps, facts)).run({ since });
    // The facts before a change may have values that no call has any more.
    const readValues = (fact: FactColumn) =>
      this.database.prepare<[], Value>(`SELECT DISTINCT ${fact} FROM ${steps}`).pluck().all();
    const selection = { ...selectionOf(this.options, readValues), isGoneCounted: false, facts: steps };
    const offsets = query.offsets && readOffsets(this.database, zone, steps);
    const measures = callMeasures(measuresOf(query, this.rules));
    const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
    for (const row of this.iterate(effectsText({ ...query, offsets }, selection))) {
      const reason = CHANGE_REASONS.find((known) => known === row[keys]);
      if (reason === undefined) throw new Error(`fact_changes has an unknown reason: ${row[keys]}`);
      const figures = measures.map(({ name }, index): [string, { calls: number; effect: number | null }] => {
        const [calls, effect = null] = row.slice(keys + 1 + 2 * index);
        return [name, { calls: Number(calls), effect: effect === null ? null : Number(effect) }];
      });
      yield { key: row.slice(0, keys), reason, figures: new Map(figures) };
    }
  }

  /** Lists calls. */
  calls(columns: readonly CallSource[], span: Span = {}): Selected<Row> {
    const { table, count } = this.#select(span);
    const expressions = columns.map((column) => {
      if ("fact" in column) return factText(column.fact, this.selection);
      return "member" in column ? listedText(column.member) : `c.${column.stored}`;
    });
    const join = (name: string, alias: string) =>
      expressions.some((expression) => new RegExp(`\\b${alias}\\.`).test(expression))
        ? `\nLEFT JOIN ${name} AS ${alias} ON ${alias}.call_id = s.call_id`
        : "";
    const sql = `SELECT ${expressions.join(",\n  ")}
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id${join("calls", "c")}${join("transcripts", "t")}
ORDER BY s.rank`;
    return { count, read: () => this.iterate({ sql, values: {} }) };
  }

  /** Lists callers, each with what its calls are together, in the order of their first calls; and counts the calls without one. */
  callers(span: Span = {}): { callsWithoutCaller: number; read: () => Iterable<CallerSummary> } {
    const { sql, values } = selectionText(span, this.selection);
    const [calls, withCaller] = this.first({ sql: `SELECT count(*), count(f.caller) ${sql}`, values });
    const text = callersText(span, this.selection);
    const select = this.database.prepare<[SqlText["values"]], CallerSummary>(text.sql);
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
    const first = firstConversionsText(
      query,
      selectionOf({ ...this.options, filter: population }, this.#listValues),
    );
    const firstTable = this.engine.makeTable("call_id INTEGER PRIMARY KEY");
    this.database.prepare(`INSERT INTO ${firstTable} ${first.sql}`).run(first.values);
    const { table, count } =
      query.likeCalls === undefined ? this.#select(span) : this.#selectThese(query.likeCalls);
    const sql = candidatesText(query, table, firstTable, this.selection);
    const read = function* (this: RollupSession): Generator<Candidate> {
      for (const row of this.iterate({ sql, values: {} })) {
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
    if (this.database.open && this.database.inTransaction) this.database.exec("ROLLBACK");
  }

  /** Puts the ids of calls into a table of this connection, in the order of time: small, whatever the calls hold. */
  #select(span: Span): { table: string; count: number } {
    const { sql, values } = selectionText(span, this.selection);
    const table = this.engine.makeTable("rank INTEGER PRIMARY KEY, call_id INTEGER NOT NULL");
    const insert = `INSERT INTO ${table} (call_id) SELECT f.call_id ${sql} ORDER BY f.call_started NULLS LAST, f.call_id`;
    return { table, count: this.database.prepare(insert).run(values).changes };
  }

  /** Of calls by their ids, whatever the filter says. */
  #selectThese(callIds: readonly number[]): { table: string; count: number } {
    const table = this.engine.makeTable("rank INTEGER PRIMARY KEY, call_id INTEGER NOT NULL");
    const insert = `INSERT INTO ${table} (call_id) SELECT call_id FROM call_facts WHERE call_id IN ${listText(callIds)} ORDER BY call_id`;
    return { table, count: this.database.prepare(insert).run().changes };
  }
}

function toText(value: Value | undefined): string | null {
  return typeof value === "string" ? value : null;
}
