import { hash } from "node:crypto";
import { join } from "node:path";
import type { DateRange } from "../calendar/dates.ts";
import { localDate } from "../calendar/local-time.ts";
import type { RememberedFigures, RollupOutlet } from "../export/job.ts";
import { type ComparedRollup, settledUntil } from "../export/manifest.ts";
import type { CommitStep, CommittedFiles } from "../export/record-export.ts";
import type { Effect, FigureValue, Restatement } from "../export/restatement.ts";
import type { Scope } from "../export/scope.ts";
import type { Table, Value } from "../export/table.ts";
import type { Ask } from "../request/resolve.ts";
import { keyColumns } from "../rollup/dimensions.ts";
import { METRIC_NAMES, metrics, spendMetrics } from "../rollup/metrics.ts";
import type { RollupSession, RowEffect } from "../rollup/session.ts";
import { openCallerHash } from "../warehouse/calls/caller-hash.ts";
import { readFactState } from "../warehouse/calls/fact-log.ts";
import { describeRulesChange } from "../warehouse/calls/rules.ts";
import { readLastDoneRun } from "../warehouse/runs/runs.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import {
  comparableStretches,
  completeStretches,
  type GivenScope,
  type Stretch,
} from "./comparable-periods.ts";
import {
  type ExportedRollup,
  type ExportedRow,
  iterateExportedRows,
  type RollupToRemember,
  readExportedRollup,
  rememberRollups,
} from "./exported-rollups.ts";
import { insertRestatements } from "./restatement-table.ts";

/** More rows of complete periods than these are not remembered: nobody reads what changed in them. */
const MAX_ROWS = 100_000;

interface RememberOptions {
  ask: Pick<Ask, "raw" | "top" | "minCell">;
  reader: Warehouse;
  session: RollupSession;
  scope: Scope;
  lookbackHours: number;
  /** Absolute path, behind links. */
  folder: string;
  /** The warehouse, to remember the figures in; null where it can only be read here. */
  writer: Warehouse | null;
  /** Number of the log of facts from before the figures were read; undefined where no figure is remembered. */
  log: number | undefined;
  /** Receives the path of a key that had to be made. */
  onNewKey: (file: string) => void;
  nowMs: number;
}

/** What came of the comparison of an export with what its files held before. */
interface Compared {
  restatements: Restatement[];
  rollups: ComparedRollup[];
}

/** A rollup whose rows pass by. */
interface Watched extends RollupOutlet {
  path: string;
  question: string;
  /** Names of the figures, and where they stand in a row. */
  figures: readonly { name: string; index: number; isAdditive: boolean; empty: FigureValue }[];
  before: ExportedRollup | undefined;
  refusal: string | undefined;
  comparable: readonly Stretch[];
  complete: ReadonlySet<string>;
  /** Whether it would have had more periods, had there been calls: then none in a period that is over was given out as well. */
  isOpen: boolean;
  /** Figures by period and key; all of them JSON. */
  rows: Map<string, ExportedRow>;
  isTooLong: boolean;
  /** What has changed, once it was looked for. */
  found: readonly Restatement[] | undefined;
}

/** Compares the rollups of an export with those that the same files held before, and remembers them with the export. */
export class FigureMemory implements CommitStep, RememberedFigures {
  readonly #options: RememberOptions;
  readonly #given: GivenScope | undefined;
  readonly #state: ReturnType<typeof readFactState>;
  readonly #runId: number;
  readonly #watched: Watched[] = [];
  readonly #remembered: RollupToRemember[] = [];
  readonly #restatements: Restatement[] = [];

  constructor(options: RememberOptions) {
    const { reader, scope, lookbackHours } = options;
    const run = readLastDoneRun(reader);
    const until = settledUntil(run, lookbackHours);
    this.#options = options;
    this.#state = readFactState(reader);
    this.#runId = run?.run_id ?? 0;
    this.#given =
      until === undefined ? undefined : { range: scope.range, extent: extentOf(scope), settledUntil: until };
  }

