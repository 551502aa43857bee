import type { ListedJob } from "../../schedule/plan-jobs.ts";
import { formatTable, hang, WIDTH } from "./text.ts";

/** Of a name at most, in one line. */
const JOB_PARTS = /.{1,20}/g;
/** Of an expression at most, in one line. */
const CRON_WIDTH = 16;
const MINUTE_WIDTH = "2026-11-20 16:07".length;
/** Spaces between the columns of a table. */
const GAP = 2;

/** Returns jobs as a table of 80 columns. Long texts are broken into lines; of the next runs there are as many as have room, and at least two. */
export function describeJobs(jobs: readonly ListedJob[]): string {
  const [{ timezone = "UTC" } = {}] = jobs;
  const minuteOf = (iso: string) => formatLocal(iso, timezone).slice(0, MINUTE_WIDTH);
  const cells = jobs.map(({ job, cron, last_done, is_behind, next, idle }) => {
    const runs = next.map((at) => formatLocal(at, timezone).replace(/:00$/, ""));
    return {
      job: (job.match(JOB_PARTS) ?? []).join("\n"),
      cron: hang("", cron, 0, CRON_WIDTH).join("\n"),
      last: last_done === null ? "never" : minuteOf(last_done),
      next: idle === null ? [...(is_behind ? ["at once"] : []), ...runs] : [`none: ${idle}`],
    };
  });
  const widthOf = (column: "job" | "cron" | "last", head: string) =>
    Math.max(head.length, ...cells.flatMap((cell) => cell[column].split("\n").map(({ length }) => length)));
  const room =
    WIDTH - widthOf("job", "job") - widthOf("cron", "cron") - widthOf("last", "last done") - 3 * GAP;
  const rows = cells.map(({ job, cron, last, next }) => [job, cron, last, inRoom(next, room)]);
  return formatTable(["job", "cron", "last done", `next, ${timezone}`], rows, "left");
}

function inRoom(runs: readonly string[], room: number): string {
  for (let count = runs.length; count > 1; count--) {
    const line = runs.slice(0, count).join(", ");
    if (line.length <= room) return line;
  }
  return runs.length > 1 ? runs.slice(0, 2).join(",\n") : hang("", runs.join(), 0, room).join("\n");
}

/** 2026-11-20T15:07:00.000Z in Europe/Berlin → 2026-11-20 16:07:00 */
function formatLocal(iso: string, timezone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return format.format(Date.parse(iso));
}
