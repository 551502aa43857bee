import type { Effect, FigureValue } from "../export/restatement.ts";
import { spendMetrics } from "../rollup/metrics.ts";
import type { RowEffect } from "../rollup/sqlite/read-effects.ts";

export function effectsOf(effects: readonly RowEffect[], metric: string): Effect[] {
  return effects.flatMap(({ reason, figures }) => {
    const { calls = 0, effect = null } = figures.get(metric) ?? {};
    return calls === 0 ? [] : [{ reason, calls, effect: effect === null ? null : round(effect) }];
  });
}

/** Returns the difference of two values; of a metric that adds up, blank counts as 0. */
export function changeOf(was: FigureValue, now: FigureValue, isAdditive: boolean): number | null {
  const [before, after] = isAdditive ? [was ?? 0, now ?? 0] : [was, now];
  return typeof before === "number" && typeof after === "number" ? round(after - before) : null;
}

/** Returns the reasons of a change in a metric of spend; a cost per call depends on the calls as well. */
export function spendEffectsOf(
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

/** Six digits: the rest is a rounding error of additions. */
const round = (value: number) => Number(value.toFixed(6)) + 0;
