import { PAGE_FILE } from "../../config/request/option-values.ts";
import type { ExportJob } from "../../export/job.ts";
import type { ChangedFigure } from "../../export/sentences/facts.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { type RollupQuery, rollupColumns } from "../../figures/rollup-query.ts";
import { KEY_FIGURES, PERIOD_FIGURES, type ReportFigures } from "./report-figures.ts";

export const PAGE_CONTENTS = "report";

/**
 * Compares a page with its last version: the figures of each period, of all calls and of each channel, source and
 * campaign, with costs and outcomes if the page has them. Those of all calls come first.
 */
export async function compareWithPage(
  job: ExportJob,
  { periods: ofAll }: ReportFigures,
): Promise<readonly ChangedFigure[]> {
  const { remembered, timeframe, session, spend, outcomes } = job;
  if (remembered === undefined) return [];
  const { span, periods } = timeframe;
  const watch = (contents: string, query: RollupQuery, rows: Parameters<typeof remembered.watch>[1]) => {
    const columns = rollupColumns(query, session.rules);
    const watched = remembered.watch({ file: PAGE_FILE, contents, query, columns }, rows);
    while (watched.next().done === false);
  };
  const whole = { dimensions: [], span, periods, figures: PERIOD_FIGURES };
  const columns = rollupColumns(whole, session.rules);
  const values = ofAll.map((row) => columns.map(({ name }) => row[name] ?? null));
  watch(PAGE_CONTENTS, whole, values);
  const earned = outcomes && { outcomes: outcomes.form };
  const parts: readonly [Dimension, Partial<RollupQuery>][] = [
    ["channel", {}],
    ["source", { ...earned, figures: [...KEY_FIGURES, ...(earned ? EARNED : [])] }],
    ["campaign", spend ? { spend: spend.form, figures: [...KEY_FIGURES, "cost"] } : {}],
  ];
  for (const [dimension, options] of parts) {
    const query = { dimensions: [dimension], span, periods, figures: KEY_FIGURES, ...options };
    watch(dimension, query, (await session.rollup(query)).rows);
  }
  return remembered.findIn(PAGE_FILE);
}

const EARNED = ["booked_calls", "sold_calls", "revenue"];
