import { z } from "zod";
import type { ExportJob, Lists } from "../../export/job.ts";
import { type Dimension, keyColumns } from "../../figures/dimensions.ts";
import { METRIC_NAMES, OUTCOME_FIGURES, RETURN_FIGURES, spendMetrics } from "../../figures/metrics.ts";
import type { RowEffect } from "../../sources/sqlite/read-effects.ts";
import { readChangedFacts } from "../../warehouse/calls/fact-log.ts";
import { describeRulesChange } from "../../warehouse/calls/rules.ts";
import { type ExportedRollup, type ExportedRow, iterateExportedRows } from "./exported-rollups.ts";
import type { Effect, FigureValue, Restatement } from "./restatement.ts";
import { toCell, type WatchedRollup } from "./watched-rollup.ts";

interface FindOptions extends Pick<ExportJob, "timeframe" | "nowMs">, Pick<Lists, "reader" | "session"> {
  rulesId: number;
}

export function findRestatements(
  watched: WatchedRollup,
  before: ExportedRollup,
  { reader, session, timeframe, nowMs, rulesId }: FindOptions,
): Restatement[] {
  const found_at = new Date(nowMs).toISOString();
  const { query, path, contents, figures, comparable } = watched;
  const isCompared = new Set(comparable.map((stretch) => stretch.period));
  const old = [...iterateExportedRows(reader, before)].filter(([period]) => isCompared.has(period));
  const rows = [...watched.rows.values()].filter(([period]) => isCompared.has(period));
  const rename = prepareRename(query.dimensions, old, rows);
  const changed = findChanges(
    watched,
    before,
    old.map(([period, key, values]) => [period, rename(key), values]),
  );
  const [first, last] = [comparable[0], comparable.at(-1)];
  if (changed.length === 0 || first === undefined || last === undefined) return [];
  const effects = new Map<string, RowEffect[]>();
  const changedQuery = {
    ...query,
    compared: undefined,
    fill: false,
    // Stops at the last span: later calls would be counted in it.
    span: { startsAt: first.startsAt, endsAt: last.endsAt },
    periods: query.periods && comparable,
  };
  for (const effect of session.effects(changedQuery, before.change_id, timeframe.timezone)) {
    const [period, ...rest] = query.periods === undefined ? ["", ...effect.key] : effect.key;
    const cell = toCell(String(period), rename(JSON.stringify(rest)));
    effects.set(cell, [...(effects.get(cell) ?? []), effect]);
  }
  const all = [...effects.values()].flat();
  const listed = all.flatMap(({ figures }) =>
    [...figures.values()].flatMap(({ callIds }) => callIds.slice(0, LISTED)),
  );
  const changedFacts = readChangedFacts(reader, before.change_id, [...new Set(listed)]);
  const allReasons = new Set(all.map(({ reason }) => reason));
  const reasonsOf = (name: string, change: number | null, others: RowEffects) => {
    if (METRIC_NAMES.has(name)) return effectsOf(others, name);
    if (!OUTCOME_FIGURES.includes(name)) return spendEffectsOf(name, change, others);
    return query.outcomes?.by === "call"
      ? outcomeEffectsOf(name, others)
      : jobDateEffectsOf(change, allReasons);
  };
  const rulesChange = describeRulesChange(reader, before.rules_id, rulesId);
  const stretches = new Map(comparable.map((stretch) => [stretch.period, stretch]));
  const names = keyColumns(query.dimensions).map(({ name }) => name);
  return changed.flatMap(({ period, key, changes }) => {
    const { startsAt: starts_at, endsAt: ends_at } = stretches.get(period) ?? first;
    const values = parseValues(key);
    return changes.map(({ name, was, now }): Restatement => {
      const isAdditive = figures.find((figure) => figure.name === name)?.isAdditive ?? false;
      const change = changeOf(was, now, isAdditive);
      const ofCalls = effects.get(toCell(period, key)) ?? [];
      const isCostOther = changes.some((other) => other.name === "cost");
      const others = { effects: ofCalls, isCostOther, changedFacts };
      const reasons = reasonsOf(name, change, others);
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
        exported_at: before.exported_at,
        reasons,
        rules_changed: reasons.some(({ reason }) => reason === "rules") ? rulesChange : null,
      };
    });
  });
}

const valuesSchema = z.array(z.union([z.string(), z.number(), z.null()]));
const parseValues = (json: string): FigureValue[] => valuesSchema.parse(JSON.parse(json));

