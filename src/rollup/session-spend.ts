import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { toChannel } from "../attribution/channel-rules.ts";
import { compileRules } from "../attribution/compiled-rules.ts";
import { toInstants } from "../calendar/dates.ts";
import { type CallFilter, type Condition, type Span, toConditions } from "./call-filter.ts";
import type { Engine, ImportedSpend } from "./engine.ts";
import type { SpendForm } from "./metrics.ts";
import { type CampaignKey, campaignMatcher, MATCHES, type Match } from "./spend-campaigns.ts";
import { selectionText } from "./sqlite/sqlite-calls-sql.ts";

/** Columns of a session's spend, named as the facts of calls that they stand beside: `call_started` is where the day begins. */
const COLUMNS = `spend_id INTEGER PRIMARY KEY, call_started TEXT NOT NULL, day TEXT NOT NULL, source TEXT, medium TEXT,
  campaign TEXT, campaign_id TEXT, channel TEXT NOT NULL, match TEXT NOT NULL,
  given_campaign TEXT, given_campaign_id TEXT, cost_micros INTEGER NOT NULL, clicks INTEGER, impressions INTEGER`;

/** Columns of the table that says which keys of calls those of reports are. */
const KEY_COLUMNS = `given_source TEXT, given_medium TEXT, given_campaign TEXT, given_campaign_id TEXT,
  source TEXT, medium TEXT, campaign TEXT, campaign_id TEXT, channel TEXT, match TEXT,
  UNIQUE (given_source, given_medium, given_campaign, given_campaign_id)`;

/** The currency, and the fewest digits after the point, from two on, that show every amount whole. */
const FORM = `min(currency), max(CASE
  WHEN cost_micros % 10000 = 0 THEN 2 WHEN cost_micros % 1000 = 0 THEN 3 WHEN cost_micros % 100 = 0 THEN 4
  WHEN cost_micros % 10 = 0 THEN 5 ELSE 6 END)`;

/** What some spend adds up to. */
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
  /** IANA zone whose days those of the reports are taken for. */
  zone: string;
  makeTable: Engine["makeTable"];
}

/** What ads cost, with the keys that the calls of a session have: sources and mediums by the aliases in force, channels by the rules, campaigns as calls have them. */
export class SessionSpend {
  readonly form: SpendForm;
  readonly table: string;
  /** What the session's filter says of spend: of source, channel and campaign, since it has nothing else of calls. */
  readonly conditions: readonly Condition[];
  readonly #database: Database;
  readonly #imported: ImportedSpend;

  constructor(database: Database, { rules, filter, zone, imported, makeTable }: SpendOptions) {
    this.#database = database;
    this.#imported = imported;
    const [[currency = null, decimals] = []] = this.#all(`SELECT ${FORM} FROM ${imported.table}`);
    this.form = {
      currency: currency === null ? undefined : String(currency),
      decimals: Number(decimals ?? 2),
    };
    const days = makeTable("day TEXT PRIMARY KEY, starts_at TEXT NOT NULL");
    const insertDay = database.prepare(`INSERT INTO ${days} VALUES (?, ?)`);
    for (const [day] of this.#all(`SELECT DISTINCT day FROM ${imported.table}`)) {
      insertDay.run(day, toInstants({ from: String(day) }, zone).startsAt);
    }
    const keys = makeTable(KEY_COLUMNS);
    this.#insertKeys(keys, rules);
    this.table = makeTable(COLUMNS);
    database.exec(`INSERT INTO ${this.table}
SELECT s.spend_id, d.starts_at, s.day, k.source, k.medium, k.campaign, k.campaign_id, k.channel, k.match,
  s.campaign, s.campaign_id, s.cost_micros, s.clicks, s.impressions
FROM ${imported.table} AS s
JOIN ${days} AS d ON d.day = s.day
JOIN ${keys} AS k ON k.given_source = s.source AND k.given_medium = s.medium
  AND k.given_campaign IS s.campaign AND k.given_campaign_id IS s.campaign_id`);
    const { source, channel, campaign } = filter;
    this.conditions = toConditions(
      {
        ...(source && { source }),
        ...(channel && { channel }),
        ...(campaign && { campaign }),
        include_gone: true, // that calls are live is said of calls alone
      },
      rules,
      { readValues: (fact) => this.readValues(fact) },
    );
  }

