import { countDays, type DateRange } from "../calendar/dates.ts";
import type { Grain } from "../calendar/grain.ts";
import type { CustomTarget, FigureJob } from "../export/figure-job.ts";
import { fingerprintOf, type ManifestFile } from "../export/manifest.ts";
import { metrics } from "../rollup/metrics.ts";
import { rollupColumns } from "../rollup/rollup-query.ts";
import type { Restatement } from "../warehouse/restatement-table.ts";
import { PERIOD_FIGURES, type ReportFigures, readReportFigures } from "./report-figures.ts";

/** More bars than these are told apart by nobody. */
const MOST_DAYS = 35;
const MOST_DAYS_IN_WEEKS = 7 * 30;
const MOST_DAYS_IN_MONTHS = 31 * 36;

/** What a manifest calls the page. */
const CONTENTS = "report";

/** Returns how the days of a report are cut, where nobody says so. */
export function grainOf(range: Required<DateRange>): Grain {
  const days = countDays(range);
  if (days <= MOST_DAYS) return "day";
  if (days <= MOST_DAYS_IN_WEEKS) return "week";
  return days <= MOST_DAYS_IN_MONTHS ? "month" : "quarter";
}

/** Returns what writes a report as a file of an export, which has a grain and a stretch to compare with. */
export function reportTarget(file: string): CustomTarget {
  return { kind: "custom", isCompared: true, write: (job) => writeReport(job, file) };
}

async function writeReport(job: FigureJob, file: string): Promise<ManifestFile[]> {
  const { session, scope, manifest, spend } = job;
  const { span, grain, periods, previousSpan, timezone } = scope;
  const { from, to } = scope.range;
  if (grain === undefined || previousSpan === undefined || from === undefined || to === undefined)
    throw new Error("A report has days, a grain and a stretch to compare with");
  const figures = readReportFigures(session, { span, periods, previousSpan, timezone, spend });
  const { headline } = figures;
  const restatements = compareWithPage(job, file, figures);
  const sums = metrics(session.rules).flatMap(({ name, isAdditive }) =>
    isAdditive ? [[name, Number(headline[name])] as const] : [],
  );
  const described = {
    contents: CONTENTS,
    rows: Number(headline.calls),
    sums: { ...Object.fromEntries(sums), ...(manifest.spend && { cost: manifest.spend.cost }) },
  };
  const fingerprint = fingerprintOf({ ...manifest, files: [...manifest.files, described] });
  // The library of charts is large, and not every report that is set up is made.
  const { toPage } = await import("./report-page.ts");
  const page = await toPage({
    figures,
    basis: job.readBasis(),
    manifest,
    fingerprint,
    restatements,
    grain,
    days: countDays({ from, to }),
  });
  return [{ ...described, ...(await job.write(file, [page])) }];
}

/** Compares the figures of the periods with those that the page had when it was last written. */
function compareWithPage(
  { givenOut, scope, session }: FigureJob,
  file: string,
  { periods: rows }: ReportFigures,
): readonly Restatement[] {
  const { span, periods } = scope;
  const query = { dimensions: [], span, periods, figures: PERIOD_FIGURES };
  const columns = rollupColumns(query, session.rules);
  const values = rows.map((row) => columns.map(({ name }) => row[name] ?? null));
  const watched = givenOut?.watch({ file, contents: CONTENTS, query, columns }, values);
  while (watched?.next().done === false);
  return givenOut?.find(CONTENTS) ?? [];
}