  /** Keeps the rows of complete periods. */
  *watch(outlet: RollupOutlet, rows: Table["rows"]): Generator<readonly Value[]> {
    const { scope, session, reader, folder } = this.#options;
    const { query, columns, contents, file } = outlet;
    const place = { path: join(folder, file), contents };
    const stored = readExportedRollup(reader, place);
    const hindrance = this.#hindrance();
    // What is not remembered needs no key: it may be that none can be made.
    const question = hindrance === undefined ? questionOf(outlet, scope, this.#options) : "";
    const isOther = stored !== undefined && stored.question !== question;
    const refusal = hindrance ?? (isOther ? OTHER_QUESTION : undefined);
    const before = refusal === undefined ? stored : undefined;
    const given = refusal === undefined || refusal === OTHER_QUESTION ? this.#given : undefined;
    const keys = keyColumns(query.dimensions).length;
    const first = query.periods === undefined ? 0 : 1;
    const empty = new Map(metrics(session.rules).map(({ name, isCount }) => [name, isCount ? 0 : null]));
    const figures = columns.flatMap(({ name, comparison, isAdditive = false }, index) =>
      index < first + keys || comparison !== undefined
        ? []
        : [{ name, index, isAdditive, empty: empty.get(name) ?? null }],
    );
    const comparable = before && given ? comparableStretches(givenScopeOf(before), given, scope) : [];
    const complete = new Set((given ? completeStretches(given, scope) : []).map(({ period }) => period));
    const watched: Watched = {
      ...outlet,
      ...place,
      question,
      figures,
      before,
      refusal,
      comparable,
      complete,
      isOpen: given !== undefined && first === 1 && !(scope.range.from && scope.range.to),
      rows: new Map(),
      isTooLong: false,
      found: undefined,
    };
    this.#watched.push(watched);
    const kept = new Set([...complete, ...comparable.map(({ period }) => period)]);
    for (const row of rows) {
      const period = first === 0 ? "" : String(row[0]);
      const values = figures.map(({ index }) => row[index] ?? null);
      // An empty row fills a gap, or is there for what stood there in the stretch compared with.
      const isEmpty = figures.every(({ empty }, index) => values[index] === empty);
      if (kept.has(period) && !watched.isTooLong && !isEmpty) {
        const key = JSON.stringify(row.slice(first, first + keys));
        watched.rows.set(toCell(period, key), [period, key, JSON.stringify(values)]);
        watched.isTooLong = watched.rows.size > MAX_ROWS;
      }
      yield row;
    }
  }

  find(contents: string): readonly Restatement[] {
    const watched = this.#watched.find((each) => each.contents === contents);
    return watched === undefined ? [] : this.#find(watched);
  }

  #find(watched: Watched): readonly Restatement[] {
    const { before, isTooLong } = watched;
    watched.found ??= before === undefined || isTooLong ? [] : this.#findRestatements(watched, before);
    return watched.found;
  }

