import { hash } from "node:crypto";
import { join } from "node:path";
import { closedRange, comparisonRange, type DateRange } from "../base/calendar/dates.ts";
import { daysInWords, rangeInWords } from "../base/calendar/period-text.ts";
import { periods } from "../base/calendar/periods.ts";
import { inLocale } from "../base/text/locale.ts";
import { formatAmount, formatCount } from "../base/text/quantity-text.ts";
import { excludedOf } from "../config/request/conversion-kinds.ts";
import { completenessInWords } from "../export/completeness.ts";
import type { Job } from "../export/job.ts";
import { encodeManifest, type Manifest } from "../export/manifest.ts";
import type { Sentence } from "../export/sentences/sentences.ts";
import { has } from "../export/statements/statements.ts";
import { compareTo } from "../export/timeframe.ts";
import type { Figures } from "../figures/sums.ts";
import type { Coverage } from "../warehouse/runs/basis-schema.ts";
import type { Figure, ReportFile, ReportSummary } from "./delivery/report-summary.ts";
import { formatAnswerRate, formatChange, formatPoints, isMarked, type Stretch } from "./page/figure-text.ts";
import { readHeadline, readMovers, readOutcomes, readSpend } from "./page/report-figures.ts";
import { sentenceFacts } from "./page/sentence-facts.ts";
import type { ReportPlan } from "./plan-report.ts";
import type { NamedReport } from "./report.ts";
import type { ReportNews } from "./report-news.ts";

export type ReportHeadline = Awaited<ReturnType<typeof readReportHeadline>>;

export async function readReportHeadline(job: Job) {
  const { ask, session, spend, outcomes, timeframe } = job;
  const { span, range, grain } = timeframe;
  const closed = closedRange(range);
  const compared = timeframe.compared ?? (closed && (await compareBefore(job, closed)));
  const previous =
    compared && !compared.isUnreached
      ? { span: compared.span, periods: grain && compared.periods }
      : undefined;
  const stretch = { span, periods: grain && timeframe.periods, previous, minCell: ask.minCell };
  const figures = await readHeadline(session, stretch);
  const spent = spend && (await readSpend(session, spend, { range, span, compared }));
  const earned = outcomes && {
    currency: outcomes.form.currency,
    ...(await readOutcomes(session, { ...stretch, outcomes: outcomes.form })),
  };
  // Unknown until then, and 0 in the warehouse.
  const unknown: Figures = has(job.manifest.statements, "first_load") ? { first_time_callers: null } : {};
  return { figures: { ...figures, ...unknown }, spend: spent, earned, compared };
}

/** Reads what the first sentences are found in, as a page of the same calls does. */
export async function readReportFacts(job: Job, { figures, spend, earned, compared }: ReportHeadline) {
  const { session, timeframe } = job;
  const isMoved = compared?.isCovered && !compared.isUnreached;
  const movers = isMoved ? await readMovers(session, { span: timeframe.span, compared }) : undefined;
  return sentenceFacts(job, { total: figures, compared, movers, spend, earned: earned?.total });
}

/** Compares a report without a comparison with the days before, for the figures of its mail. */
function compareBefore({ session, timeframe, manifest }: Job, range: Required<DateRange>) {
  const { grain, timezone } = timeframe;
  const before = closedRange(comparisonRange(range, "previous"));
  if (before === undefined) throw new Error("The days before closed ones are closed");
  // A report of those days may have blanked a period that their total would reveal.
  const own = grain ? periods({ ...before, grain, zone: timezone }) : [];
  return compareTo(session, {
    range: before,
    periods: own.map((each) => ({ ...each, previous: each.period })),
    to: range,
    timezone,
    asOf: manifest.run?.finished_at,
  });
}

interface SummaryOptions {
  manifest: Manifest;
  coverage: Pick<Coverage, "verified">;
  plan: ReportPlan;
  files: readonly ReportFile[];
  folder: string;
  headline: ReportHeadline;
  sentences: readonly Sentence[];
  news?: ReportNews | undefined;
  ringBack?: ReportSummary["ring_back"];
}

export function summarizeReport(report: NamedReport, options: SummaryOptions): ReportSummary {
  return inLocale(options.plan.letterhead.locale, () => toSummary(report, options));
}

