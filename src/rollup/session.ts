import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { CallFilter, Span } from "./call-filter.ts";
import type { CallerSummary } from "./caller-summary.ts";
import type { Candidate, ConversionQuery } from "./conversion-query.ts";
import {
  FigureSession,
  type FigureSessionOptions,
  type Row,
  selectionOf,
  type Value,
} from "./figure-session.ts";
import { type ListedMember, listedText } from "./listed-member.ts";
import type { RollupQuery } from "./rollup-query.ts";
import type { SqlText } from "./sql-text.ts";
import { type RowEffect, readEffects } from "./sqlite/read-effects.ts";
import { callersText } from "./sqlite/sqlite-callers-sql.ts";
import { factText, selectionText } from "./sqlite/sqlite-calls-sql.ts";
import { candidatesText, firstConversionsText, listText } from "./sqlite/sqlite-conversions-sql.ts";
import { defineFunctions, SqliteEngine } from "./sqlite/sqlite-engine.ts";

/** A column of a list of calls: a fact, a member of the call, or since when it is gone. */
export type CallSource = { fact: FactColumn } | { member: ListedMember } | { stored: "gone_at" };

/** Calls in the order of time, those of unknown time last. */
export interface Selected<Item> {
  count: number;
  /** Reads them; may be called more than once. */
  read: () => Iterable<Item>;
}

export interface SessionOptions extends Omit<FigureSessionOptions, "rules"> {
  /** The rules by which the facts were computed; a function reads them in the session's snapshot. */
  rules: AttributionRules | (() => AttributionRules);
}

const CACHE_KIB = 16_384;

/** Answers questions about the facts of a warehouse at one moment of it, until it is disposed of. */
export class RollupSession extends FigureSession implements Disposable {
  readonly #listValues: SqliteEngine["listValues"];

  /** @param database a connection that nothing else uses meanwhile; may be read-only */
  constructor(database: Database, { rules, ...others }: SessionOptions) {
    // SQLite sorts in pieces of this size: with its own 2 MB a rollup of a million clicks takes a tenth longer.
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    defineFunctions(database);
    database.exec("BEGIN");
    const options = { ...others, rules: typeof rules === "function" ? rules() : rules };
    const engine = new SqliteEngine(database);
    const listValues = (fact: FactColumn) => engine.listValues(fact);
    super(database, engine, options, selectionOf(options, listValues));
    this.#listValues = listValues;
  }

  /** See {@link readEffects}. */
  effects(query: RollupQuery, since: number, zone: string): Generator<RowEffect> {
    return readEffects(this.database, this.engine, this.options, { query, since, zone });
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