/** Returns a function that gives a key its campaign's present name: a new name restates no figure. */
function prepareRename(
  dimensions: readonly Dimension[],
  before: Iterable<ExportedRow>,
  rows: Iterable<ExportedRow>,
): (key: string) => string {
  const columns = keyColumns(dimensions);
  const nameAt = columns.findIndex(({ isNameOf }) => isNameOf !== undefined);
  const idAt = columns.findIndex(({ name }) => name === columns[nameAt]?.isNameOf);
  if (idAt === -1) return (key) => key;
  const namesIn = (side: Iterable<ExportedRow>) => {
    const names = new Map<FigureValue | undefined, Set<FigureValue>>();
    for (const [, key] of side) {
      const values = parseValues(key);
      const ofId = names.get(values[idAt]) ?? new Set();
      names.set(values[idAt], ofId.add(values[nameAt] ?? null));
    }
    return names;
  };
  const [then, now] = [namesIn(before), namesIn(rows)];
  return (key) => {
    const values = parseValues(key);
    const id = values[idAt] ?? null;
    const [known = [], names = known] = [then.get(id), now.get(id)];
    const [name = null, ...others] = names;
    // Spend of one id that no call has may have several names.
    const isOne = id !== null && [...known].length <= 1 && others.length === 0 && name !== null;
    return isOne ? JSON.stringify(values.with(nameAt, name)) : key;
  };
}

/** Returns the figures whose values changed, in the order of the current rows; rows that disappeared come last. */
function findChanges(
  { figures, comparable, rows }: WatchedRollup,
  { metrics: stored }: ExportedRollup,
  before: Iterable<ExportedRow>,
) {
  const isCompared = new Set(comparable.map(({ period }) => period));
  const old = new Map<string, ExportedRow>();
  for (const row of before) old.set(toCell(row[0], row[1]), row);
  const names = z.array(z.string()).parse(JSON.parse(stored));
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
    const [valuesNow, valuesThen] = [now, then].map((row) => row && parseValues(row[2]));
    const changes = known.flatMap(({ name, index, place, empty }) => {
      const was = valuesThen === undefined ? empty : (valuesThen[place] ?? null);
      const is = valuesNow === undefined ? empty : (valuesNow[index] ?? null);
      return was === is ? [] : [{ name, was, now: is }];
    });
    return changes.length === 0 ? [] : [{ period, key, changes }];
  });
}

/** So many calls are named for each reason of a figure: of more, nobody looks at each. */
const LISTED = 10;

/** What changed calls did to the figures of a row. */
interface RowEffects {
  effects: readonly RowEffect[];
  /** Whether its costs changed as well. */
  isCostOther: boolean;
  changedFacts: ReadonlyMap<number, readonly string[]>;
}

function effectsOf({ effects, changedFacts }: RowEffects, metric: string): Effect[] {
  return effects.flatMap(({ reason, figures }) => {
    const { callIds = [], effect = null } = figures.get(metric) ?? {};
    if (callIds.length === 0) return [];
    const listed = callIds.slice(0, LISTED).map((call_id) => {
      return { call_id, changed: changedFacts.get(call_id) ?? [] };
    });
    return [{ reason, calls: callIds.length, effect: effect === null ? null : round(effect), listed }];
  });
}

/** Returns the difference; for a metric that adds up, blank counts as 0. */
function changeOf(was: FigureValue, now: FigureValue, isAdditive: boolean): number | null {
  const [before, after] = isAdditive ? [was ?? 0, now ?? 0] : [was, now];
  return typeof before === "number" && typeof after === "number" ? round(after - before) : null;
}

/** Returns the reasons for a change in a spend metric; a cost per call also depends on the calls. */
function spendEffectsOf(name: string, change: number | null, others: RowEffects): Effect[] {
  const metric = spendMetrics({ currency: undefined, decimals: 0 }).find((each) => each.name === name);
  if (metric?.aggregate.kind !== "cost per")
    return [{ reason: "spend_changed", calls: null, effect: change }];
  return [
    ...effectsOf(others, metric.aggregate.of).map((effect) => ({ ...effect, effect: null })),
    ...(others.isCostOther ? [{ reason: "spend_changed", calls: null, effect: null } as const] : []),
  ];
}

/** Returns the reasons for a change in a figure of outcomes: jobs and calls, and costs if it is also made of them. */
function outcomeEffectsOf(name: string, others: RowEffects): Effect[] {
  const isOfCosts = others.isCostOther && RETURN_FIGURES.includes(name);
  return [
    ...effectsOf(others, name),
    ...(isOfCosts ? [{ reason: "spend_changed", calls: null, effect: null } as const] : []),
  ];
}

/** By the dates of jobs, a call changes other rows than its own: any reason of these calls may be one. */
function jobDateEffectsOf(change: number | null, reasons: ReadonlySet<Effect["reason"]>): Effect[] {
  const effect = reasons.size > 1 ? null : change;
  const [first = "outcomes_changed", ...others] = reasons;
  return [first, ...others].map((reason) => ({ reason, calls: null, effect }));
}

/** Six digits: the rest is a rounding error. */
const round = (value: number) => Number(value.toFixed(6)) + 0;
