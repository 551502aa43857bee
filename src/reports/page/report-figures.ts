import type { Span } from "../../base/calendar/dates.ts";
import { isSpendComparable } from "../../export/described-spend.ts";
import type { SectionName, WriteSection } from "../../export/job.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import type { Manifest } from "../../export/manifest.ts";
import { type Moved, Movers } from "../../export/sections/movers.ts";
import type { Sentence } from "../../export/sentences/sentences.ts";
import type { Counterpart, Timeframe } from "../../export/timeframe.ts";
import type { Notice } from "../../features/notice.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { CALL_METRICS, OUTCOME_FIGURES, type SpendForm, spendMetrics } from "../../figures/metrics.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import type { Measure, RollupQuery } from "../../figures/rollup-query.ts";
import { addUp, compareFigures, type Figures, figureOfSums } from "../../figures/sums.ts";
import type { ReadOutcomes } from "../../sources/engine.ts";
import type { FigureSession, Rollup } from "../../sources/figure-session.ts";
import type { SessionSpend } from "../../sources/session-spend.ts";
import type { Coverage } from "../../warehouse/runs/basis-schema.ts";

/** Of a table by source or campaign; all others are summed in one more row. */
const ROWS_SHOWN = 25;

export interface Report {
  letterhead: Letterhead;
  /** What to read first. */
  sentences: readonly Sentence[];
  figures: ReportFigures;
  coverage: Coverage;
  manifest: Manifest;
  fingerprint: string;
  /** Notices within its days, of a page of all calls. */
  notices: readonly Notice[];
  /** What features add. */
  sections: Readonly<Record<SectionName, WriteSection>>;
  /** What the figures are. */
  measures: readonly Measure[];
  grain: string;
  days: number;
  compared: ComparedDays;
}

export type ReportFigures = Awaited<ReturnType<typeof readReportFigures>>;

export type SpendFigures = Awaited<ReturnType<typeof readSpendFigures>>;

export interface Ranking {
  shown: readonly Figures[];
  /** The sums of further rows; undefined if all are shown. */
  rest: { rows: number; figures: Figures } | undefined;
}

type ReportScope = Pick<Timeframe, "range" | "span" | "timezone" | "periods"> & {
  compared: Counterpart;
  spend: SessionSpend | undefined;
  outcomes: ReadOutcomes | undefined;
};

/** The dimensions whose keys are compared; calls have topics if there are rules for them. */
const MOVING = ["channel", "source", "campaign", "topic"] as const;
const SUMS = ["answered_calls", "missed_calls", "other_calls", "first_time_callers", "qualified_calls"];
const COUNTS = ["calls", ...SUMS];
const IN_HOURS = ["calls_in_hours", "missed_in_hours"];
export const PERIOD_FIGURES = [...SUMS, "unique_callers", ...IN_HOURS];
/** Those of a key that are compared with the last page. */
export const KEY_FIGURES = [...SUMS, ...IN_HOURS];
/** All but the number of callers, which takes as long as everything else. */
const HEADLINE = [
  ...SUMS,
  "answer_rate",
  "average_duration_seconds",
  "median_duration_seconds",
  "total_duration_seconds",
  ...IN_HOURS,
];

export async function readHeadline(
  session: FigureSession,
  stretch: Pick<RollupQuery, "span" | "periods" | "compared" | "minCell">,
): Promise<Figures> {
  const [headline = {}] = nameFigures(await session.total({ ...stretch, dimensions: [], figures: HEADLINE }));
  return headline;
}

