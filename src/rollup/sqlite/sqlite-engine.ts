import type { Database } from "better-sqlite3";
import { findAdClick } from "../../attribution/ad-click.ts";
import type { FactColumn } from "../../attribution/attribute-call.ts";
import { toCaller, toClientId } from "../../attribution/call-text.ts";
import { offsetSpanAt } from "../../calendar/local-time.ts";
import type { Span } from "../call-filter.ts";
import type { CallSelection, Engine, FactValue, ImportedSpend, Side } from "../engine.ts";
import type { Metric } from "../metrics.ts";
import type { ZoneOffset } from "../rollup-query.ts";
import { callGroupsText, durationBandsText, selectionText } from "./sqlite-calls-sql.ts";

export class SqliteEngine implements Engine {
  readonly #database: Database;
  readonly #values = new Map<FactColumn, FactValue[]>();
  #tables = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async groups(side: Side, figures: readonly Metric[], selection: CallSelection): Promise<string> {
    return callGroupsText(side, figures, selection);
  }

  keep(ranked: string): string {
    return ranked;
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    return this.listValues(fact);
  }

  listValues(fact: FactColumn): readonly FactValue[] {
    const known = this.#values.get(fact);
    if (known !== undefined) return known;
    const select = this.#database.prepare<[], FactValue>(`SELECT DISTINCT ${fact} FROM call_facts`);
    const values = select.pluck().all();
    this.#values.set(fact, values);
    return values;
  }

  async readBands(bounds: readonly number[], span: Span, selection: CallSelection): Promise<FactValue[][]> {
    return this.#all(durationBandsText(bounds, span, selection));
  }

  async readExtent(selection: CallSelection): Promise<[first: string, last: string] | null> {
    const ends = `SELECT min(f.call_started), max(f.call_started) ${selectionText({}, selection)}`;
    const [[first, last] = []] = this.#all(ends);
    return typeof first === "string" && typeof last === "string" ? [first, last] : null;
  }

  async readFirstStart(): Promise<string | null> {
    const select = this.#database.prepare<[], string | null>("SELECT min(call_started) FROM call_facts");
    return select.pluck().get() ?? null;
  }

  async countUnknownCallers(callers: readonly string[]): Promise<number> {
    const isKnown = this.#database.prepare<[string]>(
      "SELECT 1 FROM callers JOIN call_facts USING (caller_id) WHERE caller = ?",
    );
    return callers.filter((caller) => isKnown.get(caller) === undefined).length;
  }

  async readOffsets(zone: string): Promise<ZoneOffset[]> {
    return readOffsets(this.#database, zone);
  }

  async readSpend(): Promise<ImportedSpend> {
    const campaigns = `SELECT campaign, campaign_id, source, count(*) AS calls FROM call_facts
WHERE campaign IS NOT NULL OR campaign_id IS NOT NULL GROUP BY 1, 2, 3`;
    return { table: "spend", campaigns };
  }

  /** The table is dropped with the session's transaction. */
  makeTable(columns: string): string {
    const table = `temp.selection_${++this.#tables}`;
    this.#database.exec(`CREATE TABLE ${table} (${columns})`);
    return table;
  }

  #all(sql: string): FactValue[][] {
    return this.#database.prepare<[], FactValue[]>(sql).raw().all();
  }
}

type ClickColumns = [gclid: string | null, gclsrc: string | null, url: string | null, extra: string | null];

export function defineFunctions(database: Database): void {
  const findClick = ([gclid, gclsrc, referring_url, extra]: ClickColumns) =>
    findAdClick({ gclid, gclsrc, referring_url, extra });
  const options = { deterministic: true };
  const ofClick = { ...options, varargs: true };
  database.function("click_by", ofClick, (...columns: ClickColumns) => findClick(columns)?.by ?? null);
  database.function("click_id", ofClick, (...columns: ClickColumns) => findClick(columns)?.id ?? null);
  database.function("client_id", options, toClientId);
  database.function("caller_of", options, toCaller);
}

/** Returns the offsets of a zone at times with calls in a table of facts, each from the first such call on. */
export function readOffsets(database: Database, zone: string, facts = "call_facts"): ZoneOffset[] {
  const sql = `SELECT min(call_started) FROM ${facts} WHERE call_started >= ?`;
  const readFirst = database.prepare<[string], string | null>(sql).pluck();
  const offsets: ZoneOffset[] = [];
  for (let from: string | undefined = ""; from !== undefined; ) {
    const startsAt = readFirst.get(from);
    if (typeof startsAt !== "string") break;
    const { offsetSeconds, endsAt } = offsetSpanAt(startsAt, zone);
    offsets.push({ startsAt, offsetSeconds });
    from = endsAt;
  }
  return offsets;
}