  /** Compares what has passed by. */
  compare(): Compared {
    const compared: Compared = { restatements: this.#restatements, rollups: [] };
    for (const watched of this.#watched) {
      const { file, path, contents, before, isTooLong, complete, rows } = watched;
      const refusal = isTooLong ? `more than ${MAX_ROWS} rows of complete periods` : watched.refusal;
      const isRemembered = !isTooLong && (complete.size > 0 || watched.isOpen);
      this.#remembered.push({
        path,
        contents,
        rollup: isRemembered ? this.#toRemember(watched) : undefined,
        rows: Iterator.from(rows.values()).filter(([period]) => complete.has(period)),
      });
      if (refusal !== undefined) {
        if (watched.refusal !== undefined || isTooLong)
          compared.rollups.push({ file, contents, not_compared: refusal });
        continue;
      }
      if (before === undefined) continue;
      const found = this.#find(watched);
      compared.restatements.push(...found);
      compared.rollups.push({
        file,
        contents,
        given_out_at: before.exported_at,
        restated_cells: found.length,
      });
    }
    return compared;
  }

  /** Remembers the figures: after the files have their names, so that no export is compared with one that was killed. */
  settle(tx: Tx, { now }: CommittedFiles): void {
    const { log } = this.#options;
    insertRestatements(tx, this.#restatements);
    rememberRollups(tx, this.#remembered, { log, exportedAt: now });
  }

  /** What keeps all figures from being compared. */
  #hindrance(): string | undefined {
    const { ask, scope, writer } = this.#options;
    const { raw, top, minCell } = ask;
    if (raw) return "utm values as stored";
    if (top !== undefined || minCell !== undefined) return "keys put together as (other)";
    if (scope.filter.include_gone) return "gone calls are counted";
    return writer === null ? "the warehouse can only be read here" : undefined;
  }

  #toRemember({ question, figures }: Watched): NonNullable<RollupToRemember["rollup"]> | undefined {
    if (this.#given === undefined) return undefined;
    const { range, extent, settledUntil } = this.#given;
    return {
      question,
      metrics: JSON.stringify(figures.map(({ name }) => name)),
      range_from: range.from ?? null,
      range_to: range.to ?? null,
      first_day: extent?.from ?? null,
      last_day: extent?.to ?? null,
      settled_until: settledUntil,
      change_id: this.#state.changeId,
      rules_id: this.#state.rulesId,
      run_id: this.#runId,
    };
  }

  #findRestatements(watched: Watched, before: ExportedRollup): Restatement[] {
    const { reader, session, scope, nowMs } = this.#options;
    const found_at = new Date(nowMs).toISOString();
    const { query, path, contents, figures, comparable } = watched;
    const changed = findChanges(watched, before, iterateExportedRows(reader, before));
    const [first, last] = [comparable[0], comparable.at(-1)];
    if (changed.length === 0 || first === undefined || last === undefined) return [];
    const effects = new Map<string, RowEffect[]>();
    const asked = {
      ...query,
      previous: undefined,
      fill: false,
      // Up to the last that is compared: a call after it would be taken for one of that.
      span: { startsAt: first.startsAt, endsAt: last.endsAt },
      periods: query.periods && comparable,
    };
    for (const effect of session.effects(asked, before.change_id, scope.timezone)) {
      const [period, ...rest] = query.periods === undefined ? ["", ...effect.key] : effect.key;
      const cell = toCell(String(period), JSON.stringify(rest));
      effects.set(cell, [...(effects.get(cell) ?? []), effect]);
    }
    const rulesChange = describeRulesChange(reader, before.rules_id, this.#state.rulesId);
    const stretches = new Map(comparable.map((stretch) => [stretch.period, stretch]));
    const names = keyColumns(query.dimensions).map(({ name }) => name);
    return changed.flatMap(({ period, key, changes }) => {
      const { startsAt: starts_at, endsAt: ends_at } = stretches.get(period) ?? first;
      const values: FigureValue[] = JSON.parse(key);
      return changes.map(({ name, was, now }): Restatement => {
        const isAdditive = figures.find((figure) => figure.name === name)?.isAdditive ?? false;
        const change = changeOf(was, now, isAdditive);
        const ofCalls = effects.get(toCell(period, key)) ?? [];
        const reasons = METRIC_NAMES.has(name)
          ? effectsOf(ofCalls, name)
          : spendEffectsOf(name, change, {
              effects: ofCalls,
              isCostOther: changes.some((other) => other.name === "cost"),
            });
        return {
          found_at,
          path,
          contents,
          period,
          starts_at,
          ends_at,
          key: Object.fromEntries(names.map((column, index) => [column, values[index] ?? null])),
          metric: name,
          was,
          now,
          change,
          given_out_at: before.exported_at,
          reasons,
          rules_changed: reasons.some(({ reason }) => reason === "rules") ? rulesChange : null,
        };
      });
    });
  }
}

const OTHER_QUESTION = "another question than before";

