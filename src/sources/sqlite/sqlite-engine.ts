import type { Database } from "better-sqlite3";
import type { Span } from "../../base/calendar/dates.ts";
import { offsetSpanAt } from "../../base/calendar/local-time.ts";
import { findAdClick } from "../../calls/attribution/ad-click.ts";
import { toCaller, toClientId } from "../../calls/attribution/call-text.ts";
import type { FactColumn } from "../../calls/facts.ts";
import { toPhoneNumber } from "../../calls/phone-numbers.ts";
import { addEarned, type Earnings } from "../../figures/amounts/earned.ts";
import { type CampaignNames, unifyNames } from "../../figures/campaign-names.ts";
import type { Cells, GroupQuestion, Side } from "../../figures/cells/cells.ts";
import type { Dictionary, FactValue } from "../../figures/dictionary.ts";
import type { KeyColumn } from "../../figures/dimensions.ts";
import { bandCodes } from "../../figures/duration-bands.ts";
import { groups, runSteps, type Steps } from "../../figures/groups.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { OutcomeForm } from "../../figures/metrics.ts";
import type { Part, Parts } from "../../figures/parts.ts";
import type { ZoneOffset } from "../../figures/rollup-query.ts";
import { localCodes, periodCodes } from "../../figures/time-keys.ts";
import type { CallSelection, Engine, Extent, ImportedSpend, ReadOutcomes } from "../engine.ts";
import { listText } from "../sql-text.ts";
import { type CallColumns, ColumnReader, type Need, needOf, needsOf } from "./call-columns.ts";
import { SEVERAL_NAMES } from "./campaign-names-sql.ts";
import { HAS_EARNED, makeOutcomeTable } from "./outcome-sums.ts";
import { type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";

/** Of tables that have what calls earned. */
const SUM_COLUMNS = ["f.booked", "f.sold", "f.revenue_micros"] as const;

/** No pass met them lately, and none has marked them as gone. */
const IS_MISSING = [
  `f.call_id IN (SELECT call_id FROM calls WHERE missing_since IS NOT NULL AND gone_at IS NULL
    UNION SELECT call_id FROM calls WHERE absent_since IS NOT NULL AND gone_at IS NULL)`,
];

export class SqliteEngine implements Engine {
  readonly #database: Database;
  readonly #reader: ColumnReader;
  readonly #values = new Map<FactColumn, FactValue[]>();
  #campaignNames: CampaignNames | undefined;
  #tables = 0;

  /** @param signal ends a scan of the calls */
  constructor(database: Database, signal?: AbortSignal) {
    this.#database = database;
    this.#reader = new ColumnReader(database, signal);
  }

  dictionaryOf({ of }: KeyColumn): Dictionary {
    return this.#reader.dictionaryOf("local" in of ? of.local : needOf({ of }));
  }

  expect(keys: readonly KeyColumn[], parts: readonly Part[]): void {
    this.#reader.expect([...keys.map(needOf), ...needsOf(parts)]);
  }

  async groups({ cells, parts, folding, ...side }: GroupQuestion, selection: CallSelection): Promise<Parts> {
    const { calls, of } = await this.#reader.run(
      this.readCells({ cells, ...side }, selection, needsOf(parts)),
    );
    const grouping =
      folding === undefined
        ? { of, size: cells.size }
        : { of: of.map((cell) => folding.rowOf(cell)), size: folding.size };
    return await this.#reader.run(groups(calls, grouping, parts));
  }

  /** Reads calls, and the cell of each. */
  *readCells(
    { cells, span, periods }: Side & { cells: Cells },
    selection: SqliteSelection,
    others: readonly Need[],
  ): Steps<{ calls: CallColumns; of: Codes }> {
    const needs = [...(periods ? (["start"] as const) : []), ...others];
    const { calls, columns } = yield* this.readKeys({ cells, span }, selection, needs);
    const keys = cells.table.encode(columns, calls.rows);
    yield;
    const ofPeriods = cells.periods && periodCodes(calls.startsMs, periods ?? [], cells.periods);
    return { calls, of: cells.encode(keys, ofPeriods) };
  }

  /** Reads calls, and what each has in the columns of the cells. */
  *readKeys(
    { cells, span }: { cells: Cells; span: Span },
    selection: SqliteSelection,
    others: readonly Need[],
  ): Steps<{ calls: CallColumns; columns: Codes[] }> {
    const needs = [...cells.columns.map(({ key }) => needOf(key)), ...others];
    const calls = yield* this.#reader.read(span, selection, needs);
    const columns: Codes[] = [];
    const names = selection.campaignNames ?? (() => this.listCampaignNames());
    for (const { key, dictionary } of cells.columns) {
      const codes = codesOf(calls, key, { dictionary, offsets: cells.offsets });
      columns.push(key.isNameOf ? this.#unify(key.isNameOf, { codes, dictionary }, calls, names()) : codes);
      yield;
    }
    return { calls, columns };
  }

  readColumns(cells: Cells, span: Span, selection: SqliteSelection) {
    const all = ["marks", "duration", "start", "caller"] as const;
    return this.#reader.run(this.readKeys({ cells, span }, selection, all));
  }

  /** Reads the facts of a table of changes, in one go: it is small. */
  readSteps(side: Side & { cells: Cells }, selection: SqliteSelection) {
    const columns = ["f.sign", "f.reason", "f.call_id", ...SUM_COLUMNS] as const;
    const { calls, of } = runSteps(
      this.readCells(side, selection, [...columns, "marks", "duration", "start", "caller"]),
    );
    const valueAt = (column: (typeof columns)[number], row: number) =>
      this.#reader.dictionaryOf(column).values[calls.codes.get(column)?.[row] ?? 0] ?? null;
    return { calls, of, valueAt };
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    return this.listValues(fact);
  }

  listValues(fact: FactColumn): readonly FactValue[] {
    const known = this.#values.get(fact);
    if (known !== undefined) return known;
    const values = fact === "campaign" ? this.#listCampaigns() : this.#listDistinct(fact);
    this.#values.set(fact, values);
    return values;
  }

  #listCampaigns(): FactValue[] {
    const names = this.listCampaignNames();
    const unnamed = `WHERE campaign_id IS NULL OR campaign_id NOT IN ${listText([...names.keys()])}`;
    return [...new Set([...this.#listDistinct("campaign", unnamed), ...names.values()])];
  }

  #listDistinct(fact: FactColumn, where = ""): FactValue[] {
    return this.#database
      .prepare<[], FactValue>(`SELECT DISTINCT ${fact} FROM call_facts ${where}`)
      .pluck()
      .all();
  }

  async readCampaignNames(): Promise<CampaignNames> {
    return this.listCampaignNames();
  }

  listCampaignNames(): CampaignNames {
    this.#campaignNames ??= new Map(
      this.#database.prepare<[], [id: string, name: string]>(SEVERAL_NAMES).raw().all(),
    );
    return this.#campaignNames;
  }

  async readBands(bounds: readonly number[], span: Span, selection: CallSelection): Promise<FactValue[][]> {
    const calls = await this.#reader.run(this.#reader.read(span, selection, ["marks", "duration"]));
    const grouping = { of: bandCodes(calls.durations, bounds), size: bounds.length + 2 };
    const counted = ["calls", "answered_calls", "missed_calls"] as const;
    const parts = await this.#reader.run(groups(calls, grouping, counted));
    return Array.from({ length: grouping.size }, (_, band) => [
      band === 0 ? null : band - 1,
      ...counted.map((part) => parts[part]?.[band] ?? 0),
    ]);
  }

  async readExtent(selection: SqliteSelection, also: readonly string[] = []): Promise<Extent | null> {
    const ends = `SELECT min(f.call_started), max(f.call_started) ${selectionText({}, selection, { also })}`;
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

  async countMissing(span: Span, selection: SqliteSelection): Promise<number> {
    const missing = `SELECT count(*) ${selectionText(span, selection, { also: IS_MISSING })}`;
    return this.#database.prepare<[], number>(missing).pluck().get() ?? 0;
  }

  async readOffsets(zone: string): Promise<ZoneOffset[]> {
    return readOffsets(this.#database, zone);
  }

  async readSpend(): Promise<ImportedSpend> {
    const campaigns = `SELECT campaign, campaign_id, source, count(*) AS calls FROM call_facts
WHERE campaign IS NOT NULL OR campaign_id IS NOT NULL GROUP BY 1, 2, 3`;
    return { table: "spend", campaigns };
  }

  readOutcomes(by: OutcomeForm["by"], zone: string): ReadOutcomes {
    const { table, ...about } = makeOutcomeTable(this.#database, (columns) => this.makeTable(columns), {
      by,
      zone,
    });
    return {
      ...about,
      byCell: (side, selection) => this.#sumOutcomes(side, { ...selection, facts: table }),
      readExtent: async (selection) =>
        by === "call" ? null : await this.readExtent({ ...selection, facts: table }, [HAS_EARNED]),
    };
  }

  async #sumOutcomes(
    side: Side & { cells: Cells },
    selection: SqliteSelection,
  ): Promise<Map<number, Earnings>> {
    const { calls, of } = await this.#reader.run(this.readCells(side, selection, SUM_COLUMNS));
    const valueAt = (column: (typeof SUM_COLUMNS)[number], row: number) =>
      this.#reader.dictionaryOf(column).values[calls.codes.get(column)?.[row] ?? 0] ?? 0;
    const sums = new Map<number, Earnings>();
    for (let row = 0; row < calls.rows; row++) {
      const cell = of[row] ?? 0;
      const earnings = {
        bookedCalls: Number(valueAt("f.booked", row)),
        soldCalls: Number(valueAt("f.sold", row)),
        revenueMicros: BigInt(valueAt("f.revenue_micros", row)),
      };
      sums.set(cell, addEarned(sums.get(cell), earnings));
    }
    return sums;
  }

  /** The table is dropped with the session's transaction. */
  makeTable(columns: string): string {
    const table = `temp.selection_${++this.#tables}`;
    this.#database.exec(`CREATE TABLE ${table} (${columns})`);
    return table;
  }

  #unify(
    id: NonNullable<KeyColumn["isNameOf"]>,
    campaigns: { codes: Codes; dictionary: Dictionary },
    { codes }: CallColumns,
    names: CampaignNames,
  ): Codes {
    const need = needOf({ of: { fact: id } });
    const ofIds = codes.get(need);
    if (ofIds === undefined) throw new Error(`The column ${need} was not read`);
    return unifyNames(names, campaigns, { codes: ofIds, dictionary: this.#reader.dictionaryOf(need) });
  }

  #all(sql: string): FactValue[][] {
    return this.#database.prepare<[], FactValue[]>(sql).raw().all();
  }
}

function codesOf(
  { codes, startsMs }: CallColumns,
  key: KeyColumn,
  { dictionary, offsets }: { dictionary: Dictionary; offsets: readonly ZoneOffset[] },
): Codes {
  if ("local" in key.of) return localCodes(startsMs, { part: key.of.local, offsets }, dictionary);
  const column = codes.get(needOf(key));
  if (column === undefined) throw new Error(`The column ${key.name} was not read`);
  return column;
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
  database.function("number_of", options, (callerId: string | null) => {
    const phone = callerId === null ? undefined : toPhoneNumber(callerId);
    if (phone?.prefix === "+") return phone.number;
    // Without its country code, it is malformed.
    return toCaller(callerId)?.replace("+", "") ?? null;
  });
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
