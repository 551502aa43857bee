import { addDays, startOf } from "../../support/scene/clock.ts";
import { everyCall } from "./clients.ts";
import type { Amounts, Client, ClientJob, JobFile, JobLine } from "./types.ts";

const DAY_MS = 86_400_000;
/** How long before its job a call may be. */
const WITHIN_DAYS = 30;

/**
 * Enters an import: a job with an id takes the place of the earlier one of its list; without ids, the jobs of a
 * day that of all jobs of the list on this day. Returns what becomes of the amounts.
 */
export function keepBooks(client: Client, { list, lines }: JobFile, of: number): Amounts {
  const find = prepareMatch(client);
  const isForgotten = (callId: number) =>
    client.forgotten.has(everyCall(client).get(callId)?.caller_id ?? "");
  const amounts: Amounts = { stored: 0, without_call: 0, left_out: 0 };
  const jobs = addUpLines(lines.filter(({ stage }) => stage !== "maybe"));
  for (const { stage, cents } of lines) if (stage === "maybe") amounts.left_out += cents ?? 0;
  const days = new Set(jobs.flatMap(({ id, day }) => (id === null ? day : [])));
  const earlier = client.jobs;
  client.jobs = earlier.filter(
    (job) => job.list !== list || job.id !== null || !days.has(job.day) || isForgotten(job.callId),
  );
  for (const { phone, callId: named, ...job } of jobs) {
    const isSame = (other: ClientJob) => job.id !== null && other.id === job.id && other.list === list;
    const before = client.jobs.find(isSame);
    client.jobs = client.jobs.filter((other) => !isSame(other));
    const isKept =
      before !== undefined &&
      (isForgotten(before.callId) ||
        (named === null && everyCall(client).get(before.callId)?.caller_id === phone));
    const callId = find({ callId: named, phone, day: job.day }) ?? (isKept ? before.callId : undefined);
    amounts[callId === undefined ? "without_call" : "stored"] += job.cents ?? 0;
    if (callId !== undefined) client.jobs.push({ ...job, list, callId, of });
  }
  return amounts;
}

/** The lines of one id are one job. */
function addUpLines(lines: readonly JobLine[]): JobLine[] {
  const jobs: JobLine[] = [];
  for (const line of lines) {
    const first = line.id === null ? undefined : jobs.find(({ id }) => id === line.id);
    if (first === undefined) jobs.push({ ...line });
    else first.cents = (first.cents ?? 0) + (line.cents ?? 0);
  }
  return jobs;
}

/** Returns a function that finds the call of a job: the named one, or the latest of the number before the end of the day. */
function prepareMatch(client: Client) {
  const calls = everyCall(client);
  const stored = new Map(
    client.read("SELECT call_id, gone_at FROM calls").map((row) => [Number(row.call_id), row.gone_at]),
  );
  return ({ callId, phone, day }: Pick<JobLine, "callId" | "phone" | "day">): number | undefined => {
    if (callId !== null) {
      const isForgotten = client.forgotten.has(calls.get(callId)?.caller_id ?? "");
      return stored.has(callId) && !isForgotten ? callId : undefined;
    }
    if (client.forgotten.has(phone)) return undefined;
    const endsAt = startOf(addDays(day, 1), client.timezone);
    const earliest = new Date(Date.parse(startOf(day, client.timezone)) - WITHIN_DAYS * DAY_MS).toISOString();
    const candidates = [...stored]
      .filter(([, goneAt]) => goneAt === null)
      .flatMap(([id]) => calls.get(id) ?? [])
      .filter((call) => call.caller_id === phone && call.call_started < endsAt);
    const latest = candidates.reduce<(typeof candidates)[number] | undefined>(
      (best, call) =>
        best === undefined ||
        call.call_started > best.call_started ||
        (call.call_started === best.call_started && call.call_id > best.call_id)
          ? call
          : best,
      undefined,
    );
    return latest !== undefined && latest.call_started >= earliest ? latest.call_id : undefined;
  };
}
