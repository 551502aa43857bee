import type { Database } from "better-sqlite3";
import type { Span } from "../base/calendar/dates.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import type { ListedMember } from "../calls/columns.ts";
import type { FactColumn } from "../calls/facts.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { Calls } from "../figures/calls.ts";
import { Cells } from "../figures/cells/cells.ts";
import type { FactValue } from "../figures/dictionary.ts";
import type { KeyColumn } from "../figures/dimensions.ts";
import type { Codes } from "../figures/key-table.ts";
import type { RollupQuery, ZoneOffset } from "../figures/rollup-query.ts";
import type { CallSelection } from "./engine.ts";
import { FigureSession, type FigureSessionOptions, type Row, selectionOf } from "./figure-session.ts";
import { CHANGED_AT, CHANGED_MS, listedText, TEXT_TABLES } from "./listed-member.ts";
import { listText } from "./sql-text.ts";
import { commonNameText } from "./sqlite/campaign-names-sql.ts";
import { type RowEffect, readEffects } from "./sqlite/read-effects.ts";
import { MISSED_TEXTS, UNREACHED } from "./sqlite/sqlite-callbacks-sql.ts";
import { type CallerSummary, callersText } from "./sqlite/sqlite-callers-sql.ts";
import { factText, selectionText } from "./sqlite/sqlite-calls-sql.ts";
import {
  type Candidate,
  type ConversionQuery,
  candidatesText,
  FIRST_CONVERSIONS,
  firstConversionsText,
} from "./sqlite/sqlite-conversions-sql.ts";
import { defineFunctions, SqliteEngine } from "./sqlite/sqlite-engine.ts";
import {
  type EarlierVisits,
  earlierVisitsText,
  type SpellingGroup,
  spellingsText,
  type VisitGroup,
  visitsText,
} from "./sqlite/sqlite-visits-sql.ts";

/** A column of a list of calls: a fact, the common name of its campaign, a member of the call, when it was marked as gone or changed, or its caller's missed calls. */
export type CallSource =
  | { fact: FactColumn }
  | { common: "campaign" }
  | { member: ListedMember }
  | { stored: "gone_at" }
  | { moment: "changed_at" }
  | { missed: keyof typeof MISSED_TEXTS };

/** Calls by start, those without one last. */
export interface Listing<Item> {
  count: number;
  /** May be called more than once. */
  read: () => Iterable<Item>;
}

export interface SessionOptions extends Omit<FigureSessionOptions, "rules"> {
  /** The rules by which the facts were computed; a function reads them in the session's snapshot. */
  rules: AttributionRules | (() => AttributionRules);
  /** Ends a scan of the calls. */
  signal?: AbortSignal | undefined;
}

const CACHE_KIB = 16_384;

export class RollupSession extends FigureSession implements Disposable {
  readonly #engine: SqliteEngine;
  readonly #values: Parameters<typeof selectionOf>[1];

  /** @param database a connection that nothing else uses meanwhile; may be read-only */
  constructor(database: Database, { rules, signal, ...others }: SessionOptions) {
    // SQLite sorts in chunks of this size: with its default of 2 MB a rollup of a million clicks takes a tenth
    // longer.
    database.pragma(`cache_size = ${-CACHE_KIB}`);
    defineFunctions(database);
    database.exec("BEGIN");
    const options = { ...others, rules: typeof rules === "function" ? rules() : rules };
    const engine = new SqliteEngine(database, signal);
    const values = {
      readValues: (fact: FactColumn) => engine.listValues(fact),
      campaignNames: () => engine.listCampaignNames(),
    };
    super(database, engine, options, selectionOf(options, values));
    this.#engine = engine;
    this.#values = values;
  }

