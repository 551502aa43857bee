import { Temporal } from "temporal-polyfill";
import { formatMicros } from "../../base/currency.ts";
import { startOfDay } from "../../calendar/dates.ts";
import { localDate } from "../../calendar/local-time.ts";
import { type Job, listsOf } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { Column } from "../../export/table.ts";
import { findProblems } from "./find-problems.ts";

const RECENT_DAYS = 28;
const NEW_DAYS = 7;

/** Writes one line for each tag that is probably wrong, as of the last chosen day. */
export async function writeHygiene(job: Job): Promise<ManifestFile[]> {
  const { timeframe, nowMs } = job;
  const { timezone } = timeframe;
  const { startsAt: _, ...until } = timeframe.span;
  const { session } = listsOf(job);
  const last = Temporal.PlainDate.from(
    timeframe.range.to ?? localDate(new Date(nowMs).toISOString(), timezone),
  );
  const startOf = (days: number) => startOfDay(last.subtract({ days: days - 1 }), timezone);
  const since = startOf(RECENT_DAYS);
  const first = await session.readFirstStart();
  const spend = await session.loadSpend(timezone);
  const hasSpend = spend.days() !== undefined;
  const problems = findProblems({
    visits: session
      .visits(since, until)
      .map(({ is_google_click, ...visits }) => ({ ...visits, is_google_click: is_google_click === 1 })),
    costs: hasSpend
      ? spend
          .campaigns({ ...until, startsAt: since })
          .map(({ match, ...cost }) => ({ ...cost, has_calls: match !== "unmatched" }))
      : undefined,
    aliases: session.rules.aliases,
    newSince: first !== null && first < since ? startOf(NEW_DAYS) : null,
  });
  const columns: Column[] = [
    { name: "problem", type: "text", help: "What is probably wrong." },
    { name: "field", type: "text", help: "What has the value: source, medium or campaign." },
    { name: "value", type: "text", help: "The value, as it counts." },
    { name: "other", type: "text", help: "What it is confused with, or contradicts." },
    { name: "calls", type: "integer", help: `Calls in the last ${RECENT_DAYS} days.` },
    ...(hasSpend
      ? [
          {
            name: "cost",
            type: "decimal",
            decimals: spend.form.decimals,
            currency: spend.form.currency,
            help: `What was spent in the last ${RECENT_DAYS} days.`,
          } as const,
        ]
      : []),
    { name: "since", type: "time", help: "Start of its first call, UTC." },
    {
      name: "alias",
      type: "text",
      help: "The line for the file of aliases that mends it; blank if none can.",
    },
  ];
  const rows = problems.map(({ kind, field, value, other, calls, cost_micros, since: seen, alias }) => [
    ...[kind, field, value, other, calls],
    ...(hasSpend ? [cost_micros === null ? null : Number(formatMicros(cost_micros))] : []),
    ...[seen, alias],
  ]);
  return await job.table({
    name: "hygiene",
    columns,
    rows,
    audience: "shared",
    entry: { contents: "hygiene", rows: rows.length },
  });
}