function toSummary(
  { name, account, file }: NamedReport,
  { manifest, coverage, plan, files, folder, headline, sentences, news, ringBack }: SummaryOptions,
): ReportSummary {
  const { timezone, statements } = manifest;
  const days = closedRange(plan.ask.range);
  const { compared } = headline;
  const comparison = compared === undefined ? "" : `, compared with ${daysInWords(compared.range)}`;
  return {
    title: `Calls: ${name}${plan.values.period === undefined ? "" : `, ${rangeInWords(plan.values.period)}`}`,
    account,
    letterhead: plan.letterhead,
    range: `${days ? daysInWords(days) : "All calls"}, days of ${timezone}${comparison}`,
    sentences,
    headline: toHeadline(headline, manifest.spend?.currency),
    verdict: completenessInWords(manifest, coverage),
    statements,
    notices: news?.notices ?? [],
    ring_back: ringBack,
    folder,
    files,
    prefix: Object.keys(file.content.accounts ?? {}).length > 1 ? `${account}-` : "",
    manifest: toManifestFile(manifest, folder),
  };
}

export function toFiles(manifest: Manifest, folder: string, { personal }: ReportPlan): ReportFile[] {
  const { file: restated } = manifest.restatements ?? {};
  const all = [...manifest.files, ...(restated ? [{ ...restated, contents: "restatements" }] : [])];
  const ofPeople = new Set([...personal, ...personal.map(excludedOf), "workbook", "explore"]);
  return all.map(({ file, bytes, sha256, contents }) => ({
    name: file,
    path: join(folder, file),
    bytes,
    sha256,
    isPersonal: personal.length > 0 && ofPeople.has(contents),
    isScript: contents === "explore",
  }));
}

function toManifestFile(manifest: Manifest, folder: string): ReportFile {
  const [name, content] = ["manifest.json", Buffer.from(encodeManifest(manifest))];
  const sha256 = hash("sha256", content);
  return { name, path: join(folder, name), bytes: content.length, sha256, isPersonal: false };
}

function toHeadline(
  { figures, spend, earned, compared }: ReportHeadline,
  currency: string | null | undefined,
): Figure[] {
  const figure = (
    name: string,
    column: string,
    { change, show }: { change: string | null; show: (stretch: Stretch) => string | null },
  ): Figure => {
    const [value, previous] = [show(""), show("_previous")];
    const isCompared = value !== null && previous !== null && change !== null;
    return {
      name,
      value: value ?? "–",
      change: isCompared ? change : null,
      previous: isCompared ? previous : null,
      within_chance: isCompared && compared !== undefined && isMarked(figures, column, compared),
    };
  };
  const numbered = (of: Figures, format: (number: number) => string) => (name: string, column: string) =>
    figure(name, column, {
      change: formatChange(of, column),
      show: (stretch) => {
        const value = of[`${column}${stretch}`];
        return typeof value === "number" ? format(value) : null;
      },
    });
  const counted = numbered(figures, formatCount);
  const costs = spend?.costs;
  const cost = numbered(costs ?? {}, (amount) => `${formatAmount(amount)} ${currency}`);
  return [
    counted("Calls", "calls"),
    figure("Answer rate", "answer_rate", {
      change: formatPoints(figures),
      show: (stretch) => formatAnswerRate(figures, stretch),
    }),
    counted("Qualified calls", "qualified_calls"),
    counted("First-time callers", "first_time_callers"),
    counted("Missed calls", "missed_calls"),
    ...(figures.missed_in_hours == null ? [] : [counted("Missed in opening hours", "missed_in_hours")]),
    ...(earned === undefined
      ? []
      : [
          numbered(earned.total, formatCount)("Booked calls", "booked_calls"),
          ...(earned.currency === undefined
            ? []
            : [
                numbered(earned.total, (amount) => `${formatAmount(amount)} ${earned.currency}`)(
                  "Revenue",
                  "revenue",
                ),
              ]),
        ]),
    ...(costs === undefined
      ? []
      : [
          cost("Cost", "cost"),
          cost("Cost per call (campaigns with spend)", "cost_per_call"),
          cost("Cost per qualified call (campaigns with spend)", "cost_per_qualified_call"),
        ]),
  ];
}
