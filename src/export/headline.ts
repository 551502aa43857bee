import { isChangeWithinChance } from "../figures/change-chance.ts";
import { RETURN_FIGURES, SPEND_FIGURES } from "../figures/metrics.ts";
import type { RollupQuery } from "../figures/rollup-query.ts";
import type { Rollup } from "../sources/figure-session.ts";
import { isSpendComparable } from "./described-spend.ts";
import type { ExportJob } from "./job.ts";
import { blankUnknown } from "./rollups.ts";
import { has } from "./statements/statements.ts";
import type { Column, Value } from "./table.ts";

/** The figures of all calls that mails and workbooks begin with, in their order. */
export const HEADLINE = [
  ...(["calls", "answer_rate", "qualified_calls", "first_time_callers"] as const),
  ...(["missed_calls", "missed_in_hours", "booked_calls", "revenue"] as const),
  ...(["cost", "cost_per_call", "cost_per_qualified_call"] as const),
] as const;

interface Cell {
  column: Column;
  value: Value;
}

/** A figure of all calls of an export. */
export interface HeadlineFigure extends Cell {
  /** Undefined for a figure without a comparison. */
  previous: Cell | undefined;
  change: Cell | undefined;
  isWithinChance: boolean;
  /** Whether it is only of campaigns whose cost is over 0. */
  isWithSpend: boolean;
}

/**
 * Reads the figures of all calls of an export: those asked for, by default {@link HEADLINE}, as far as they are known.
 * None for a list of changed calls, whose figures would be of other calls, too.
 */
export async function readHeadlineFigures(job: ExportJob): Promise<HeadlineFigure[]> {
  const { ask, timeframe, session, spend, outcomes } = job;
  if (ask.changedSince !== undefined) return [];
  const { span, grain, periods } = timeframe;
  const [compared] = timeframe.compared;
  const query: RollupQuery = {
    dimensions: [],
    figures: ask.columns ?? HEADLINE,
    minCell: ask.minCell,
    span,
    periods: grain && periods,
    outcomes: outcomes?.form,
    compared: compared && [
      { span: compared.span, periods: grain && compared.periods, isUnreached: compared.isUnreached },
    ],
  };
  const read = async (more: Partial<RollupQuery>) =>
    toFigures(job, await session.total({ ...query, ...more }));
  const ofAll = await read({});
  const costs = spend && { dimensions: ["campaign"] as const, spend: spend.form };
  const spent = costs && (await read(costs));
  const withSpend = costs && (await read({ ...costs, isWithSpend: true }));
  return (ask.columns ?? HEADLINE).flatMap((name) => {
    const isOfSpend = SPEND_FIGURES.includes(name) || RETURN_FIGURES.includes(name);
    const total = spent?.get(name);
    const isWithSpend = isOfSpend && total?.column.isAdditive !== true;
    const figure = isOfSpend ? (isWithSpend ? withSpend?.get(name) : total) : ofAll.get(name);
    if (figure === undefined || (ask.columns === undefined && figure.value === null)) return [];
    return [{ ...figure, isWithSpend }];
  });
}

/** Returns the figures of a row of totals by name, blank where the copy cannot know them. */
function toFigures(
  { timeframe, manifest, spend }: ExportJob,
  { columns, rows }: Rollup,
): ReadonlyMap<string, Omit<HeadlineFigure, "isWithSpend">> {
  const [compared] = timeframe.compared;
  const blank = blankUnknown(columns, {
    compared: compared ? [compared] : [],
    isFirstLoad: has(manifest.statements, "first_load"),
    costTestOf: (before) => () => spend !== undefined && isSpendComparable(spend, timeframe, before),
  });
  const [row = []] = Iterator.from(rows).map(blank);
  const cells = columns.map((column, index): Cell => ({ column, value: row[index] ?? null }));
  const readCell = (name: string) => cells.find(({ column }) => column.name === name)?.value;
  return new Map(
    cells
      .filter(({ column }) => column.comparison === undefined && !column.isKey)
      .map((cell) => {
        const { name } = cell.column;
        const compares = cells.filter(({ column }) => column.comparison?.of === name);
        return [
          name,
          {
            ...cell,
            previous: compares.find(({ column }) => column.comparison?.shows === "previous"),
            change: compares.find(({ column }) => column.comparison?.shows !== "previous"),
            isWithinChance: compared !== undefined && isChangeWithinChance(name, readCell, compared) === true,
          },
        ];
      }),
  );
}
