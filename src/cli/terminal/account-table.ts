import { ageOf } from "../../base/clock.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { ellipsize, formatTable, hang, WIDTH } from "../../base/text/terminal-text.ts";
import { findFailedSync, trustIn } from "../../operate/status/find-problems.ts";
import type { Status } from "../../operate/status/read-status.ts";

const NAME_WIDTH = 18;

interface AccountStatus {
  name: string;
  /** Undefined if it is unknown: the problems say why. */
  status?: Status;
  problems: readonly string[];
}

/**
 * Returns accounts as a table of 80 columns, one line each, and below it their problems in full.
 * @param options.count how many there are, shown or not
 */
export function describeAccounts(
  accounts: readonly AccountStatus[],
  { count, nowMs }: { count: number; nowMs: number },
): string {
  const head = ["account", "working", "verdict", "fresh", "calls", "jobs", "problems"];
  const rows = accounts.map(({ name, status, problems }) => [
    ellipsize(name, NAME_WIDTH),
    ...(status === undefined ? ["no", "", "", "", ""] : toCells(status, nowMs)),
    problems.join("; "),
  ]);
  const table = formatTable(head, rows, "left");
  const bad = accounts.filter(({ problems }) => problems.length > 0).length;
  const summary = `${formatQuantity(count, "account")}, ${bad === 0 ? "none with a problem" : `${bad} with a problem: calltally status --account NAME`}`;
  const problemLines = accounts.flatMap(({ name, problems }) =>
    problems.flatMap((problem) => hang(`  ${name}: `, problem.replace(/\p{Cc}+/gu, " "), 4)),
  );
  if (accounts.length === 0) return summary;
  return [...table.split("\n").map((line) => ellipsize(line, WIDTH)), "", summary, ...problemLines].join(
    "\n",
  );
}

function toCells(status: Status, nowMs: number): string[] {
  const { last_done_run, last_good_run, calls, jobs } = status;
  const good = last_good_run?.finished_at;
  const failing = jobs.filter(({ failing_since }) => failing_since !== null);
  return [
    describeWorking(status),
    last_done_run?.verdict ?? "",
    good ? describeAge(ageOf(good, nowMs)) : "never",
    formatCount(calls.live),
    jobs.length === 0 ? "" : failing.length === 0 ? "ok" : `${failing.length} failing`,
  ];
}

function describeWorking(status: Status): string {
  const { next, origin_problem } = status;
  const [last] = status.runs;
  if (origin_problem !== null) return "no";
  if (last === undefined) return "not yet";
  if (next.not_before !== null) return "waiting";
  if (last.status === "running") return "running";
  if (last.status !== "done" || findFailedSync(status)) return "no";
  return trustIn(status);
}

/** In the largest unit that fits, short: 12 min, 3 h, 5 d. */
function describeAge(ageMs: number): string {
  if (ageMs === Number.POSITIVE_INFINITY) return "future";
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
