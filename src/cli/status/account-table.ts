import { ellipsize, formatCount, formatQuantity, formatTable, hang, WIDTH } from "../terminal-text.ts";
import type { Status } from "./read-status.ts";

const NAME_WIDTH = 18;

/** How an account stands, or why nobody can tell. */
export type AccountStatus =
  | { name: string; status: Status; late?: string | undefined; error?: undefined }
  | { name: string; status?: undefined; late?: undefined; error: string };

/** Returns accounts as a table of 80 columns, a line each, and below it how many have problems, and which, in whole. */
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
  const { runs, last_done_run, last_good_run, calls, jobs } = status;
  const good = last_good_run?.finished_at;
  const failing = jobs.filter(({ failing_since }) => failing_since !== null);
  const [last] = runs;
  const problems = [
    last === undefined && "no sync yet",
    last !== undefined && last.status !== "done" && last.status !== "running" && String(last.error),
    last_done_run?.verdict === "unverified" && `unverified: ${last_done_run.verdict_reason}`,
    status.calls_withheld > 0 && `${formatQuantity(status.calls_withheld, "call")} missing at once`,
    late !== undefined && late,
    ...failing.map(({ job, error: said }) => `${job}: ${said}`),
    ...status.reports.flatMap(({ report, deliveries }) => {
      const undelivered = deliveries.filter((delivery) => delivery.status !== "delivered").length;
      return undelivered > 0 ? [`${report}: ${undelivered} not delivered`] : [];
    }),
    ...status.publications.flatMap(({ error }) => error ?? []).map((error) => `not published: ${error}`),
    status.rejected.length > 0 && `${formatQuantity(status.rejected.length, "row")} rejected`,
    status.drift.length > 0 && `${formatQuantity(status.drift.length, "member")} not as documented`,
  ];
  return {
    name,
    cells: [
      shown,
      describeWorking(status),
      last_done_run?.verdict ?? "",
      good ? describeAge(nowMs - Date.parse(good)) : "never",
      formatCount(calls.live),
      jobs.length === 0 ? "" : failing.length === 0 ? "ok" : `${failing.length} failing`,
    ],
    problems: problems.filter((problem) => typeof problem === "string"),
  };
}

function describeWorking({ runs: [last], next, calls_withheld }: Status): string {
  if (last === undefined) return "not yet";
  if (next.not_before !== null) return "waiting";
  if (last.status === "running") return "running";
  if (last.status !== "done") return "no";
  return calls_withheld > 0 || last.verdict === "unverified" ? "in doubt" : "yes";
}

/** In the largest unit that fits, as short as a column: 12 min, 3 h, 5 d. */
function describeAge(ageMs: number): string {
  const minutes = Math.max(0, Math.floor(ageMs / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
