import type { FactColumn } from "../../attribution/attribute-call.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import type { Span } from "../../calendar/dates.ts";
import { offsetSpanAt } from "../../calendar/local-time.ts";
import { NO_DURATION } from "../../figures/calls.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import type { GroupQuestion } from "../../figures/cells.ts";
import { Dictionary, type FactValue } from "../../figures/dictionary.ts";
import { isLocalKey, type KeyColumn } from "../../figures/dimensions.ts";
import { bandCodes } from "../../figures/duration-bands.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { Part, Parts } from "../../figures/parts.ts";
import type { ZoneOffset } from "../../figures/rollup-query.ts";
import { localCodes, periodCodes } from "../../figures/time-keys.ts";
import { type Condition, comparedFacts } from "../../rollup/call-filter.ts";
import type { CallSelection, Engine, ImportedSpend } from "../../rollup/engine.ts";
import { type FigureSessionOptions, selectionOf } from "../../rollup/figure-session.ts";
import { SPEND_TABLE } from "./account-tables.ts";
import {
  ALL_CALLS,
  type CallsSource,
  callsText,
  campaignText,
  factText,
  isKeptText,
  partText,
  slotLength,
  slotStart,
  slotText,
} from "./calls-sql.ts";
import { type ClusterValue, literal } from "./clickhouse-text.ts";
import type { ClusterReader } from "./cluster-reader.ts";

interface GroupKey {
  text: string;
  read: (value: ClusterValue) => FactValue;
  write: (value: FactValue) => FactValue;
}

const HOUR_MS = 3_600_000;
/** No shorter than the stretches between clock changes. */
const MONTH_MS = 30 * 24 * HOUR_MS;

/** The calls of an account in a cluster, which are grouped there. */
export class ClusterEngine implements Engine {
  readonly #reader: ClusterReader;
  readonly #source: CallsSource;
  readonly #dictionaries = new Map<string, Dictionary>();
  #campaigns: Promise<string> | undefined;

  constructor(reader: ClusterReader, source: CallsSource) {
    this.#reader = reader;
    this.#source = source;
  }

  dictionaryOf({ name }: KeyColumn): Dictionary {
    const known = this.#dictionaries.get(name) ?? new Dictionary();
    this.#dictionaries.set(name, known);
    return known;
  }

  /** The cluster groups: nothing is read in advance. */
  expect(): void {}

