import type Database from "better-sqlite3";
import { expect } from "vitest";
import { toInstants } from "../../src/base/calendar/dates.ts";
import type { AttributionRules } from "../../src/calls/attribution/attribution-rules.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import { keyColumns } from "../../src/figures/dimensions.ts";
import type { OutcomeForm } from "../../src/figures/metrics.ts";
import { OTHER } from "../../src/figures/reserved-keys.ts";
import type { Row } from "../../src/sources/figure-session.ts";
import { RollupSession } from "../../src/sources/session.ts";
import { type FoldJob, type FoldQuery, foldRollup } from "../support/figures/fold.ts";
import { CALLS, LIVE, RULES, SPEND } from "./account.ts";
import { type Question, resolve } from "./questions.ts";

const PLAIN: Question = {
  dimensions: [],
  raw: false,
  filter: {},
  zone: "UTC",
  range: undefined,
  previousRange: undefined,
  grain: undefined,
  fill: false,
  top: undefined,
};

export interface Counted {
  rules?: AttributionRules;
  hasSpend?: boolean;
  isGone?: boolean;
  outcomes?: { by: OutcomeForm["by"]; jobs: readonly Omit<FoldJob, "startsAt">[] };
}

/** Asks an account's session and the fold for a rollup, its totals and the number of its keys; they must agree. */
export async function askBoth(
  database: Database.Database,
  asked: Partial<Question>,
  { rules = RULES, hasSpend = false, isGone = false, outcomes }: Counted = {},
): Promise<Row[]> {
  const question = { ...PLAIN, ...asked };
  const { query, fold } = resolve(question);
  const { zone, dimensions } = question;
  const filter: CallFilter = { ...question.filter, ...(isGone && { include_gone: true as const }) };
  using session = new RollupSession(database, { rules, filter });
  const full = {
    ...query,
    spend: hasSpend ? (await session.loadSpend(zone)).form : undefined,
    outcomes: outcomes && session.loadOutcomes(outcomes.by, zone).form,
    offsets: await session.readOffsets(zone),
  };
  const rows = [...(await session.rollup(full)).rows];
  const begun = <T extends { day: string }>({ day, ...row }: T) => ({
    ...row,
    day,
    startsAt: toInstants({ from: day }, zone).startsAt ?? "",
  });
  const toRows = (fold: Omit<FoldQuery, "rules">) =>
    foldRollup(isGone ? CALLS : LIVE, {
      ...fold,
      rules,
      live: LIVE,
      ...(hasSpend && { spend: { rows: SPEND.map(begun), calls: CALLS } }),
      ...(outcomes && { outcomes: { by: outcomes.by, jobs: outcomes.jobs.map(begun) } }),
    });
  expect(rows).toEqual(toRows(fold));
  const { periods: _, top: __, fill: ___, previous, ...whole } = fold;
  const total = {
    ...whole,
    ...(previous && { previous: { ...previous, periods: [] } }),
    dimensions: [],
    totalOf: dimensions,
  };
  for (const isWithSpend of hasSpend && dimensions.length > 0 ? [false, true] : [false])
    expect([...(await session.total({ ...full, isWithSpend })).rows]).toEqual(
      toRows({ ...total, isWithSpend }),
    );
  // The number of keys, as they are shown.
  const width = keyColumns(dimensions).length;
  const from = query.periods ? 1 : 0;
  const keys = new Set(rows.map((row) => JSON.stringify(row.slice(from, from + width))));
  const { shown, folded } = await session.countKeys(full);
  expect([shown, folded > 0]).toEqual([keys.size, rows.some((row) => row[from] === OTHER)]);
  if (folded > 0)
    expect((await session.countKeys({ ...full, top: undefined })).shown).toBe(shown + folded - 1);
  return rows;
}
