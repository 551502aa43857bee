import type { FactColumn } from "../attribution/attribute-call.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { offsetSpanAt } from "../calendar/local-time.ts";
import { comparedFacts, type Span } from "../rollup/call-filter.ts";
import type { CallSelection, Engine, FactValue, ImportedSpend, Kept, Side } from "../rollup/engine.ts";
import { type FigureSessionOptions, selectionOf } from "../rollup/figure-session.ts";
import { figureText, type Part, partName, partsOf } from "../rollup/figure-sql.ts";
import type { Metric } from "../rollup/metrics.ts";
import { IS_OTHER, OTHER } from "../rollup/reserved-keys.ts";
import type { ZoneOffset } from "../rollup/rollup-query.ts";
import { literal } from "../rollup/sql-text.ts";
import { shownKeyText } from "../rollup/sqlite/sqlite-calls-sql.ts";
import {
  bandsQuestion,
  type ClusterQuestion,
  type ClusterSource,
  callersQuestion,
  campaignsQuestion,
  extentQuestion,
  keyName,
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

  constructor(reader: ClusterReader, options: ClusterEngineOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  async groups(side: Side, figures: readonly Metric[], selection: CallSelection): Promise<string> {
    const { keys, periods, kept } = side;
    const parts = partsOf(figures.map(({ aggregate }) => aggregate));
    const keptRows = kept ? this.#all(kept.text) : [];
    const source = { ...this.#sourceOf(selection), ...(kept && this.#own) };
    const table = await this.#reader.ask(sideQuestion(source, side, parts, keptRows));
    const isGrouped = keys.length > 0 || periods !== undefined;
    const toText = isGrouped ? partName : wholeText;
    const columns = [
      ...(periods ? ["period"] : []),
      ...keys.map(
        (key, index) => `${this.#keyText(shownKeyText(key, keyName(index)), index, kept)} AS ${key.name}`,
      ),
      ...(kept ? [`NOT is_kept AS ${IS_OTHER}`] : []),
      ...figures.map(({ name, aggregate }) => `${figureText(aggregate, selection.rules, toText)} AS ${name}`),
    ];
    return `SELECT ${columns.join(",\n  ")}\nFROM ${table} WHERE account = ${literal(this.#options.account)}`;
  }

  keep(ranked: string): string {
    const { database } = this.#reader;
    const names = database
      .prepare(ranked)
      .columns()
      .map((_, index) => `column_${index + 1}`);
    const table = this.makeTable(names.join(", "));
    database.exec(`INSERT INTO ${table} ${ranked}`);
    return `SELECT * FROM ${table}`;
  }

  async readValues(fact: FactColumn): Promise<readonly FactValue[]> {
    return (await this.#rows(valuesQuestion(this.#options.source, fact))).flat();
  }

  /** Compares a filter with the values of all accounts, so that each account asks the same questions. */
  async select(options: FigureSessionOptions): Promise<CallSelection> {
    const values = new Map<FactColumn, readonly FactValue[]>();
    for (const fact of comparedFacts(options.filter ?? {})) {
      const table = await this.#reader.ask(valuesQuestion(this.#options.source, fact));
      values.set(fact, this.#all(`SELECT DISTINCT value FROM ${table} ORDER BY 1`).flat());
    }
    return selectionOf(options, (fact) => values.get(fact) ?? []);
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
      campaigns: `SELECT campaign, campaign_id, source, calls FROM ${campaigns} ${own}`,
    };
  }

  makeTable(columns: string): string {
    return this.#reader.makeTable(columns);
  }

  get #own(): Pick<ClusterSource, "accounts"> {
    return { accounts: [this.#options.account] };
  }

  #sourceOf({ conditions, isGoneCounted }: CallSelection): ClusterSource {
    // Callers have different names in each account.
    const isOwn = conditions.some((condition) => "isNoneOf" in condition);
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

  #keyText(shown: string, index: number, kept: Kept | undefined): string {
    if (kept === undefined) return shown;
    return `CASE WHEN is_kept THEN ${shown} ELSE ${index === 0 ? literal(OTHER) : "NULL"} END`;
  }
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

/** A row of everything exists even without calls. */
function wholeText(part: Part): string {
  const value = `max(${partName(part)})`;
  return part.kind.startsWith("count") ? `coalesce(${value}, 0)` : value;
}
