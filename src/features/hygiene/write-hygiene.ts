import { formatMicros } from "../../base/text/currency.ts";
import { type ExportJob, listsOf, type SectionJob } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { Column } from "../../export/table.ts";
import { toCsvLine } from "./append-aliases.ts";
import { RECENT_DAYS, readProblems } from "./read-problems.ts";

/** Writes one line for each tag that is probably wrong, as of the last chosen day. */
export async function writeHygiene(job: ExportJob): Promise<ManifestFile[]> {
  const { problems, spend } = await readJobProblems(job);
  const columns: Column[] = [
    { name: "problem", type: "text", help: "What is probably wrong." },
    { name: "field", type: "text", help: "What has the value: source, medium or campaign." },
    { name: "value", type: "text", help: "The value, as it counts; of merged spellings, as served." },
    { name: "other", type: "text", help: "What it is confused with, contradicts, or counts as." },
    { name: "calls", type: "integer", help: `Calls in the last ${RECENT_DAYS} days.` },
    ...(spend
      ? [
          {
            name: "cost",
            type: "decimal",
            ...spend,
            help: `What was spent in the last ${RECENT_DAYS} days.`,
          } as const,
        ]
      : []),
    {
      name: "since",
      type: "time",
      help: "Start of its first call, UTC; of merged spellings, in these days.",
    },
    { name: "file", type: "text", help: "The file that mends it: aliases or channels; blank if none can." },
    { name: "line", type: "text", help: "The line for that file." },
  ];
  const rows = problems.map(({ kind, field, value, other, calls, cost_micros, since, line }) => [
    ...[kind, field, value, other, calls],
    ...(spend ? [cost_micros === null ? null : Number(formatMicros(cost_micros))] : []),
    ...[since, line?.file ?? null, line && toCsvLine(Object.values(line.cells))],
  ]);
  return await job.table({
    name: "hygiene",
    columns,
    rows,
    audience: "shared",
    entry: { contents: "hygiene", rows: rows.length },
  });
}

/** Finds the problems up to the last chosen day of a job. */
export function readJobProblems(job: SectionJob): ReturnType<typeof readProblems> {
  const { range, timezone } = job.timeframe;
  return readProblems(listsOf(job).session, { to: range.to, timezone, nowMs: job.nowMs });
}