/** Reads all figures of a report. Sorting calls by a key is what takes time, so it asks for few. */
export async function readReportFigures(session: FigureSession, timeframe: ReportScope) {
  const { range, span, periods, compared, timezone, spend, outcomes } = timeframe;
  const before = [{ span: compared.span, isUnreached: compared.isUnreached ?? false }];
  const read = async (query: RollupQuery) => nameFigures(await session.rollup(query));
  session.expect(MOVING);
  const headline = await readHeadline(session, { span, compared: before });
  const movers = new Movers();
  const rank = async (dimension: Dimension) => {
    const rows = await read({
      span,
      compared: before,
      figures: [...SUMS, "answer_rate"],
      dimensions: [dimension],
    });
    return rankRows(rows, (figures) => movers.note(dimension, figures));
  };
  const offsets = await session.readOffsets(timezone);
  const all = { span, dimensions: [] };
  return {
    headline,
    /** A row per period, in order, with zeros for periods without calls. */
    periods: [...(await read({ ...all, periods, fill: true, figures: PERIOD_FIGURES }))],
    /** Most calls first. */
    channels: await rank("channel"),
    /** A row for each channel and period with calls. */
    channelPeriods: [...(await read({ ...all, dimensions: ["channel"], periods, figures: [] }))],
    sources: await rank("source"),
    campaigns: await rank("campaign"),
    topics: session.rules.topics.length > 0 ? await rank("topic") : undefined,
    /** A row for each local weekday and hour with calls. */
    hours: [...(await read({ ...all, dimensions: ["weekday", "hour"], offsets, figures: ["missed_calls"] }))],
    durations: await session.durationBands(span),
    movers: movers.find(compared),
    spend: spend && (await readSpend(session, spend, { range, span, compared })),
    outcomes: outcomes && {
      ...(await readOutcomes(session, {
        span,
        compared: before,
        outcomes: outcomes.form,
        spend: spend?.form,
      })),
      sources: await readEarning(session, { span, outcomes: outcomes.form }),
    },
  };
}

/** Finds what moved most, as a page shows it. */
export async function readMovers(
  session: FigureSession,
  { span, compared }: Pick<ReportScope, "span" | "compared">,
): Promise<Moved> {
  const before = [{ span: compared.span, isUnreached: compared.isUnreached }];
  session.expect(MOVING);
  const movers = new Movers();
  for (const dimension of MOVING) {
    if (dimension === "topic" && session.rules.topics.length === 0) continue;
    const rows = await session.rollup({ span, compared: before, figures: [], dimensions: [dimension] });
    for (const figures of nameFigures(rows)) movers.note(dimension, figures);
  }
  return movers.find(compared);
}

/** Reads what calls earned, of all and by source: the most revenue first. */
export async function readOutcomes(
  session: FigureSession,
  stretch: Pick<RollupQuery, "span" | "periods" | "compared" | "minCell" | "outcomes" | "spend">,
) {
  const query = { ...stretch, figures: OUTCOME_FIGURES, dimensions: [] };
  const [total = {}] = nameFigures(await session.total(query));
  const [withSpend = {}] =
    stretch.spend === undefined
      ? []
      : nameFigures(await session.total({ ...query, dimensions: ["campaign"], isWithSpend: true }));
  return { total, withSpend };
}

/** Reads the sources whose calls were booked, the most revenue first. */
async function readEarning(session: FigureSession, query: Pick<RollupQuery, "span" | "outcomes">) {
  const rows = nameFigures(
    await session.rollup({ ...query, dimensions: ["source"], figures: OUTCOME_FIGURES }),
  );
  return [...rows]
    .filter(({ booked_calls, revenue }) => Number(booked_calls) > 0 || Number(revenue) !== 0)
    .toSorted(
      (a, b) => Number(b.revenue) - Number(a.revenue) || Number(b.booked_calls) - Number(a.booked_calls),
    )
    .slice(0, ROWS_SHOWN);
}

const COSTS = ["cost", "cost_per_call", "cost_per_qualified_call", "cost_per_first_time_caller"];

/** Reads spend, and its costs next to those of the days before, if both can be compared. */
export async function readSpend(
  session: FigureSession,
  spend: SessionSpend,
  timeframe: Pick<Timeframe, "range" | "span"> & { compared: Counterpart | undefined },
) {
  const { span, compared } = timeframe;
  const figures = await readSpendFigures(session, span, spend.form);
  const isAlike = compared?.isCovered && isSpendComparable(spend, timeframe, compared);
  const before = isAlike ? await readSpendFigures(session, compared.span, spend.form) : undefined;
  return { ...figures, costs: compareCosts(spend.form, costsOf(figures), before && costsOf(before)) };
}

/** Returns all that was spent, refunds included, and the costs per call of campaigns with a cost over 0. */
function costsOf({ total, withSpend }: SpendFigures): Figures {
  return { ...withSpend, cost: total.cost ?? null, cost_with_spend: withSpend.cost ?? null };
}

