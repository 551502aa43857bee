import { toPrintable } from "../../base/printable.ts";
import type { Insight } from "../../insights/insight-client.ts";
import type { InsightUpdate } from "../../insights/sync-insights.ts";

const NAME_WIDTH = 22;
/** Where the lines of a value begin, so that none looks like a line of ours. */
const NEXT_LINE = `\n${" ".repeat(NAME_WIDTH + 3)}`;

export function describeInsight({ insight_id, insight_name, group_list, extra, ...all }: Insight): string {
  // A person can read dates as they are served.
  const { start_date_parsed, indicator_start_date_parsed, indicator_end_date_parsed, ...members } = all;
  const lines = [...Object.entries(members), ...Object.entries(extra)].flatMap(([name, value]) =>
    value === null || value === ""
      ? []
      : `  ${toPrintable(name).padEnd(NAME_WIDTH)} ${describeValue(value).replace(/\r\n?|\n/g, NEXT_LINE)}`,
  );
  const groups = group_list.map(({ id }) => id).join(", ");
  return [
    `Insight ${insight_id}: ${nameOf(insight_name)}`,
    ...lines,
    `  ${"groups".padEnd(NAME_WIDTH)} ${groups || "none"}`,
  ].join("\n");
}

export function describeUpdate({ insight_id, insight_name, changes }: InsightUpdate): string {
  const title = `Insight ${insight_id}, ${nameOf(insight_name)}`;
  if (changes === undefined) return `${title}: new`;
  if (changes.length === 0) return `${title}: unchanged`;
  const lines = changes.map(({ member, before, after }) =>
    toPrintable(`  ${member}: ${describeValue(before)} → ${describeValue(after)}`),
  );
  return [`${title}: changed`, ...lines].join("\n");
}

function nameOf(insight_name: string | null): string {
  return toPrintable(insight_name ?? "without a name");
}

function describeValue(value: unknown): string {
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}
