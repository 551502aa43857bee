import { closedRange, comparisonRange, type DateRange } from "../base/calendar/dates.ts";
import { PERIOD_ON_PERIOD } from "../base/calendar/grain.ts";
import { periods } from "../base/calendar/periods.ts";
import type { Clock } from "../base/clock.ts";
import type { ExportJob, Reading } from "../export/job.ts";
import { has } from "../export/statements/statements.ts";
import { compareTo } from "../export/timeframe.ts";
import { measuresOf } from "../figures/rollup-query.ts";
import type { Figures } from "../figures/sums.ts";
import type { Coverage } from "../warehouse/runs/basis-schema.ts";
import type { ReportSummary } from "./delivery/report-summary.ts";
import { readHeadline, readMovers, readOutcomes, readSpend } from "./page/report-figures.ts";
import { readPageNotices, sentenceFacts } from "./page/sentence-facts.ts";
import type { NamedReport } from "./report.ts";
import { type ReportNews, readReportNews } from "./report-news.ts";
import { assertDeliverable, isStale, readLastGoodSync } from "./requirements.ts";
import { readRingBack } from "./ring-back.ts";

/** What a report reads at the moment of its files, for its summary. */
export interface ReportReading {
  headline: ReportHeadline;
  coverage: Pick<Coverage, "verified">;
  isStale: boolean;
  /** Undefined for a report that is not delivered. */
  delivered: DeliveredReading | undefined;
}

interface DeliveredReading {
  news: ReportNews | undefined;
  ringBack: ReportSummary["ring_back"];
  /** What its first sentences are found in, but for what is known at the end. */
  facts: Awaited<ReturnType<typeof readReportFacts>>;
  /** Figures that earlier files had otherwise, once the files are written. */
  remembered: ExportJob["remembered"];
}

/** @throws CalltallyError (exit 9) if the report must not be delivered */
export async function readReport(
  report: NamedReport,
  job: ExportJob,
  { runId, isDelivered, clock }: { runId: number; isDelivered: boolean; clock: Clock },
): Promise<Reading<ReportReading>> {
  if (isDelivered) assertDeliverable(report, job.manifest);
  const headline = await readReportHeadline(job);
  const reading: ReportReading = {
    headline,
    coverage: job.readCoverage(),
    isStale: isStale(readLastGoodSync(job), report, clock.now()),
    delivered: isDelivered
      ? {
          news: await readReportNews(report, runId, job),
          ringBack: readRingBack(report, job),
          facts: await readReportFacts(job, headline),
          remembered: job.remembered,
        }
      : undefined,
  };
  return { value: reading, facts: factsOf(report, reading) };
}

/** Returns what statements are found in besides the files. */
function factsOf(
  { content: { fresh, min_cell } }: NamedReport,
  { headline: { figures, compared }, isStale, delivered }: ReportReading,
): Reading<ReportReading>["facts"] {
  return {
    // A delivery shows the headline, which has all figures.
    ...(delivered !== undefined && { figures: undefined }),
    report: {
      ...(isStale && fresh !== undefined && { olderThan: fresh }),
      ...(compared?.isCovered === false && { comparedFrom: compared.range.from ?? null }),
      ...(figures.calls === null && min_cell !== undefined && { headlineMinCell: min_cell }),
    },
  };
}

export type ReportHeadline = Awaited<ReturnType<typeof readReportHeadline>>;

export async function readReportHeadline(job: ExportJob) {
  const { ask, session, spend, outcomes, timeframe } = job;
  const { span, range, grain } = timeframe;
  const closed = closedRange(range);
  // A headline is of all days, which have no one period before.
  const ofDays = timeframe.compared.find(({ as }) => as !== PERIOD_ON_PERIOD);
  const compared = ofDays ?? (closed && (await compareBefore(job, closed)));
  const before =
    compared && !compared.isUnreached ? [{ span: compared.span, periods: grain && compared.periods }] : [];
  const stretch = { span, periods: grain && timeframe.periods, compared: before, minCell: ask.minCell };
  const figures = await readHeadline(session, stretch);
  const spent = spend && (await readSpend(session, spend, { range, span, compared }));
  const earned = outcomes && (await readOutcomes(session, { ...stretch, outcomes: outcomes.form }));
  // Unknown until then, and 0 in the warehouse.
  const unknown: Figures = has(job.manifest.statements, "first_load") ? { first_time_callers: null } : {};
  const measures = measuresOf(
    { dimensions: [], spend: spend?.form, outcomes: outcomes?.form },
    session.rules,
  );
  return { figures: { ...figures, ...unknown }, spend: spent, earned, compared, measures };
}

/** Reads what the first sentences are found in, as a page of the same calls does. */
export async function readReportFacts(job: ExportJob, { figures, spend, earned, compared }: ReportHeadline) {
  const { session, timeframe } = job;
  const isMoved = compared?.isCovered && !compared.isUnreached;
  const movers = isMoved ? await readMovers(session, { span: timeframe.span, compared }) : undefined;
  const notices = await readPageNotices(job);
  return sentenceFacts(job, { total: figures, compared, movers, spend, earned: earned?.total, notices });
}

/** Compares a report without a comparison with the days before, for the figures of its mail. */
function compareBefore({ session, timeframe, manifest }: ExportJob, range: Required<DateRange>) {
  const { grain, timezone } = timeframe;
  const before = closedRange(comparisonRange(range, "previous"));
  if (before === undefined) throw new Error("The days before closed ones are closed");
  // A report of those days may have blanked a period that their total would reveal.
  const periodsBefore = grain ? periods({ ...before, grain, zone: timezone }) : [];
  return compareTo(session, {
    as: "previous",
    range: before,
    periods: periodsBefore.map((each) => ({ ...each, previous: each.period, days: before })),
    to: range,
    timezone,
    asOf: manifest.run?.finished_at,
  });
}
