import type { FactColumn } from "../attribution/attribute-call.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import type { Span } from "../calendar/dates.ts";
import { offsetSpanAt } from "../calendar/local-time.ts";
import type { CampaignNames } from "../figures/campaign-names.ts";
import type { Cells, GroupQuestion } from "../figures/cells.ts";
import { Dictionary, type FactValue } from "../figures/dictionary.ts";
import type { KeyColumn } from "../figures/dimensions.ts";
import type { Part, Parts } from "../figures/parts.ts";
import { NOT_SET } from "../figures/reserved-keys.ts";
import type { ZoneOffset } from "../figures/rollup-query.ts";
import { comparedFacts } from "../rollup/call-filter.ts";
import type { CallSelection, Engine, ImportedSpend } from "../rollup/engine.ts";
import { type FigureSessionOptions, selectionOf } from "../rollup/figure-session.ts";
import { literal } from "../rollup/sql-text.ts";
import {
  bandsQuestion,
  type CampaignName,
  type ClusterQuestion,
  type ClusterSource,
  callersQuestion,
  campaignsQuestion,
  extentQuestion,
  monthsQuestion,
  sideQuestion,
  spendQuestion,
  valuesQuestion,
} from "./clickhouse-calls-sql.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { SPEND_TABLE } from "./cluster-tables.ts";

interface ClusterEngineOptions {
  account: string;
  /** All accounts that are likely to be asked the same; the cluster answers for all of them at once. */
  source: ClusterSource;
  spendRows: number;
}

/** The facts of an account in a cluster. Its responses are stored in tables, from which all figures are computed. */
export class ClusterEngine implements Engine {
  readonly #reader: ClusterReader;
  readonly #options: ClusterEngineOptions;
  readonly #dictionaries = new Map<string, Dictionary>();