  effects(query: RollupQuery, since: number, zone: string): Generator<RowEffect> {
    return readEffects(this.database, this.#engine, this.options, { query, since, zone });
  }

  /** Reads calls as columns, with a code for each key column. */
  async columns(
    keys: readonly KeyColumn[],
    { span, offsets }: { span: Span; offsets: readonly ZoneOffset[] },
  ): Promise<{ calls: Calls; keys: { name: string; codes: Codes; values: readonly FactValue[] }[] }> {
    const cells = new Cells(keys, { dictionaryOf: (key) => this.#engine.dictionaryOf(key), offsets });
    const { calls, columns } = await this.#engine.readColumns(cells, span, this.selection);
    return {
      calls,
      keys: columns.map((codes, index) => ({
        name: keys[index]?.name ?? "",
        codes,
        values: cells.columns[index]?.dictionary.values ?? [],
      })),
    };
  }

  /** @param callers ids in `callers`, to which the list is limited */
  calls(columns: readonly CallSource[], span: Span = {}, callers?: readonly number[]): Listing<Row> {
    const ofCallers = callers && [`f.caller_id IN ${listText(callers)}`];
    return this.#list(columns, this.#select(span, ofCallers));
  }

  /** Lists calls that changed after a moment. First calls are those of live calls, even if gone calls are listed. */
  changedCalls(columns: readonly CallSource[], afterMs: number): Listing<Row> {
    const changed = this.#select({}, [`${CHANGED_MS} > ${afterMs}`]);
    return this.#list(columns, changed, { ...this.selection, isGoneCounted: false });
  }

  /** Lists the last missed call of each caller who was not answered since, the latest first. */
  callbacks(columns: readonly CallSource[], span: Span = {}): Listing<Row> {
    const missed = selectionText(span, this.selection, { also: UNREACHED });
    return this.#list(columns, this.#insertIds(`${missed} ORDER BY f.call_started DESC, f.call_id DESC`));
  }

  #list(
    columns: readonly CallSource[],
    { table, count }: { table: string; count: number },
    selection: Pick<CallSelection, "isGoneCounted"> = this.selection,
  ): Listing<Row> {
    const expressions = columns.map((column) => {
      if ("fact" in column) return factText(column.fact, selection);
      if ("common" in column) return commonNameText();
      if ("moment" in column) return CHANGED_AT;
      if ("missed" in column) return MISSED_TEXTS[column.missed];
      return "member" in column ? listedText(column.member) : `c.${column.stored}`;
    });
    const join = (name: string, alias: string) =>
      expressions.some((expression) => new RegExp(`\\b${alias}\\.`).test(expression))
        ? `\nLEFT JOIN ${name} AS ${alias} ON ${alias}.call_id = s.call_id`
        : "";
    const sql = `${TEXT_TABLES}SELECT ${expressions.join(",\n  ")}
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id${join("calls", "c")}${join("transcripts", "t")}
ORDER BY s.rank`;
    return { count, read: () => this.iterate(sql) };
  }

  /** Lists callers with a summary of their calls, by first call; and counts the calls without a caller. */
  callers(span: Span = {}): { callsWithoutCaller: number; read: () => Iterable<CallerSummary> } {
    const counts = `SELECT count(*) - count(f.caller_id) ${selectionText(span, this.selection)}`;
    const select = this.database.prepare<[], CallerSummary>(callersText(span, this.selection));
    return { callsWithoutCaller: Number(this.first(counts)[0]), read: () => select.iterate() };
  }

  hasSpend(): boolean {
    return this.#hasRows("spend");
  }

  hasOutcomes(): boolean {
    return this.#hasRows("outcomes");
  }

  #hasRows(table: string): boolean {
    return this.database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
  }

  /** Groups calls by what attributes them. */
  visits(span: Span): VisitGroup[] {
    return this.database.prepare<[], VisitGroup>(visitsText(span, this.selection)).all();
  }

  earlierVisits(visits: EarlierVisits): VisitGroup[] {
    return this.database.prepare<[], VisitGroup>(earlierVisitsText(visits, this.selection)).all();
  }

  /** Groups calls by their tags as served, and by what these count as. */
  spellings(span: Span): SpellingGroup[] {
    return this.database.prepare<[], SpellingGroup>(spellingsText(span, this.selection)).all();
  }

  /**
   * The first call of a click or a caller is searched among all calls of the population, at any time: what an earlier
   * file has reported must not be reported again because this file's dates begin later.
   */
  conversions(query: ConversionQuery, population: CallFilter, span: Span = {}): Listing<Candidate> {
    const among = selectionOf({ ...this.options, filter: population }, this.#values);
    const firstTable = this.engine.makeTable(FIRST_CONVERSIONS);
    this.database.exec(`INSERT INTO ${firstTable} ${firstConversionsText(query, among)}`);
    const { likeCalls } = query;
    const { table, count } =
      likeCalls === undefined
        ? this.#select(span)
        : this.#insertIds(
            `FROM call_facts AS f WHERE f.call_id IN ${listText(likeCalls)} ORDER BY f.call_id`,
          );
    const sql = candidatesText(query, table, firstTable);
    const toCandidate = ({
      is_live,
      is_qualified,
      is_repeated,
      is_open,
      ...call
    }: SqliteRow<Candidate>): Candidate => ({
      ...call,
      is_live: is_live === 1,
      is_qualified: is_qualified === 1,
      is_repeated: is_repeated === 1,
      is_open: is_open === 1,
    });
    const iterate = () => this.database.prepare<[], SqliteRow<Candidate>>(sql).iterate();
    return { count, read: () => Iterator.from(iterate()).map(toCandidate) };
  }

  [Symbol.dispose](): void {
    if (this.database.open && this.database.inTransaction) this.database.exec("ROLLBACK");
  }

  /** Puts the ids of calls into a table of this connection, by start: small, whatever the calls contain. */
  #select(span: Span, also: readonly string[] = []): { table: string; count: number } {
    return this.#insertIds(
      `${selectionText(span, this.selection, { also })} ORDER BY f.call_started NULLS LAST, f.call_id`,
    );
  }

  #insertIds(calls: string): { table: string; count: number } {
    const table = this.engine.makeTable("rank INTEGER PRIMARY KEY, call_id INTEGER NOT NULL");
    const insert = this.database.prepare(`INSERT INTO ${table} (call_id) SELECT f.call_id ${calls}`);
    return { table, count: insert.run().changes };
  }
}

/** A row from SQLite: 1 for true, 0 for false. */
type SqliteRow<T> = { [Key in keyof T]: T[Key] extends boolean ? number : T[Key] };
