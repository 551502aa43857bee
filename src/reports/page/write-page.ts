import { countDays } from "../../base/calendar/dates.ts";
import { PAGE_FILE } from "../../config/request/option-values.ts";
import type { ExportJob } from "../../export/job.ts";
import { fingerprintOf, type ManifestFile } from "../../export/manifest.ts";
import { sentencesOf } from "../../export/sentences/sentences.ts";
import { callMeasures, measuresOf } from "../../figures/rollup-query.ts";
import { compareWithPage, PAGE_CONTENTS } from "./compare-page.ts";
import { type Report, readReportFigures } from "./report-figures.ts";
import { toPage } from "./report-page.ts";
import { readPageNotices, sentenceFacts } from "./sentence-facts.ts";

export async function writePage(job: ExportJob): Promise<ManifestFile[]> {
  const { session, timeframe, manifest, spend, outcomes } = job;
  const { grain } = timeframe;
  const [compared] = timeframe.compared;
  const { from, to } = timeframe.range;
  if (grain === undefined || compared === undefined || from === undefined || to === undefined)
    throw new Error("A report has days, a grain and a stretch to compare with");
  const figures = await readReportFigures(session, { ...timeframe, compared, spend, outcomes });
  const { headline } = figures;
  const restatements = await compareWithPage(job, figures);
  const measures = measuresOf(
    { dimensions: [], spend: spend?.form, outcomes: outcomes?.form },
    session.rules,
  );
  const sums = callMeasures(measures).flatMap(({ name, isAdditive }) =>
    isAdditive ? [[name, Number(headline[name])] as const] : [],
  );
  const described = {
    contents: PAGE_CONTENTS,
    rows: Number(headline.calls),
    sums: { ...Object.fromEntries(sums), ...(manifest.spend && { cost: manifest.spend.cost }) },
  };
  const fingerprint = fingerprintOf({ ...manifest, files: [...manifest.files, described] });

  const days = countDays({ from, to });
  const { movers, spend: costs, outcomes: earned } = figures;
  const notices = await readPageNotices(job);
  const shown = { total: headline, compared, movers, spend: costs, earned: earned?.total, notices };
  const facts = sentenceFacts(job, shown);
  const page = await toPage({
    letterhead: job.letterhead,
    sentences: sentencesOf({ ...facts, statements: manifest.statements, restatements }),
    figures,
    coverage: job.readCoverage(),
    manifest,
    fingerprint,
    notices,
    sections: await readSections(job),
    measures,
    grain,
    days,
    compared,
  });
  return [{ ...described, ...(await job.write(PAGE_FILE, [page])) }];
}

const readSections = async ({ readSection }: ExportJob): Promise<Report["sections"]> => ({
  restatements: await readSection("restatements"),
  tags: await readSection("tags"),
});
