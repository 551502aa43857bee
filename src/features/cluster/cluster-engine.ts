import type { Span } from "../../base/calendar/dates.ts";
import { offsetSpanAt } from "../../base/calendar/local-time.ts";
import type { FactColumn } from "../../calls/facts.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import type { GroupQuestion } from "../../figures/cells/cells.ts";
import { Dictionary, type FactValue, namedDictionaries } from "../../figures/dictionary.ts";
import { isLocalKey, type KeyColumn } from "../../figures/dimensions.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { Part, Parts } from "../../figures/parts.ts";
import type { ZoneOffset } from "../../figures/rollup-query.ts";
import { localCodes, periodCodes } from "../../figures/time-keys.ts";
import { type Condition, comparedFacts } from "../../sources/call-filter.ts";
import type { CallSelection, Engine, Extent, ImportedSpend } from "../../sources/engine.ts";
import { type FigureSessionOptions, selectionOf } from "../../sources/figure-session.ts";
import { campaignNamesText } from "../../sources/sqlite/campaign-names-sql.ts";
import { SPEND_TABLE } from "./account-tables.ts";
import {
  ALL_CALLS,
  type CallsSource,
  callsText,
  campaignText,
  factText,
  identityOf,
  identityText,
  partText,
  slotLength,
  slotStart,
  slotText,
} from "./calls-sql.ts";
import { type ClusterRow, type ClusterValue, literal } from "./clickhouse-text.ts";
import { assertAll, type ClusterReader } from "./cluster-reader.ts";

/** Where an account's spend is, and how many rows were published. */
interface SpendSource {
  /** With FINAL. */
  from: string;
  rows: number;
}

const HOUR_MS = 3_600_000;
/** No shorter than the stretches between clock changes. */
const MONTH_MS = 30 * 24 * HOUR_MS;

/** The calls of an account in a cluster, which are grouped there. */
export class ClusterEngine implements Engine {
  readonly #reader: ClusterReader;
  readonly #source: CallsSource;
  readonly #spend: SpendSource;
  readonly #dictionaryOf = namedDictionaries();
  #campaigns: Promise<string> | undefined;

  constructor(reader: ClusterReader, source: CallsSource, spend: SpendSource) {
    this.#reader = reader;
    this.#source = source;
    this.#spend = spend;
  }

  dictionaryOf({ name }: KeyColumn): Dictionary {
    return this.#dictionaryOf(name);
  }

  /** The cluster groups: nothing is read in advance. */
  expect(): void {}