  async groups(question: GroupQuestion, selection: CallSelection): Promise<Parts> {
    const { cells, parts, folding, span } = question;
    const keys = await this.#keys(question, selection);
    const leading = cells.periods ? 1 : 0;
    const toStored = (cell: number) => {
      const period = cells.periods?.values[cells.periodOf(cell)] ?? null;
      const values = [...(cells.periods ? [period] : []), ...cells.table.valuesOf(cells.keyOf(cell))];
      return values.map((value, index) => keys[index]?.write(value) ?? null);
    };
    const texts = keys.map(({ text }) => text);
    const kept = folding && [isKeptText(texts, [...folding.kept()].map(toStored))];
    // Keys that are not kept have one row in each period.
    const folded = texts.map((text, index) =>
      kept === undefined || index < leading ? text : `if(key_1, ${text}, NULL)`,
    );
    const figures = parts.map((part) => partText(part, this.#source, selection));
    const grouped = { keys: [...(kept ?? []), ...folded], figures };
    const rows = await this.#reader.ask("read figures", callsText(this.#source, grouped, selection, span));
    const first = kept === undefined ? 1 : 2;
    const places = rows.map((row) => {
      const values = keys.map(({ read }, index) => read(row[`key_${first + index}`] ?? null));
      const period = cells.periods?.codeOf(values[0] ?? null) ?? 0;
      if (folding !== undefined && row.key_1 !== 1) return folding.otherOf(period);
      return cells.codeOf(cells.table.codeOf(values.slice(leading)), period);
    });
    const size = folding?.size ?? cells.size;
    return Object.fromEntries(
      parts.map((part, index) => {
        const found = new Float64Array(size).fill(NULLABLE.has(part) ? Number.NaN : 0);
        for (const [nth, row] of rows.entries()) {
          const value = row[`figure_${index + 1}`] ?? null;
          found[places[nth] ?? 0] = value === null ? Number.NaN : Number(value);
        }
        return [part, found];
      }),
    );
  }

  /** Returns the period, if there are periods, and the keys. */
  async #keys({ cells, periods = [], span }: GroupQuestion, selection: CallSelection): Promise<GroupKey[]> {
    const { columns, offsets } = cells;
    const isLocal = columns.some(({ key }) => isLocalKey(key));
    const changes = offsets.slice(1).map(({ startsAt }) => Date.parse(startsAt));
    const length = slotLength([
      ...periods.map(({ startsAt }) => Date.parse(startsAt)),
      ...(isLocal ? [HOUR_MS, ...changes, ...offsets.map(({ offsetSeconds }) => offsetSeconds * 1000)] : []),
    ]);
    const toKey = cells.periods || isLocal ? await this.#slots(length, selection, span) : undefined;
    const names = columns.some(({ key }) => key.isNameOf) ? await this.readCampaignNames() : new Map();
    const ofPeriod = cells.periods && toKey?.((startsMs, own) => periodCodes(startsMs, periods, own));
    const ofColumns = columns.map(({ key: { of, type, isNameOf } }) => {
      if ("stored" in of) throw new Error(`The cluster has no ${of.stored} in its stored form`);
      if ("fact" in of) {
        const text = isNameOf ? campaignText(names) : factText(of.fact, this.#source, selection);
        const read = (value: ClusterValue) => (type === "integer" && value !== null ? Number(value) : value);
        return { text, read, write: (value: FactValue) => value };
      }
      const part = of.local;
      return toKey?.((startsMs, own) => localCodes(startsMs, { part, offsets }, own));
    });
    return [ofPeriod, ...ofColumns].filter((key) => key !== undefined);
  }

  /** Returns a function to a key by when calls started: it maps slots to what they are, with codes for the cluster. */
  async #slots(length: number, selection: CallSelection, span: Span) {
    const text = slotText(length);
    const sql = callsText(this.#source, { keys: [text] }, selection, span);
    const rows = await this.#reader.ask("read when calls started", sql);
    const slots = [...new Set([0, ...rows.map(({ key_1 }) => Number(key_1))])];
    const startsMs = Float64Array.from(slots, (slot) => slotStart(slot, length));
    return (toCodes: (startsMs: Float64Array, dictionary: Dictionary) => Codes): GroupKey => {
      const dictionary = new Dictionary();
      const codes = toCodes(startsMs, dictionary);
      return {
        text: `transform(${text}, [${slots.join()}], [${codes.join()}], 0)`,
        read: (code) => dictionary.values[Number(code)] ?? null,
        write: (value) => dictionary.codeOf(value),
      };
    };
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    if (fact === "campaign") {
      const names = await this.readCampaignNames();
      const select = `SELECT campaign, campaign_id FROM ${await this.#readCampaigns()}`;
      return [...new Set(this.#all(select).map(([own = null, id]) => names.get(String(id)) ?? own))];
    }
    const keys = [factText(fact, this.#source, ALL_CALLS)];
    const rows = await this.#reader.ask(`read the values of ${fact}`, callsText(this.#source, { keys }));
    return rows.map(({ key_1 = null }) => (fact === "org_unit_id" && key_1 !== null ? Number(key_1) : key_1));
  }

  async readCampaignNames(): Promise<CampaignNames> {
    const rows = this.#all(severalNamesText(await this.#readCampaigns()));
    return new Map(rows.map(([id, name]) => [String(id), String(name)]));
  }

  /** Returns a table of the campaigns of all calls. */
  #readCampaigns(): Promise<string> {
    this.#campaigns ??= this.#store(
      "campaign TEXT, campaign_id TEXT, source TEXT, calls INTEGER, live_calls INTEGER",
      {
        doing: "read campaigns",
        sql: callsText(this.#source, {
          keys: ["campaign", "campaign_id", "source"],
          figures: ["count()", "countIf(is_live = 1)"],
        }),
      },
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
    const counted = ["calls", "answered_calls", "missed_calls"] as const;
    const figures = counted.map((part) => partText(part, this.#source, selection));
    const keys = [factText("duration", this.#source, selection)];
    const rows = await this.#reader.ask(
      "read durations",
      callsText(this.#source, { keys, figures }, selection, span),
    );
    const durations = Int32Array.from(rows, ({ key_1 }) => (key_1 === null ? NO_DURATION : Number(key_1)));
    const bands = Array.from({ length: bounds.length + 2 }, () => counted.map(() => 0));
    for (const [index, band] of bandCodes(durations, bounds).entries())
      bands[band] = counted.map(
        (_, nth) => (bands[band]?.[nth] ?? 0) + Number(rows[index]?.[`figure_${nth + 1}`]),
      );
    return bands.map((counts, band) => [band === 0 ? null : band - 1, ...counts]);
  }

  async readExtent(selection: CallSelection): Promise<[first: string, last: string] | null> {
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
    const parts = ["earliest_start", "latest_start"] as const;
    const figures = parts.map((part) => partText(part, this.#source, selection));
    const sql = callsText(this.#source, { keys: [slotText(MONTH_MS)], figures }, selection);
    const rows = await this.#reader.ask("read when calls started", sql);
    const toText = (ms: ClusterValue | undefined) => new Date(Number(ms)).toISOString();
    return rows
      .filter(({ figure_1 }) => figure_1 !== null)
      .toSorted((a, b) => Number(a.key_1) - Number(b.key_1))
      .map(({ figure_1, figure_2 }) => ({ first: toText(figure_1), last: toText(figure_2) }));
  }

  async countUnknownCallers(callers: readonly string[]): Promise<number> {
    if (callers.length === 0) return 0;
    const isOneOf: Condition = { fact: "caller", isOneOf: callers };
    const sql = callsText(this.#source, { keys: ["caller"] }, { ...ALL_CALLS, conditions: [isOneOf] });
    const known = new Set((await this.#reader.ask("look for callers", sql)).map(({ key_1 }) => key_1));
    return callers.filter((caller) => !known.has(caller)).length;
  }

  async readSpend(): Promise<ImportedSpend> {
    const columns = Object.entries(SPEND_TABLE.columns).map(
      ([name, type]) => `${name} ${type.includes("String") ? "TEXT" : "INTEGER"}`,
    );
    const table = await this.#store(columns.join(", "), {
      doing: "read spend",
      sql: `SELECT ${Object.keys(SPEND_TABLE.columns).join(", ")}
FROM ${this.#source.fromSpend} WHERE account = ${literal(this.#source.account)} AND is_deleted = 0`,
    });
    const [[found] = []] = this.#all(`SELECT count(*) FROM ${table}`);
    const { account, spendRows: published } = this.#source;
    assertAll(account, "rows of spend", { found: Number(found), published });
    const campaigns = `SELECT campaign, campaign_id, source, calls FROM ${await this.#readCampaigns()}
  WHERE campaign IS NOT NULL OR campaign_id IS NOT NULL`;
    return { table, campaigns };
  }

  makeTable(columns: string): string {
    return this.#reader.makeTable(columns);
  }

  /** Puts what the cluster responds into a table. */
  async #store(columns: string, { doing, sql }: { doing: string; sql: string }): Promise<string> {
    const rows = await this.#reader.ask(doing, sql);
    const table = this.makeTable(columns);
    const values = columns.split(", ").map(() => "?");
    const insert = this.#reader.database.prepare<ClusterValue[]>(
      `INSERT INTO ${table} VALUES (${values.join()})`,
    );
    this.#reader.database.transaction(() => {
      for (const row of rows) insert.run(...Object.values(row));
    })();
    return table;
  }

  #all(sql: string): FactValue[][] {
    return this.#reader.database.prepare<[], FactValue[]>(sql).raw().all();
  }
}

/** As {@link SEVERAL_NAMES} in a warehouse. */
function severalNamesText(campaigns: string): string {
  return `SELECT campaign_id, campaign FROM (
  SELECT campaign_id, campaign,
    row_number() OVER (PARTITION BY campaign_id ORDER BY sum(live_calls) DESC, campaign) AS rank
  FROM ${campaigns} WHERE campaign IS NOT NULL AND live_calls > 0 GROUP BY 1, 2
) WHERE rank = 1 AND campaign_id IN (
  SELECT campaign_id FROM ${campaigns} WHERE campaign_id IS NOT NULL
  GROUP BY 1 HAVING count(DISTINCT campaign) > 1 OR count(campaign) < count(*)
) ORDER BY 1`;
}

/** Parts that have no value without calls, or without durations or starts. */
const NULLABLE: ReadonlySet<Part> = new Set<Part>([
  "duration_sum",
  "duration_median",
  "earliest_start",
  "latest_start",
]);

/** @throws CalltallyError (exit 3) if the cluster has fewer rows of an account than were published */
export function assertAll(
  account: string,
  what: string,
  { found, published }: { found: number; published: number },
): void {
  if (found === published) return;
  throw new CalltallyError(
    EXIT.unverified,
    `Cannot read ${account} in the cluster: it has ${found} ${what} over all shards, and ${published} were published`,
    { hint: "Publish the account again: it sends what the cluster has lost." },
  );
}
