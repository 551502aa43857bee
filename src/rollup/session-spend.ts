import type { Database } from "better-sqlite3";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { toChannel } from "../attribution/channel-rules.ts";
import { compileRules } from "../attribution/compiled-rules.ts";
import { toInstants } from "../calendar/dates.ts";
import { type CallFilter, type Condition, type Span, toConditions } from "./call-filter.ts";
import type { Engine, ImportedSpend } from "./engine.ts";
import type { SpendForm } from "./metrics.ts";
import { type CampaignKey, campaignMatcher, type Match } from "./spend-campaigns.ts";
import type { SqlText } from "./sql-text.ts";
import {
  insertSpendText,
  rankedCampaignsText,
  SPEND_COLUMNS,
  SPEND_KEY_COLUMNS,
  SPEND_KEYS,
  spendDaysText,
  spendFilesText,
  spendFormText,
  spendSumsText,
  unmatchedText,
} from "./sqlite/sqlite-spend-sql.ts";

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
    const [currency, decimals] = this.#first({ sql: spendFormText(imported.table), values: {} });
    this.form = {
      currency: currency === null ? undefined : String(currency),
      decimals: Number(decimals ?? 2),
    };
    const days = makeTable("day TEXT PRIMARY KEY, starts_at TEXT NOT NULL");
    const insertDay = database.prepare(`INSERT INTO ${days} VALUES (?, ?)`);
    for (const [day] of this.#all({ sql: `SELECT DISTINCT day FROM ${imported.table}`, values: {} })) {
      insertDay.run(day, toInstants({ from: String(day) }, zone).startsAt);
    }
    const keys = makeTable(SPEND_KEY_COLUMNS);
    this.#insertKeys(keys, rules);
    this.table = makeTable(SPEND_COLUMNS);
    database.exec(insertSpendText(this.table, { imported: imported.table, keys, days }));
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
    const match = campaignMatcher(
      this.#all(rankedCampaignsText(campaigns)).map(([campaign, campaign_id, source, calls]) => ({
        campaign: toText(campaign),
        campaign_id: toText(campaign_id),
        source: toText(source),
        calls: Number(calls),
      })),
    );
    const insert = this.#database.prepare(`INSERT INTO ${table} VALUES (${"?, ".repeat(9)}?)`);
    for (const given of this.#all({ sql: `SELECT DISTINCT ${SPEND_KEYS} FROM ${imported}`, values: {} })) {
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
    return this.#all({ sql: `SELECT DISTINCT ${fact} FROM ${this.table}`, values: {} }).map(([value]) =>
      toText(value),
    );
  }

  /** Returns what the spend of a stretch adds up to, by how it came to its campaign; what was not is missing. */
  sums(span: Span = {}): Map<Match, SpendSum> {
    const rows = this.#all(spendSumsText(span, this));
    return new Map(rows.map(([match, ...sum]) => [toMatch(match), toSum(sum)]));
  }

  /** Returns which days of a stretch have spend; undefined where none has. */
  days(span: Span = {}): { count: number; first: string; last: string } | undefined {
    const [count, first, last] = this.#first(spendDaysText(span, this));
    return first === null || first === undefined
      ? undefined
      : { count: Number(count), first: String(first), last: String(last) };
  }

  /** Returns when the first and the last day of spend begin, ISO 8601 UTC; undefined without any. */
  readExtent(): { first: string; last: string } | undefined {
    const [, , , first, last] = this.#first(spendDaysText({}, this));
    return typeof first === "string" && typeof last === "string" ? { first, last } : undefined;
  }

  /** Lists the files that the spend of a stretch is from, as they were imported. */
  files(span: Span = {}): ({ file: string; imported_at: string } & SpendSum)[] {
    return this.#all(spendFilesText(span, this, this.#imported.table)).map(([file, imported_at, ...sum]) => ({
      file: String(file),
      imported_at: String(imported_at),
      ...toSum(sum),
    }));
  }

  /** Lists the campaigns of a stretch's spend that no call has, most spend first. */
  unmatched(span: Span = {}): UnmatchedCampaign[] {
    return this.#all(unmatchedText(span, this)).map(([campaign, campaign_id, source, days, ...sum]) => ({
      campaign: toText(campaign),
      campaign_id: toText(campaign_id),
      source: toText(source),
      days: Number(days),
      ...toSum(sum),
    }));
  }

  /** Sums of many rows go beyond the numbers that are exact. */
  #all({ sql, values }: SqlText): SpendValue[][] {
    return this.#database.prepare<[SqlText["values"]], SpendValue[]>(sql).safeIntegers().raw().all(values);
  }

  #first(text: SqlText): SpendValue[] {
    return this.#all(text)[0] ?? [];
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
  switch (value) {
    case "id":
    case "name":
    case "unnamed":
      return value;
    default:
      return "unmatched";
  }
}
