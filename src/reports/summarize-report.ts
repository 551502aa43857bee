import { hash } from "node:crypto";
import { join } from "node:path";
import { closedRange } from "../base/calendar/dates.ts";
import { daysInWords, rangeInWords } from "../base/calendar/period-text.ts";
import { inLocale } from "../base/text/locale.ts";
import { excludedOf } from "../config/request/conversion-kinds.ts";
import type { Figure } from "../export/blocks.ts";
import { HEADLINE } from "../export/headline.ts";
import { encodeManifest, type Manifest } from "../export/manifest.ts";
import { sentencesOf } from "../export/sentences/sentences.ts";
import { judgeCompleteness } from "../export/statements/completeness.ts";
import { describeChange, formatFigure, readerOf, titleOf } from "../figures/figure-text.ts";
import type { Figures } from "../figures/sums.ts";
import type { ReportFile, ReportSummary } from "./delivery/report-summary.ts";
import { metricsNamed } from "./page/figure-rows.ts";
import type { ReportPlan } from "./plan-report.ts";
import type { ReportHeadline, ReportReading } from "./read-report.ts";
import type { NamedReport } from "./report.ts";

interface SummaryOptions {
  plan: ReportPlan;
  manifest: Manifest;
  /** Absolute path. */
  folder: string;
  reading: ReportReading;
}

/** Returns what the recipients of a report get, in its language. */
export function summarizeReport(report: NamedReport, options: SummaryOptions): ReportSummary {
  return inLocale(options.plan.letterhead.locale, () => toSummary(report, options));
}

function toSummary(
  { name, account, file }: NamedReport,
  { plan, manifest, folder, reading: { headline, coverage, delivered } }: SummaryOptions,
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
    sentences:
      delivered === undefined
        ? []
        : sentencesOf({
            ...delivered.facts,
            statements,
            restatements: delivered.remembered?.restatements ?? [],
          }),
    headline: toHeadline(headline),
    verdict: judgeCompleteness(manifest, coverage),
    statements,
    notices: delivered?.news?.notices ?? [],
    ring_back: delivered?.ringBack,
    folder,
    files: toFiles(manifest, folder, plan),
    prefix: Object.keys(file.content.accounts ?? {}).length > 1 ? `${account}-` : "",
    manifest: toManifestFile(manifest, folder),
  };
}

function toFiles(manifest: Manifest, folder: string, { personal }: ReportPlan): ReportFile[] {
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

function toHeadline({ figures, spend, earned, compared, measures }: ReportHeadline): Figure[] {
  const all: Figures = { ...spend?.costs, ...earned?.total, ...figures };
  const read = readerOf(all);
  const names = HEADLINE.filter((name) => name in all && !(name === "missed_in_hours" && all[name] == null));
  return metricsNamed(measures, names)
    .filter(({ isUnknown = false }) => !isUnknown)
    .map((metric): Figure => {
      const change = describeChange(metric, read, compared);
      return {
        name: `${titleOf(metric.name)}${metric.aggregate.kind === "cost per" ? " (campaigns with spend)" : ""}`,
        value: formatFigure(metric, read),
        change: change?.change ?? null,
        previous: change?.previous ?? null,
        within_chance: change?.isWithinChance === true,
      };
    });
}