  constructor(reader: ClusterReader, options: ClusterEngineOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  dictionaryOf({ name }: KeyColumn): Dictionary {
    const known = this.#dictionaries.get(name) ?? new Dictionary();
    this.#dictionaries.set(name, known);
    return known;
  }

  /** The cluster groups: nothing is read in advance. */
  expect(): void {}

  async groups(
    { cells, parts, folding, span, periods }: GroupQuestion,
    selection: CallSelection,
  ): Promise<Parts> {
    const kept = folding && [...folding.kept()].map((cell) => storedKey(cell, cells));
    const keys = cells.columns.map(({ key }) => key);
    const source = {
      ...this.#sourceOf(selection),
      ...(kept && this.#own),
      ...(keys.some(({ isNameOf }) => isNameOf) && { campaignNames: await this.#readAllNames() }),
    };
    const rows = await this.#rows(
      sideQuestion(source, { keys, span, periods, offsets: cells.offsets, parts, kept }),
    );
    const leading = (periods ? 1 : 0) + (kept ? 1 : 0);
    const grouped = rows.map((row) => {
      const [label] = periods ? row : [];
      const period = cells.periods?.codeOf(label === NOT_SET ? null : (label ?? null)) ?? 0;
      const isKept = kept === undefined || row[leading - 1] === 1;
      const cell = () => cells.codeOf(cells.table.codeOf(row.slice(leading, leading + keys.length)), period);
      return {
        at: isKept ? cell() : (folding?.otherOf(period) ?? 0),
        figures: row.slice(leading + keys.length),
      };
    });
    const size = folding?.size ?? cells.size;
    return Object.fromEntries(
      parts.map((part, index) => {
        const values = new Float64Array(size).fill(NULLABLE.has(part) ? Number.NaN : 0);
        for (const { at, figures } of grouped) values[at] = toNumber(figures[index] ?? null);
        return [part, values];
      }),
    );
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    if (fact !== "campaign") return (await this.#rows(valuesQuestion(this.#options.source, fact))).flat();
    const names = await this.readCampaignNames();
    const calls = await this.#rows(campaignsQuestion(this.#options.source));
    return [...new Set(calls.map(([campaign = null, id]) => names.get(String(id)) ?? campaign))];
  }

  async readCampaignNames(): Promise<CampaignNames> {
    const all = await this.#readAllNames();
    return new Map(
      all.flatMap(([account, id, name]) => (account === this.#options.account ? [[id, name]] : [])),
    );
  }

  async #readAllNames(): Promise<CampaignName[]> {
    const table = await this.#reader.ask(campaignsQuestion(this.#options.source));
    return this.#reader.database.prepare<[], CampaignName>(severalNamesText(table)).raw().all();
  }

  /**
   * Compares a filter with the values of all accounts, so that each account asks the same questions; campaigns have
   * different names in each.
   */
  async select(options: FigureSessionOptions): Promise<CallSelection> {
    const values = new Map<FactColumn, readonly FactValue[]>();
    for (const fact of comparedFacts(options.filter ?? {})) {
      if (OF_CAMPAIGNS.has(fact)) {
        values.set(fact, await this.readValues(fact));
        continue;
      }
      const table = await this.#reader.ask(valuesQuestion(this.#options.source, fact));
      values.set(fact, this.#all(`SELECT DISTINCT value FROM ${table} ORDER BY 1`).flat());
    }
    const names = options.filter?.campaign && (await this.readCampaignNames());
    return selectionOf(options, {
      readValues: (fact) => values.get(fact) ?? [],
      campaignNames: names && (() => names),
    });
  }

  async readBands(bounds: readonly number[], span: Span, selection: CallSelection): Promise<FactValue[][]> {
    return await this.#rows(bandsQuestion(this.#sourceOf(selection), bounds, span));
  }

  async readExtent(selection: CallSelection): Promise<[first: string, last: string] | null> {
    const [row = []] = await this.#rows(extentQuestion(this.#sourceOf(selection)));
    const [first, last] = row;
    return typeof first === "string" && typeof last === "string" ? [first, last] : null;
  }

  async readFirstStart(): Promise<string | null> {
    const [row = []] = await this.#rows(extentQuestion(this.#options.source));
    return typeof row[0] === "string" ? row[0] : null;
  }

  async countUnknownCallers(callers: readonly string[]): Promise<number> {
    if (callers.length === 0) return 0;
    const known = new Set(
      (await this.#rows(callersQuestion({ ...this.#options.source, ...this.#own }, callers))).flat(),
    );
    return callers.filter((caller) => !known.has(caller)).length;
  }

  /** For all months with calls of any account, so that each account asks the same question. */
  async readOffsets(zone: string): Promise<ZoneOffset[]> {
    const table = await this.#reader.ask(monthsQuestion(this.#options.source));
    const months = this.#all(`SELECT first, last FROM ${table} ORDER BY month`);
    const offsets: ZoneOffset[] = [];
    for (const [first, last] of months) {
      for (let startsAt = String(first); startsAt <= String(last); ) {
        const span = offsetSpanAt(startsAt, zone);
        if (span.offsetSeconds !== offsets.at(-1)?.offsetSeconds)
          offsets.push({ startsAt, offsetSeconds: span.offsetSeconds });
        if (span.endsAt === undefined) break;
        startsAt = span.endsAt;
      }
    }
    return offsets;
  }

  async readSpend(): Promise<ImportedSpend> {
    const own = `WHERE account = ${literal(this.#options.account)}`;
    const spend = await this.#reader.ask(spendQuestion(this.#options.source));
    const [[rows] = []] = this.#all(`SELECT count(*) FROM ${spend} ${own}`);
    assertAll(this.#options.account, "rows of spend", {
      found: Number(rows),
      published: this.#options.spendRows,
    });
    const columns = Object.keys(SPEND_TABLE.columns).join(", ");
    const campaigns = await this.#reader.ask(campaignsQuestion(this.#options.source));
    return {
      table: `(SELECT ${columns} FROM ${spend} ${own})`,
      campaigns: `SELECT campaign, campaign_id, source, calls FROM ${campaigns} ${own}
  AND (campaign IS NOT NULL OR campaign_id IS NOT NULL)`,
    };
  }

  makeTable(columns: string): string {
    return this.#reader.makeTable(columns);
  }

  get #own(): Pick<ClusterSource, "accounts"> {
    return { accounts: [this.#options.account] };
  }

  #sourceOf({ conditions, isGoneCounted }: CallSelection): ClusterSource {
    // Callers and campaigns have different names in each account.
    const isOwn = conditions.some(
      (condition) =>
        "isNoneOf" in condition ||
        ("any" in condition && condition.any.some((one) => "fact" in one && OF_CAMPAIGNS.has(one.fact))),
    );
    return { ...this.#options.source, conditions, isGoneCounted, ...(isOwn && this.#own) };
  }

  async #rows(question: ClusterQuestion): Promise<FactValue[][]> {
    const table = await this.#reader.ask(question);
    const sql = `SELECT * FROM ${table} WHERE account = ?`;
    return this.#reader.database
      .prepare<[string], FactValue[]>(sql)
      .raw()
      .all(this.#options.account)
      .map(([, ...values]) => values);
  }

  #all(sql: string): FactValue[][] {
    return this.#reader.database.prepare<[], FactValue[]>(sql).raw().all();
  }
}

const OF_CAMPAIGNS: ReadonlySet<FactColumn> = new Set<FactColumn>(["campaign", "campaign_id"]);

/** As {@link SEVERAL_NAMES} in a warehouse, of each account. */
function severalNamesText(campaigns: string): string {
  return `SELECT account, campaign_id, campaign FROM (
  SELECT account, campaign_id, campaign,
    row_number() OVER (PARTITION BY account, campaign_id ORDER BY sum(live_calls) DESC, campaign) AS rank
  FROM ${campaigns} WHERE campaign IS NOT NULL AND live_calls > 0 GROUP BY 1, 2, 3
) WHERE rank = 1 AND (account, campaign_id) IN (
  SELECT account, campaign_id FROM ${campaigns} WHERE campaign_id IS NOT NULL
  GROUP BY 1, 2 HAVING count(DISTINCT campaign) > 1 OR count(campaign) < count(*)
) ORDER BY 1, 2`;
}

function storedKey(cell: number, cells: Cells): FactValue[] {
  const key = cells.table.valuesOf(cells.keyOf(cell));
  return cells.periods ? [cells.periods.values[cells.periodOf(cell)] ?? NOT_SET, ...key] : key;
}

/** Parts that have no value without calls, or without durations or starts. */
const NULLABLE: ReadonlySet<Part> = new Set<Part>([
  "duration_sum",
  "duration_median",
  "earliest_start",
  "latest_start",
]);

function toNumber(value: FactValue): number {
  if (value === null) return Number.NaN;
  return typeof value === "string" ? Date.parse(value) : value;
}

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
