import type { Database } from "better-sqlite3";
import { type Span, toInstants } from "../base/calendar/dates.ts";
import { pick } from "../base/records.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import { compileRules } from "../calls/attribution/compiled-rules.ts";
import type { FactColumn } from "../calls/facts.ts";
import type { CallFilter } from "../calls/filter.ts";
import { addSpent, type Spent } from "../figures/amounts/spent.ts";
import type { CampaignNames } from "../figures/campaign-names.ts";
import type { Cells, Side } from "../figures/cells/cells.ts";
import type { FactValue } from "../figures/dictionary.ts";
import type { SpendForm } from "../figures/metrics.ts";
import { periodCodes } from "../figures/time-keys.ts";
import { type Condition, toConditions } from "./call-filter.ts";
import type { Engine, ImportedSpend } from "./engine.ts";
import { type CampaignKey, campaignMatcher, type Match, type SourceCampaign } from "./spend-campaigns.ts";
import { formText, groupByFirst } from "./sql-text.ts";
import { selectionText } from "./sqlite/sqlite-calls-sql.ts";

/** Columns of a session's spend, with the names of facts: `call_started` is the start of the day. */
const COLUMNS = `spend_id INTEGER PRIMARY KEY, call_started TEXT NOT NULL, day TEXT NOT NULL, source TEXT, medium TEXT,
  campaign TEXT, campaign_id TEXT, channel TEXT NOT NULL, match TEXT NOT NULL,
  given_campaign TEXT, given_campaign_id TEXT, cost_micros INTEGER NOT NULL, clicks INTEGER, impressions INTEGER`;

const KEY_COLUMNS = `given_source TEXT, given_medium TEXT, given_campaign TEXT, given_campaign_id TEXT,
  source TEXT, medium TEXT, campaign TEXT, campaign_id TEXT, channel TEXT, match TEXT,
  UNIQUE (given_source, given_medium, given_campaign, given_campaign_id)`;

export interface SpendSum {
  rows: number;
  cost_micros: bigint;
}

/** A campaign of an ad platform that no call has. */
export interface UnmatchedCampaign extends CampaignKey, SpendSum {
  source: string | null;
  days: number;
}

export interface SpendOptions {
  rules: AttributionRules;
  filter: CallFilter;
  imported: ImportedSpend;
  campaignNames: CampaignNames;
  /** IANA zone whose days the reports' days are taken for. */
  zone: string;
  makeTable: Engine["makeTable"];
}

/**
 * Spend with the keys of a session's calls: sources and mediums by the current aliases, channels by the rules,
 * campaigns as calls have them.
 */
export class SessionSpend {
  readonly form: SpendForm;
  readonly #table: string;
  /** The filter's conditions that apply to spend: on source, channel and campaign. */
  readonly #conditions: readonly Condition[];
  readonly #database: Database;
  readonly #imported: ImportedSpend;

