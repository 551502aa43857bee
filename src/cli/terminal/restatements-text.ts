import { relative } from "node:path";
import { formatCount } from "../../base/quantity-text.ts";
import { localTime } from "../../calendar/local-time.ts";
import type { Restatement } from "../../export/restatement.ts";
import { describeRestatement, keyInWords } from "../../restatements/restatement-words.ts";
import { ellipsize } from "./text.ts";

const WIDTH = 78;
/** More of them are read as JSON. */
const MOST_SHOWN = 200;

/** Two lines a figure, below the file that it was in. */
export function describeRestatements(
  found: readonly Restatement[],
  timezone: string,
  folder: string,
): string {
  if (found.length === 0) return "No restatements.";
  const toLocal = localTime(timezone);
  const minuteOf = (time: string) => toLocal(time).local.slice(0, "YYYY-MM-DD HH:MM".length);
  const lines: string[] = [];
  let heading = "";
  for (const each of found.slice(0, MOST_SHOWN)) {
    const { path, contents, found_at, given_out_at, period, metric } = each;
    const next = `${minuteOf(found_at)}  ${relative(folder, path)}, ${contents}, exported ${minuteOf(given_out_at)}`;
    if (next !== heading) lines.push(...(heading === "" ? [] : [""]), ellipsize(next, WIDTH));
    heading = next;
    lines.push(
      ellipsize(`  ${[period, keyInWords(each), metric].filter((text) => text !== "").join("  ")}`, WIDTH),
      ellipsize(`    ${describeRestatement(each)}`, WIDTH),
    );
  }
  const more = found.length - MOST_SHOWN;
  if (more > 0) lines.push("", `${formatCount(more)} more, earlier: --json lists all of them.`);
  return lines.join("\n");
}