/** Adds the costs before and their changes; undefined if nothing was spent. */
function compareCosts(form: SpendForm, now: Figures, before: Figures = {}): Figures | undefined {
  if (now.cost == null) return undefined;
  const compared = costsIn(form).filter(({ name }) => now[name] != null && Number(before[name]) > 0);
  return { ...now, ...compareFigures(compared, now, before) };
}

const costsIn = (form: SpendForm) => spendMetrics(form).filter(({ name }) => COSTS.includes(name));

async function readSpendFigures(session: FigureSession, span: Span, form: SpendForm) {
  const query: RollupQuery = {
    dimensions: ["campaign"],
    span,
    spend: form,
    figures: ["qualified_calls", "first_time_callers", ...COSTS],
  };
  const spent = [...nameFigures(await session.rollup(query))]
    .filter(({ cost }) => Number(cost) !== 0)
    .toSorted((a, b) => Number(b.cost) - Number(a.cost));
  const [withCalls, without] = [true, false].map((has) =>
    spent.filter(({ calls }) => Number(calls) > 0 === has),
  );
  const addUp = (rows: readonly Figures[] = []) =>
    rows.length === 0 ? undefined : { rows: rows.length, figures: addCosts(form, rows) };
  const readTotal = async (isWithSpend: boolean) => {
    const [figures = {}] = nameFigures(await session.total({ ...query, isWithSpend }));
    return figures;
  };
  return {
    /** Those with both spend and calls. */
    campaigns: withCalls?.slice(0, ROWS_SHOWN) ?? [],
    rest: addUp(withCalls?.slice(ROWS_SHOWN)),
    /** The spend without calls; undefined if there is none. */
    withoutCalls: addUp(without),
    /** Their campaigns, most spend first. */
    silent: without ?? [],
    /** How many campaigns have spend. */
    count: spent.length,
    /** The campaigns whose cost is over 0. */
    withSpend: await readTotal(true),
    total: await readTotal(false),
  };
}

function addCosts(form: SpendForm, rows: readonly Figures[]): Figures {
  const added = ["cost", "calls", "qualified_calls", "first_time_callers"];
  const sums = Object.fromEntries(added.map((name) => [name, addUp(name, rows)]));
  const isPaid = rows.every(({ cost }) => Number(cost) > 0);
  const costs = costsIn(form).map((metric) => [metric.name, figureOfSums(metric, sums, { isPaid })]);
  return { ...sums, ...Object.fromEntries(costs) };
}

function* nameFigures({ columns, rows }: Rollup): Generator<Figures> {
  for (const row of rows) {
    yield Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  }
}

/** Keeps the first rows and those without a value, and sums the others, including those with calls only before. */
function rankRows(rows: Iterable<Figures>, see: (figures: Figures) => void): Ranking {
  const shown: Figures[] = [];
  const sums: Record<string, number> = {};
  let restRows = 0;
  for (const figures of rows) {
    see(figures);
    const isPresent = Number(figures.calls) > 0;
    if (isPresent && (shown.length < ROWS_SHOWN || isNotSet(figures))) {
      shown.push(figures);
      continue;
    }
    if (isPresent) restRows++;
    for (const name of COUNTS.flatMap((name) => [name, `${name}_previous`])) {
      sums[name] = (sums[name] ?? 0) + Number(figures[name]);
    }
  }
  const isAll = Object.keys(sums).length === 0;
  return { shown, rest: isAll ? undefined : { rows: restRows, figures: withShares(sums) } };
}

/** The figures of a ranking that do not add up, and those that have a change. */
const RATES = CALL_METRICS.filter(({ name }) => name === "answer_rate");
const CHANGING = CALL_METRICS.filter(({ name }) => name === "calls");

/** Adds the shares and the changes of summed figures. */
function withShares(sums: Figures): Figures {
  const rates = RATES.map((metric) => [metric.name, figureOfSums(metric, sums)]);
  const changes = compareFigures(CHANGING, sums, { calls: sums.calls_previous ?? null });
  return { ...sums, ...changes, ...Object.fromEntries(rates) };
}

/** Whether these are the calls without a value; a campaign that has only an id has one. The key columns come first. */
export function isNotSet(figures: Figures): boolean {
  const [name] = Object.values(figures);
  return name === NOT_SET && figures.campaign_id == null;
}