  constructor(database: Database, options: SpendOptions) {
    const { rules, filter, zone, imported, makeTable } = options;
    this.#database = database;
    this.#imported = imported;
    const [form] = this.#all<{ currency: string | null; decimals: number | null }>(
      `SELECT ${formText("cost_micros")} FROM ${imported.table}`,
    );
    this.form = { currency: form?.currency ?? undefined, decimals: form?.decimals ?? 2 };
    const days = makeTable("day TEXT PRIMARY KEY, starts_at TEXT NOT NULL");
    const insertDay = database.prepare(`INSERT INTO ${days} VALUES (?, ?)`);
    for (const { day } of this.#all<{ day: string }>(`SELECT DISTINCT day FROM ${imported.table}`)) {
      insertDay.run(day, toInstants({ from: day }, zone).startsAt);
    }
    const keys = makeTable(KEY_COLUMNS);
    this.#insertKeys(keys, options);
    this.#table = makeTable(COLUMNS);
    database.exec(`INSERT INTO ${this.#table}
SELECT s.spend_id, d.starts_at, s.day, k.source, k.medium, k.campaign, k.campaign_id, k.channel, k.match,
  s.campaign, s.campaign_id, s.cost_micros, s.clicks, s.impressions
FROM ${imported.table} AS s
JOIN ${days} AS d ON d.day = s.day
JOIN ${keys} AS k ON k.given_source = s.source AND k.given_medium = s.medium
  AND k.given_campaign IS s.campaign AND k.given_campaign_id IS s.campaign_id`);
    this.#conditions = toConditions(
      { ...pick(filter, ["source", "channel", "campaign"]), include_gone: true }, // only calls can be live
      rules,
      { readValues: (fact) => this.readValues(fact) },
    );
  }

  /** Names are first those of rows, then other names of the calls in them. */
  #insertKeys(table: string, { rules, campaignNames, makeTable }: SpendOptions): void {
    const { table: imported, campaigns } = this.#imported;
    const { utmKeyOf, campaignOf, channelOf } = compileRules(rules);
    const names = makeTable("campaign_id TEXT PRIMARY KEY, name TEXT NOT NULL");
    const insertName = this.#database.prepare(`INSERT INTO ${names} VALUES (?, ?)`);
    for (const name of campaignNames) insertName.run(name);
    const ofRows = `SELECT coalesce(n.name, c.campaign) AS campaign, c.campaign_id, c.source, sum(c.calls) AS calls
FROM (${campaigns}) AS c LEFT JOIN ${names} AS n ON n.campaign_id = c.campaign_id GROUP BY 1, 2, 3`;
    const prepareMatch = (from: string) =>
      campaignMatcher(
        this.#all<SourceCampaign>(`SELECT campaign, campaign_id, source, calls FROM (${from})
ORDER BY sum(calls) OVER (PARTITION BY campaign, campaign_id) DESC, 1, 2, 3`),
      );
    const [matchRow, matchOwn] = [prepareMatch(ofRows), prepareMatch(campaigns)];
    const match: typeof matchRow = (key) => {
      const ofRow = matchRow(key);
      if (ofRow.match !== "unmatched") return ofRow;
      const { campaign, ...ofCampaign } = matchOwn(key);
      return { ...ofCampaign, campaign: campaignNames.get(ofCampaign.campaign_id ?? "") ?? campaign };
    };
    const insert = this.#database.prepare(`INSERT INTO ${table} VALUES (${"?, ".repeat(9)}?)`);
    const distinct = `SELECT DISTINCT source, medium, campaign, campaign_id FROM ${imported}`;
    for (const row of this.#all<CampaignKey & { source: string; medium: string }>(distinct)) {
      const [source, medium] = [utmKeyOf.utm_source(row.source), utmKeyOf.utm_medium(row.medium)];
      const named = campaignOf(row.campaign);
      const matched = match({ ...row, source, campaign: named });
      const campaign = named?.toLowerCase() ?? "";
      const channel = channelOf({ source: source ?? "", medium: medium ?? "", campaign, referrer: "" });
      const columns = [source, medium, matched.campaign, matched.campaign_id, channel, matched.match];
      insert.run(row.source, row.medium, row.campaign, row.campaign_id, ...columns);
    }
  }

  /** Returns the distinct values of a fact that spend has, too; none for other facts. */
  readValues(fact: FactColumn): (string | null)[] {
    if (!["source", "medium", "channel", "campaign", "campaign_id"].includes(fact)) return [];
    const select = this.#database.prepare<[], string | null>(`SELECT DISTINCT ${fact} FROM ${this.#table}`);
    return select.pluck().all();
  }

  /** Returns the spend of each cell that has any. */
  byCell({ span, periods }: Side, cells: Cells): Map<number, Spent> {
    const facts = cells.columns.flatMap(({ key: { of } }) => ("fact" in of ? [`f.${of.fact}`] : []));
    const keys = [...facts, ...(periods ? ["f.call_started"] : [])];
    const sums = ["CAST(sum(f.cost_micros) AS TEXT)", "sum(f.clicks)", "sum(f.impressions)"];
    const rows = this.#database
      .prepare<[], FactValue[]>(
        `SELECT ${[...keys, ...sums].join(", ")} ${this.#selectionText(span)}\n${groupByFirst(keys)}${HAS_ROWS}`,
      )
      .raw()
      .all();
    const startsMs = Float64Array.from(rows, (row) => Date.parse(String(row[facts.length])));
    const ofPeriods = cells.periods && periodCodes(startsMs, periods ?? [], cells.periods);
    const spent = new Map<number, Spent>();
    for (const [index, row] of rows.entries()) {
      const cell = cells.codeOf(cells.table.codeOf(row.slice(0, facts.length)), ofPeriods?.[index] ?? 0);
      const [cost, clicks, impressions] = row.slice(keys.length);
      const amounts = {
        costMicros: BigInt(cost ?? 0),
        clicks: toCount(clicks),
        impressions: toCount(impressions),
      };
      spent.set(cell, addSpent(spent.get(cell), amounts));
    }
    return spent;
  }

  /** Sums the spend of a span by how it was matched to campaigns; omits ways without spend. */
  sums(span: Span = {}): Map<Match, SpendSum> {
    const rows = this.#select<SpendSumText & { match: Match }>(`f.match, ${SUM}`, span, "GROUP BY 1");
    return new Map(rows.map(({ match, ...sum }) => [match, toSum(sum)]));
  }

  days(span: Span = {}): { count: number; first: string; last: string } | undefined {
    const columns = "count(DISTINCT f.day) AS count, min(f.day) AS first, max(f.day) AS last";
    return this.#select<{ count: number; first: string; last: string }>(columns, span, HAS_ROWS)[0];
  }

  /** Returns when the first and the last day of spend begin, ISO 8601 UTC; undefined if there is none. */
  readExtent(): { first: string; last: string } | undefined {
    const columns = "min(f.call_started) AS first, max(f.call_started) AS last";
    return this.#select<{ first: string; last: string }>(columns, {}, HAS_ROWS)[0];
  }

  files(span: Span = {}): ({ file: string; imported_at: string } & SpendSum)[] {
    const columns = `s.file, s.imported_at, ${SUM}`;
    const join = `\nJOIN ${this.#imported.table} AS s ON s.spend_id = f.spend_id`;
    const order = "GROUP BY 1, 2 ORDER BY 2, 1";
    return this.#select<SpendSumText & { file: string; imported_at: string }>(columns, span, order, {
      join,
    }).map(toSum);
  }

  /** Lists the campaigns with spend in a span that no call has, most spend first. */
  unmatched(span: Span = {}): UnmatchedCampaign[] {
    const columns = `f.given_campaign AS campaign, f.given_campaign_id AS campaign_id, f.source,
  count(DISTINCT f.day) AS days, ${SUM}`;
    const order = "GROUP BY 1, 2, 3 ORDER BY sum(f.cost_micros) DESC, 1, 2, 3";
    const also = ["f.match = 'unmatched'"];
    return this.#select<SpendSumText & Omit<UnmatchedCampaign, keyof SpendSum>>(columns, span, order, {
      also,
    }).map(toSum);
  }

  /** Sums the spend of each campaign in a span, by the names that calls have. */
  campaigns(
    span: Span = {},
  ): (Omit<UnmatchedCampaign, "days" | keyof SpendSum> & { match: Match } & SpendSum)[] {
    const columns = `f.campaign, f.campaign_id, f.source, f.match, ${SUM}`;
    const order = "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4";
    return this.#select<SpendSumText & CampaignKey & { source: string | null; match: Match }>(
      columns,
      span,
      order,
    ).map(toSum);
  }

  #select<Found>(
    columns: string,
    span: Span,
    group: string,
    options: { join?: string; also?: readonly string[] } = {},
  ): Found[] {
    return this.#all(`SELECT ${columns} ${this.#selectionText(span, options)}\n${group}`);
  }

  #selectionText(span: Span, options: Parameters<typeof selectionText>[2] = {}): string {
    const selection = { conditions: this.#conditions, isGoneCounted: true };
    return selectionText(span, selection, { from: `${this.#table} AS f`, ...options });
  }

  #all<Found>(sql: string): Found[] {
    return this.#database.prepare<[], Found>(sql).all();
  }
}

const toCount = (value: FactValue = null) => (value === null ? null : Number(value));

const HAS_ROWS = "HAVING count(*) > 0";

/** As text, because the sum may exceed exact doubles. */
const SUM = "count(*) AS rows, CAST(sum(f.cost_micros) AS TEXT) AS cost";

interface SpendSumText {
  rows: number;
  cost: string;
}

function toSum<Found extends SpendSumText>({ cost, ...row }: Found) {
  return { ...row, cost_micros: BigInt(cost) };
}
