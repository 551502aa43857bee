import { AS_WRITTEN, check } from "../config/request/check.ts";
import { toContents } from "../config/request/contents.ts";
import type { ExportJob, Reading } from "../export/job.ts";
import { folderOutput } from "../export/output/folder.ts";
import type { ReportPlan } from "./plan-report.ts";
import { type ProducedFiles, type ProduceOptions, produceAndRead } from "./produce/produce.ts";
import { type EngineAccount, ONLY_ACCOUNT, readEngine } from "./produce/published-source.ts";
import { sourceOf } from "./produce/warehouse-source.ts";
import type { NamedReport } from "./report.ts";

/** Writes the files of a report, and reads more at their moment. */
export async function produceReport<T>(
  report: NamedReport,
  { ask, folder, letterhead }: ReportPlan,
  options: ProduceOptions & { signal: AbortSignal },
  read: (job: ExportJob) => Promise<Reading<T>>,
): Promise<{ files: ProducedFiles & { folder: string }; value: T }> {
  const { signal } = options;
  const { content, settings } = report;
  const named = { ...options, account: report.account ?? undefined, letterhead, browser: settings.browser };
  const output = folderOutput(folder, { signal });
  const withFolder = ({ files, value }: { files: ProducedFiles; value: T }) => ({
    files: { folder: output.folder, ...files },
    value,
  });
  if (content.engine === undefined)
    return withFolder(await produceAndRead(ask, sourceOf(settings), output, named, read));
  const owner = { name: report.account ?? ONLY_ACCOUNT, settings };
  const work = async ([account]: readonly EngineAccount[]) => {
    if (account === undefined) throw new Error(`The cluster returned no account ${owner.name}`);
    const { source } = account;
    check(content, { source: source.can, output: output.can }, { ...AS_WRITTEN, spell: ask.spell });
    const contents = toContents(content, source.can);
    return await produceAndRead({ ...ask, contents }, source, output, named, read);
  };
  return withFolder(await readEngine(content.engine, [owner], work, { signal }));
}