/** Figures with other values than before, in the order of the rows now, those that went after them. */
function findChanges(
  { figures, comparable, rows }: Watched,
  { metrics: stored }: ExportedRollup,
  before: Iterable<ExportedRow>,
) {
  const isCompared = new Set(comparable.map(({ period }) => period));
  const old = new Map<string, ExportedRow>();
  for (const row of before) if (isCompared.has(row[0])) old.set(toCell(row[0], row[1]), row);
  const names: string[] = JSON.parse(stored);
  const known = figures.flatMap((figure, index) => {
    const place = names.indexOf(figure.name);
    return place === -1 ? [] : [{ ...figure, index, place }];
  });
  const isSameOrder = JSON.stringify(figures.map(({ name }) => name)) === stored;
  const cells = [
    ...rows.keys().filter((cell) => isCompared.has(rows.get(cell)?.[0] ?? "")),
    ...old.keys().filter((cell) => !rows.has(cell)),
  ];
  return cells.flatMap((cell) => {
    const [now, then] = [rows.get(cell), old.get(cell)];
    const [period = "", key = ""] = now ?? then ?? [];
    if (isSameOrder && now?.[2] === then?.[2]) return [];
    const [valuesNow, valuesThen] = [now, then].map(
      (row): FigureValue[] | undefined => row && JSON.parse(row[2]),
    );
    const changes = known.flatMap(({ name, index, place, empty }) => {
      const was = valuesThen === undefined ? empty : (valuesThen[place] ?? null);
      const is = valuesNow === undefined ? empty : (valuesNow[index] ?? null);
      return was === is ? [] : [{ name, was, now: is }];
    });
    return changes.length === 0 ? [] : [{ period, key, changes }];
  });
}

function effectsOf(effects: readonly RowEffect[], metric: string): Effect[] {
  return effects.flatMap(({ reason, figures }) => {
    const { calls = 0, effect = null } = figures.get(metric) ?? {};
    return calls === 0 ? [] : [{ reason, calls, effect: effect === null ? null : round(effect) }];
  });
}

/** Nothing spent is blank and yet no less than 0, as what adds up is. */
function changeOf(was: FigureValue, now: FigureValue, isAdditive: boolean): number | null {
  const [before, after] = isAdditive ? [was ?? 0, now ?? 0] : [was, now];
  return typeof before === "number" && typeof after === "number" ? round(after - before) : null;
}

/** What ads cost explains sums of spend; a cost per call goes by the calls as well. */
function spendEffectsOf(
  name: string,
  change: number | null,
  { effects, isCostOther }: { effects: readonly RowEffect[]; isCostOther: boolean },
): Effect[] {
  const metric = spendMetrics({ currency: undefined, decimals: 0 }).find((each) => each.name === name);
  if (metric?.aggregate.kind !== "cost per")
    return [{ reason: "spend_changed", calls: null, effect: change }];
  return [
    ...effectsOf(effects, metric.aggregate.of).map((effect) => ({ ...effect, effect: null })),
    ...(isCostOther ? [{ reason: "spend_changed", calls: null, effect: null } as const] : []),
  ];
}

/** What a rollup asks, but for its days: figures of the same question can be compared. */
function questionOf(
  { query, contents }: RollupOutlet,
  scope: Scope,
  { session, reader, onNewKey }: Pick<RememberOptions, "session" | "reader" | "onNewKey">,
): string {
  const { exclude_callers, ...filter } = scope.filter;
  // By another hash their numbers could be found.
  const sealCallers = (callers: readonly string[]) => {
    const { seal, newKey } = openCallerHash(reader.path);
    if (newKey !== undefined) onNewKey(newKey);
    return seal(hash("sha256", JSON.stringify(callers.toSorted())));
  };
  const entries = Object.entries(filter).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  return JSON.stringify({
    contents,
    dimensions: query.dimensions,
    filter: Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))),
    ...(exclude_callers && { exclude_callers: sealCallers(exclude_callers) }),
    ...(query.spend && { spend: query.spend.currency ?? true }),
    grain: scope.grain ?? null,
    timezone: scope.timezone,
    duration_unit: session.rules.duration_unit,
  });
}

/** From the first day of the first period to the last day. */
function extentOf({ range, periods, timezone }: Scope): Required<DateRange> | undefined {
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const lastDay = localDate(new Date(Date.parse(last.endsAt) - 1).toISOString(), timezone);
  return { from: first.firstDay, to: range.to ?? lastDay };
}

function givenScopeOf({
  range_from,
  range_to,
  first_day,
  last_day,
  settled_until,
}: ExportedRollup): GivenScope {
  return {
    range: { ...(range_from !== null && { from: range_from }), ...(range_to !== null && { to: range_to }) },
    extent: first_day === null || last_day === null ? undefined : { from: first_day, to: last_day },
    settledUntil: settled_until,
  };
}

const toCell = (period: string, key: string) => `${period}\n${key}`;
/** What an addition leaves behind the sixth digit is a rounding error. */
const round = (value: number) => Number(value.toFixed(6)) + 0;
