import { ageOf } from "../../base/clock.ts";
import { formatCount, formatQuantity } from "../../base/quantity-text.ts";
import { findProblems } from "../../status/find-problems.ts";
import type { Status } from "../../status/read-status.ts";
import { ellipsize, formatTable, hang, WIDTH } from "./text.ts";

const NAME_WIDTH = 18;

/** The status of an account, or why it is unknown. */
export type AccountStatus =
  | { name: string; status: Status; late?: string | undefined; error?: undefined }
  | { name: string; status?: undefined; late?: undefined; error: string };

/** Returns accounts as a table of 80 columns, one line each, and below it their problems in full. */
export function describeAccounts(accounts: readonly AccountStatus[], nowMs: number): string {
  const lines = accounts.map((account) => toLine(account, nowMs));
  const head = ["account", "working", "verdict", "fresh", "calls", "jobs", "problems"];
  const table = formatTable(
    head,
    lines.map(({ cells, problems }) => [...cells, problems.join("; ")]),
    "left",
  );
  const bad = lines.filter(({ problems }) => problems.length > 0).length;
  const summary = `${formatQuantity(accounts.length, "account")}, ${bad === 0 ? "none with a problem" : `${bad} with a problem: calltally status --account NAME`}`;
  const said = lines.flatMap(({ name, problems }) =>
    problems.flatMap((problem) => hang(`  ${name}: `, problem.replace(/\p{Cc}+/gu, " "), 4)),
  );
  return [...table.split("\n").map((line) => ellipsize(line, WIDTH)), "", summary, ...said].join("\n");
}

function toLine({ name, status, late, error }: AccountStatus, nowMs: number) {
  const shown = ellipsize(name, NAME_WIDTH);
  if (status === undefined) return { name, cells: [shown, "no", "", "", "", ""], problems: [error] };
  const { last_done_run, last_good_run, calls, jobs } = status;
  const good = last_good_run?.finished_at;
  const failing = jobs.filter(({ failing_since }) => failing_since !== null);
  const { failures, remarks } = findProblems(status);
  return {
    name,
    cells: [
      shown,
      describeWorking(status),
      last_done_run?.verdict ?? "",
      good ? describeAge(ageOf(good, nowMs)) : "never",
      formatCount(calls.live),
      jobs.length === 0 ? "" : failing.length === 0 ? "ok" : `${failing.length} failing`,
    ],
    problems: [...(late === undefined ? [] : [late]), ...failures, ...remarks],
  };
}

function describeWorking({ runs: [last], next, calls_withheld, origin_problem }: Status): string {
  if (origin_problem !== null) return "no";
  if (last === undefined) return "not yet";
  if (next.not_before !== null) return "waiting";
  if (last.status === "running") return "running";
  if (last.status !== "done") return "no";
  return calls_withheld > 0 || last.verdict === "unverified" ? "in doubt" : "yes";
}

/** In the largest unit that fits, short: 12 min, 3 h, 5 d. */
function describeAge(ageMs: number): string {
  if (ageMs === Number.POSITIVE_INFINITY) return "future";
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
