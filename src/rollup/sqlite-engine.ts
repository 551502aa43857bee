import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import { type OffsetSpan, offsetSpanAt } from "../calendar/local-time.ts";
import type { Span } from "./call-filter.ts";
import type { CallSelection, Engine, FactValue } from "./engine.ts";
import type { ZoneOffset } from "./rollup-query.ts";
import type { SqlText } from "./sql-text.ts";
import { durationBandsText, selectionText, sqliteSides } from "./sqlite-calls-sql.ts";
import { SQLITE_CAMPAIGNS_TEXT } from "./sqlite-spend-sql.ts";

/** The facts of a warehouse, by a connection to it. */
export class SqliteEngine implements Engine {
  readonly groups = sqliteSides.groups;
  readonly keep = sqliteSides.keep;
  readonly #database: Database;
  readonly #values = new Map<FactColumn, FactValue[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  readValues(fact: FactColumn): readonly FactValue[] {
    const known = this.#values.get(fact);
    if (known !== undefined) return known;
    const select = this.#database.prepare<[], FactValue>(`SELECT DISTINCT ${fact} FROM call_facts`);
    const values = select.pluck().all();
    this.#values.set(fact, values);
    return values;
  }

  readKnownValues(fact: FactColumn): readonly FactValue[] {
    return this.readValues(fact);
  }

  readBands(bounds: readonly number[], span: Span, selection: CallSelection): FactValue[][] {
    return this.#all(durationBandsText(bounds, span, selection));
  }

  readExtent(selection: CallSelection): [first: string, last: string] | null {
    const { sql, values } = selectionText({}, selection);
    const [row] = this.#all({ sql: `SELECT min(f.call_started), max(f.call_started) ${sql}`, values });
    const [first, last] = row ?? [];
    return typeof first === "string" && typeof last === "string" ? [first, last] : null;
  }

  readFirstStart(): string | null {
    const select = this.#database.prepare<[], string | null>("SELECT min(call_started) FROM call_facts");
    return select.pluck().get() ?? null;
  }

  countUnknownCallers(callers: readonly string[]): number {
    const isKnown = this.#database.prepare<[string]>("SELECT 1 FROM call_facts WHERE caller = ?");
    return callers.filter((caller) => isKnown.get(caller) === undefined).length;
  }

  readOffsets(zone: string): ZoneOffset[] {
    return readOffsets(this.#database, zone);
  }

  loadCampaigns(): SqlText {
    return { sql: SQLITE_CAMPAIGNS_TEXT, values: {} };
  }

  #all({ sql, values }: SqlText): FactValue[][] {
    return this.#database.prepare<[SqlText["values"]], FactValue[]>(sql).raw().all(values);
  }
}

/** Returns a zone's offsets under which there are any calls in a table of facts, each from the first of these calls on. */
export function readOffsets(database: Database, zone: string, facts = "call_facts"): ZoneOffset[] {
  const sql = `SELECT min(call_started) FROM ${facts} WHERE call_started >= ?`;
  const readFirst = database.prepare<[string], string | null>(sql).pluck();
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
