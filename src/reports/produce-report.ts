import { AS_WRITTEN, check } from "../config/request/check.ts";
import { toContents } from "../config/request/contents.ts";
import { folderOutput } from "../export/output/folder.ts";
import type { ReportPlan } from "./plan-report.ts";
import { type ProducedFiles, type ProduceOptions, produce } from "./produce/produce.ts";
import { type EngineAccount, ONLY_ACCOUNT, readEngine } from "./produce/published-source.ts";
import { sourceOf } from "./produce/warehouse-source.ts";
import type { NamedReport } from "./report.ts";

export async function produceReport(
  report: NamedReport,
  { ask, folder, letterhead }: ReportPlan,
  options: ProduceOptions & { signal: AbortSignal },
): Promise<ProducedFiles & { folder: string }> {
  const { signal } = options;
  const named = { ...options, account: report.account ?? undefined, letterhead };
  const { content, settings } = report;
  const output = folderOutput(folder, { signal });
  if (content.engine === undefined)
    return { folder: output.folder, ...(await produce(ask, sourceOf(settings), output, named)) };
  const owner = { name: report.account ?? ONLY_ACCOUNT, settings };
  const work = async ([account]: readonly EngineAccount[]) => {
    if (account === undefined) throw new Error(`The cluster returned no account ${owner.name}`);
    const { source } = account;
    check(content, { source: source.can, output: output.can }, { ...AS_WRITTEN, spell: ask.spell });
    const contents = toContents(content, source.can);
    return await produce({ ...ask, contents }, source, output, named);
  };
  const made = await readEngine(content.engine, [owner], work, { signal });
  return { folder: output.folder, ...made };
}
