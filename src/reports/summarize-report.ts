import { hash } from "node:crypto";
import { join } from "node:path";
import { formatCount } from "../base/quantity-text.ts";
import { closedRange, comparisonRange, type DateRange } from "../calendar/dates.ts";
import { periods } from "../calendar/periods.ts";
import type { Figure, ReportFile, ReportSummary } from "../delivery/report-summary.ts";
import type { Job } from "../export/job.ts";
import { encodeManifest, type Manifest } from "../export/manifest.ts";
import { compareTo } from "../export/timeframe.ts";
import { describeDays, formatAnswerRate, formatChange, formatPoints } from "../page/figure-text.ts";
import { type Figures, readHeadline } from "../page/report-figures.ts";
import type { ReportPlan } from "./plan-report.ts";
import type { NamedReport } from "./report.ts";
import type { ReportNews } from "./report-news.ts";

export type ReportHeadline = Awaited<ReturnType<typeof readReportHeadline>>;

export async function readReportHeadline(job: Job) {
  const { ask, session, timeframe } = job;
  const { span, range, grain } = timeframe;
  const closed = closedRange(range);
  const compared = timeframe.compared ?? (closed && (await compareBefore(job, closed)));
  const previous = compared && {
    span: compared.span,
    periods: grain && compared.periods,
    isUnreached: compared.isUnreached,
  };
  const { minCell } = ask;
  const figures = await readHeadline(session, {
    span,
    periods: grain && timeframe.periods,
    previous,
    minCell,
  });
  return { figures, compared: compared?.range, isCovered: compared?.isCovered ?? true };
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
  plan: ReportPlan;
  files: readonly ReportFile[];
  folder: string;
  headline: ReportHeadline;
  news?: ReportNews | undefined;
}

export function summarizeReport(
  { name, account }: NamedReport,
  { manifest, plan, files, folder, headline, news }: SummaryOptions,
): ReportSummary {
  const { run, timezone, statements } = manifest;
  const days = closedRange(plan.ask.range);
  const { figures, compared } = headline;
  const comparison = compared === undefined ? "" : `, compared with ${describeDays(compared)}`;
  return {
    title: `Calls: ${name}${plan.values.period === undefined ? "" : `, ${plan.values.period}`}`,
    account,
    range: `${days ? describeDays(days) : "All calls"}, days of ${timezone}${comparison}`,
    headline: toHeadline(figures),
    verdict:
      run === null
        ? "No sync has finished yet."
        : `Run ${run.run_id} was ${run.verdict}: ${run.verdict_reason}.`,
    statements,
    notices: news?.notices ?? [],
    folder,
    files,
    manifest: toManifestFile(manifest, folder),
  };
}

export function toFiles(manifest: Manifest, folder: string, { personal }: ReportPlan): ReportFile[] {
  const { file: restated } = manifest.restatements ?? {};
  const all = [...manifest.files, ...(restated ? [{ ...restated, contents: "restatements" }] : [])];
  const ofPeople = new Set([...personal, ...personal.map((list) => `${list}.excluded`), "workbook"]);
  return all.map(({ file, bytes, sha256, contents }) => ({
    name: file,
    path: join(folder, file),
    bytes,
    sha256,
    isPersonal: personal.length > 0 && ofPeople.has(contents),
  }));
}

function toManifestFile(manifest: Manifest, folder: string): ReportFile {
  const [name, content] = ["manifest.json", Buffer.from(encodeManifest(manifest))];
  const sha256 = hash("sha256", content);
  return { name, path: join(folder, name), bytes: content.length, sha256, isPersonal: false };
}

function toHeadline(figures: Figures): Figure[] {
  const counted = (name: string, column: string): Figure => {
    const count = figures[column];
    const isLeftOut = typeof count !== "number";
    return {
      name,
      value: isLeftOut ? "–" : formatCount(count),
      change: isLeftOut ? null : formatChange(figures, column),
    };
  };
  return [
    counted("Calls", "calls"),
    { name: "Answer rate", value: formatAnswerRate(figures) ?? "–", change: formatPoints(figures) },
    counted("Qualified calls", "qualified_calls"),
    counted("First-time callers", "first_time_callers"),
    counted("Missed calls", "missed_calls"),
  ];
}