  async groups(question: GroupQuestion, selection: CallSelection): Promise<Parts> {
    const { cells, parts, folding, span } = question;
    const { ofPeriods, ofKeys } = await this.#keys(question, selection);
    const leading = ofPeriods.length;
    const valuesOf = (cell: number) => cells.table.valuesOf(cells.keyOf(cell));
    let keys = ofKeys;
    if (folding !== undefined) {
      // The cluster maps the key of each call to its row.
      const keptCells = [...folding.kept()];
      const identities = keptCells.map((cell) =>
        identityOf([
          ...ofPeriods.map(() => cells.periods?.values[cells.periodOf(cell)] ?? null),
          ...valuesOf(cell),
        ]),
      );
      const identity = identityText([...ofPeriods, ...ofKeys]);
      keys = [
        keptCells.length === 0
          ? "-1"
          : `transform(${identity}, [${identities.map(literal).join()}], [${keptCells.join()}], -1)`,
      ];
    }
    const figures = parts.map((part) => partText(part, this.#source, selection));
    const rows = await this.#ask("read figures", { keys: [...ofPeriods, ...keys], figures }, selection, span);
    const size = () => folding?.size ?? cells.size;
    const places = rows.map((row) => {
      const period = cells.periods?.codeOf(row[0] ?? null) ?? 0;
      if (folding !== undefined)
        return Number(row[leading]) < 0 ? folding.otherOf(period) : Number(row[leading]);
      const values = cells.columns.map(({ key }, index) => toFact(row[leading + index], key));
      return cells.codeOf(cells.table.codeOf(values), period);
    });
    const first = leading + keys.length;
    return Object.fromEntries(
      parts.map((part, index) => {
        const values = new Float64Array(size()).fill(NULLABLE.has(part) ? Number.NaN : 0);
        for (const [nth, row] of rows.entries()) {
          const value = row[first + index] ?? null;
          values[places[nth] ?? 0] = value === null ? Number.NaN : Number(value);
        }
        return [part, values];
      }),
    );
  }

  /** Returns the SQL of the period, if there are periods, and of the keys. */
  async #keys({ cells, periods = [], span }: GroupQuestion, selection: CallSelection) {
    const { columns, offsets } = cells;
    const isLocal = columns.some(({ key }) => isLocalKey(key));
    const changes = offsets.slice(1).map(({ startsAt }) => Date.parse(startsAt));
    const length = slotLength([
      ...periods.map(({ startsAt }) => Date.parse(startsAt)),
      ...(isLocal ? [HOUR_MS, ...changes, ...offsets.map(({ offsetSeconds }) => offsetSeconds * 1000)] : []),
    ]);
    const toText = cells.periods || isLocal ? await this.#slots(length, selection, span) : () => "NULL";
    const names = columns.some(({ key }) => key.isNameOf) ? await this.readCampaignNames() : new Map();
    const ofKeys = columns.map(({ key: { of, isNameOf } }) => {
      if ("stored" in of) throw new Error(`The cluster has no ${of.stored} in its stored form`);
      if ("local" in of)
        return toText((starts, selected) => localCodes(starts, { part: of.local, offsets }, selected));
      return isNameOf ? campaignText(names) : factText(of.fact, this.#source, selection);
    });
    const ofPeriods = cells.periods
      ? [toText((starts, selected) => periodCodes(starts, periods, selected))]
      : [];
    return { ofPeriods, ofKeys };
  }

  /** Returns a function to the SQL of a key by when calls started: a table of slots, computed here. */
  async #slots(length: number, selection: CallSelection, span: Span) {
    const text = slotText(length);
    const rows = await this.#ask("read when calls started", { keys: [text] }, selection, span);
    const slots = [...new Set([0, ...rows.map(([slot]) => Number(slot))])];
    const startsMs = Float64Array.from(slots, (slot) => slotStart(slot, length));
    return (toCodes: (startsMs: Float64Array, dictionary: Dictionary) => Codes): string => {
      const dictionary = new Dictionary();
      const labels = Array.from(toCodes(startsMs, dictionary), (code) =>
        literal(String(dictionary.values[code] ?? "")),
      );
      return `nullIf(transform(${text}, [${slots.join()}], [${labels.join()}], ''), '')`;
    };
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    if (fact === "campaign") {
      const names = await this.readCampaignNames();
      const select = `SELECT campaign, campaign_id FROM ${await this.#readCampaigns()}`;
      return [
        ...new Set(this.#all(select).map(([campaign = null, id]) => names.get(String(id)) ?? campaign)),
      ];
    }
    const keys = [factText(fact, this.#source, ALL_CALLS)];
    const rows = await this.#ask(`read the values of ${fact}`, { keys });
    return rows.map(([value]) => toFact(value, { type: fact === "org_unit_id" ? "integer" : "text" }));
  }

  async readCampaignNames(): Promise<CampaignNames> {
    const facts = await this.#readCampaigns();
    const ids = `SELECT campaign_id FROM ${facts} WHERE campaign_id IS NOT NULL
  GROUP BY 1 HAVING count(DISTINCT campaign) > 1 OR count(campaign) < count(*)`;
    const rows = this.#all(campaignNamesText({ ids, facts, calls: "sum(calls)" }));
    return new Map(rows.map(([id, name]) => [String(id), String(name)]));
  }

  /** Returns a table of the campaigns of all calls. */
  #readCampaigns(): Promise<string> {
    const keys = ["campaign", "campaign_id", "source", "is_live"];
    this.#campaigns ??= this.#ask("read campaigns", { keys, figures: ["count()"] }).then((rows) =>
      this.#store("campaign TEXT, campaign_id TEXT, source TEXT, is_live INTEGER, calls INTEGER", rows),
    );
    return this.#campaigns;
  }

  /** Compares a filter with the values of calls. */
  async select(options: FigureSessionOptions): Promise<CallSelection> {
    const values = new Map<FactColumn, readonly FactValue[]>();
    for (const fact of comparedFacts(options.filter ?? {})) values.set(fact, await this.readValues(fact));
    const names = options.filter?.campaign && (await this.readCampaignNames());
    return selectionOf(options, {
      readValues: (fact) => values.get(fact) ?? [],
      campaignNames: names && (() => names),
    });
  }

  async readBands(bounds: readonly number[], span: Span, selection: CallSelection): Promise<FactValue[][]> {
    const keys = [factText("duration", this.#source, selection)];
    const figures = (["calls", "answered_calls", "missed_calls"] as const).map((part) =>
      partText(part, this.#source, selection),
    );
    const rows = await this.#ask("read durations", { keys, figures }, selection, span);
    const bands = new Map<number | null, number[]>();
    for (const [duration = null, ...counts] of rows) {
      const band = duration === null ? null : bounds.filter((bound) => bound <= Number(duration)).length;
      const known = bands.get(band);
      bands.set(
        band,
        counts.map((count, index) => Number(count) + (known?.[index] ?? 0)),
      );
    }
    return [...bands].map(([band, counts]) => [band, ...counts]);
  }

  async readExtent(selection: CallSelection): Promise<Extent | null> {
    const starts = await this.#readStarts(selection);
    const [first, last] = [starts[0]?.first, starts.at(-1)?.last];
    return first === undefined || last === undefined ? null : [first, last];
  }

  async readFirstStart(): Promise<string | null> {
    return (await this.#readStarts(ALL_CALLS))[0]?.first ?? null;
  }

  async readOffsets(zone: string): Promise<ZoneOffset[]> {
    const offsets: ZoneOffset[] = [];
    for (const { first, last } of await this.#readStarts(ALL_CALLS)) {
      for (let startsAt: string | undefined = first; startsAt !== undefined && startsAt <= last; ) {
        const { offsetSeconds, endsAt } = offsetSpanAt(startsAt, zone);
        if (offsetSeconds !== offsets.at(-1)?.offsetSeconds) offsets.push({ startsAt, offsetSeconds });
        startsAt = endsAt;
      }
    }
    return offsets;
  }

  /** Returns the starts of the first and the last call of each month with calls, in order. */
  async #readStarts(selection: CallSelection): Promise<{ first: string; last: string }[]> {
    const figures = ["min(call_started_ms)", "max(call_started_ms)"];
    const rows = await this.#ask(
      "read when calls started",
      { keys: [slotText(MONTH_MS)], figures },
      selection,
    );
    const toText = (ms: ClusterValue | undefined) => new Date(Number(ms)).toISOString();
    return rows
      .filter(([_, first]) => first !== null)
      .toSorted(([a], [b]) => Number(a) - Number(b))
      .map(([_, first, last]) => ({ first: toText(first), last: toText(last) }));
  }

  async countUnknownCallers(callers: readonly string[]): Promise<number> {
    const isOneOf: Condition = { fact: "caller", isOneOf: callers };
    const selection = { ...ALL_CALLS, conditions: [isOneOf] };
    const known = new Set((await this.#ask("look for callers", { keys: ["caller"] }, selection)).flat());
    return callers.filter((caller) => !known.has(caller)).length;
  }

  async readSpend(): Promise<ImportedSpend> {
    const columns = Object.entries(SPEND_TABLE.columns);
    const { account } = this.#source;
    const rows = await this.#reader.ask(
      "read spend",
      `SELECT ${columns.map(([name]) => name).join(", ")}
FROM ${this.#spend.from} WHERE account = ${literal(account)} AND is_deleted = 0`,
    );
    assertAll(account, "rows of spend", { count: rows.length, published: this.#spend.rows });
    const types = columns.map(([name, type]) => `${name} ${type.includes("String") ? "TEXT" : "INTEGER"}`);
    const campaigns = `SELECT campaign, campaign_id, source, sum(calls) AS calls FROM ${await this.#readCampaigns()}
  WHERE campaign IS NOT NULL OR campaign_id IS NOT NULL GROUP BY 1, 2, 3`;
    return { table: this.#store(types.join(", "), rows), campaigns };
  }

  makeTable(columns: string): string {
    return this.#reader.makeTable(columns);
  }

  #ask(
    doing: string,
    columns: Parameters<typeof callsText>[1],
    selection?: CallSelection,
    span?: Span,
  ): Promise<readonly ClusterRow[]> {
    return this.#reader.ask(doing, callsText(this.#source, columns, selection, span));
  }

  /** Puts rows into a new table. */
  #store(columns: string, rows: readonly ClusterRow[]): string {
    const table = this.makeTable(columns);
    const places = columns.split(", ").map(() => "?");
    const { database } = this.#reader;
    const insert = database.prepare<ClusterValue[]>(`INSERT INTO ${table} VALUES (${places.join()})`);
    database.transaction(() => {
      for (const row of rows) insert.run(...row);
    })();
    return table;
  }

  #all(sql: string): FactValue[][] {
    return this.#reader.database.prepare<[], FactValue[]>(sql).raw().all();
  }
}

/** A 64-bit number may be a text. */
function toFact(value: ClusterValue = null, { type }: Pick<KeyColumn, "type">): FactValue {
  return type === "integer" && value !== null ? Number(value) : value;
}

/** Parts that have no value without calls, or without durations or starts. */
const NULLABLE: ReadonlySet<Part> = new Set<Part>([
  "duration_sum",
  "duration_median",
  "earliest_start",
  "latest_start",
]);