  #insertKeys(table: string, rules: AttributionRules): void {
    const { table: imported, campaigns } = this.#imported;
    const { utmKeyOf } = compileRules(rules);
    const ranked = `SELECT campaign, campaign_id, source, calls FROM (${campaigns})
ORDER BY sum(calls) OVER (PARTITION BY campaign, campaign_id) DESC, 1, 2, 3`;
    const match = campaignMatcher(
      this.#all(ranked).map(([campaign, campaign_id, source, calls]) => ({
        campaign: toText(campaign),
        campaign_id: toText(campaign_id),
        source: toText(source),
        calls: Number(calls),
      })),
    );
    const insert = this.#database.prepare(`INSERT INTO ${table} VALUES (${"?, ".repeat(9)}?)`);
    const distinct = `SELECT DISTINCT source, medium, campaign, campaign_id FROM ${imported}`;
    for (const given of this.#all(distinct)) {
      const [source, medium] = [utmKeyOf(String(given[0])), utmKeyOf(String(given[1]))];
      const own = { campaign: toText(given[2]), campaign_id: toText(given[3]) };
      const found = match({ ...own, source });
      const campaign = own.campaign?.toLowerCase() ?? "";
      const channel = toChannel({ source: source ?? "", medium: medium ?? "", campaign });
      insert.run(...given, source, medium, found.campaign, found.campaign_id, channel, found.match);
    }
  }

  /** Returns the different values of a fact that spend has as well; none of others. */
  readValues(fact: FactColumn): (string | null)[] {
    if (!["source", "medium", "channel", "campaign", "campaign_id"].includes(fact)) return [];
    return this.#all(`SELECT DISTINCT ${fact} FROM ${this.table}`).map(([value]) => toText(value));
  }

  /** Returns what the spend of a stretch adds up to, by how it came to its campaign; what was not is missing. */
  sums(span: Span = {}): Map<Match, SpendSum> {
    const rows = this.#select("f.match, count(*), sum(f.cost_micros)", span, "GROUP BY 1");
    return new Map(rows.map(([match, ...sum]) => [toMatch(match), toSum(sum)]));
  }

  /** Returns which days of a stretch have spend; undefined where none has. */
  days(span: Span = {}): { count: number; first: string; last: string } | undefined {
    const [[count, first, last] = []] = this.#select("count(DISTINCT f.day), min(f.day), max(f.day)", span);
    return typeof first === "string" ? { count: Number(count), first, last: String(last) } : undefined;
  }

  /** Returns when the first and the last day of spend begin, ISO 8601 UTC; undefined without any. */
  readExtent(): { first: string; last: string } | undefined {
    const [[first, last] = []] = this.#select("min(f.call_started), max(f.call_started)", {});
    return typeof first === "string" && typeof last === "string" ? { first, last } : undefined;
  }

  /** Lists the files that the spend of a stretch is from, as they were imported. */
  files(span: Span = {}): ({ file: string; imported_at: string } & SpendSum)[] {
    const columns = "s.file, s.imported_at, count(*), sum(f.cost_micros)";
    const join = `\nJOIN ${this.#imported.table} AS s ON s.spend_id = f.spend_id`;
    return this.#select(columns, span, "GROUP BY 1, 2 ORDER BY 2, 1", { join }).map(
      ([file, imported_at, ...sum]) => ({
        file: String(file),
        imported_at: String(imported_at),
        ...toSum(sum),
      }),
    );
  }

  /** Lists the campaigns of a stretch's spend that no call has, most spend first. */
  unmatched(span: Span = {}): UnmatchedCampaign[] {
    const columns =
      "f.given_campaign, f.given_campaign_id, f.source, count(DISTINCT f.day), count(*), sum(f.cost_micros)";
    const order = "GROUP BY 1, 2, 3 ORDER BY 6 DESC, 1, 2, 3";
    return this.#select(columns, span, order, { also: ["f.match = 'unmatched'"] }).map(
      ([campaign, campaign_id, source, days, ...sum]) => ({
        campaign: toText(campaign),
        campaign_id: toText(campaign_id),
        source: toText(source),
        days: Number(days),
        ...toSum(sum),
      }),
    );
  }

  #select(
    columns: string,
    span: Span,
    group = "",
    options: { join?: string; also?: readonly string[] } = {},
  ): SpendValue[][] {
    const selection = { conditions: this.conditions, isGoneCounted: true };
    const from = `${this.table} AS f`;
    return this.#all(`SELECT ${columns} ${selectionText(span, selection, { from, ...options })}\n${group}`);
  }

  /** Sums of many rows go beyond the numbers that are exact. */
  #all(sql: string): SpendValue[][] {
    return this.#database.prepare<[], SpendValue[]>(sql).safeIntegers().raw().all();
  }
}

type SpendValue = string | bigint | number | null;

function toText(value: SpendValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function toSum([rows, cost]: SpendValue[]): SpendSum {
  return { rows: Number(rows), cost_micros: BigInt(cost ?? 0) };
}

function toMatch(value: SpendValue | undefined): Match {
  return MATCHES.find((known) => known === value) ?? "unmatched";
}
