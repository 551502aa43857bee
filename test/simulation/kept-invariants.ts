import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDone, isRunOf } from "./looks.ts";
import type { Ran, World } from "./types.ts";

const DAY_MS = 86_400_000;

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** No file has the digits of a forgotten number, neither existing nor new files. */
export function checkForgotten(world: World, ran: Ran | "the end"): string | undefined {
  if (world.forgotten.size === 0) return undefined;
  if (ran !== "the end" && !isRunOf(ran, "forget") && !isRunOf(ran, "question") && !isRunOf(ran, "restore"))
    return undefined;
  for (const file of listFiles(world.folder)) {
    if (world.isBackupOld && file.includes("/backups/")) continue;
    const bytes = readFileSync(file);
    for (const number of world.forgotten) {
      if (bytes.includes(number.slice(1)))
        return `${file.slice(world.folder.length)} has ${number} after it was forgotten`;
    }
  }
  const sent = [...world.mailbox.taken.map(({ raw }) => raw), ...world.mailbox.hooks].join();
  const named = [...world.forgotten].find((number) => sent.includes(number.slice(1)));
  if (named !== undefined) return `a report has ${named}, who was forgotten`;
  world.count("folders searched");
  return undefined;
}

/** The cluster has the facts of the warehouse, and no forgotten caller. */
export function checkCluster(world: World, ran: Ran | "the end"): string | undefined {
  if (!isRunOf(ran, "publish") || ran.code !== 0) return undefined;
  world.count("publications");
  const columns = "call_id, source, campaign, is_live, caller, gclid, call_started, duration, is_qualified";
  const found = columns
    .replace("call_started", "replace(call_started, ' ', 'T') || 'Z' AS call_started")
    .replace("duration, is_qualified", "duration_seconds AS duration, qualified AS is_qualified");
  const here = world.read(
    `SELECT ${columns} FROM call_facts LEFT JOIN callers USING (caller_id) ORDER BY call_id`,
  );
  const there = world.cluster.read(`SELECT ${found} FROM calls_final WHERE is_deleted = 0 ORDER BY call_id`);
  for (const [index, row] of here.entries()) {
    const [is, has] = [JSON.stringify(row), JSON.stringify(there[index])];
    if (is !== has) return `the cluster has ${has} instead of ${is}`;
  }
  if (there.length > here.length) return `the cluster has ${there.length} calls of ${here.length}`;
  const known = [...world.forgotten].find((number) => world.cluster.has(number.slice(1)));
  return known && `the cluster has ${known}, who was forgotten`;
}

/** Expired data is gone after each sync. */
export function checkKept(world: World, ran: Ran | "the end"): string | undefined {
  if (!isRunOf(ran, "job", "sync") || !isDone(ran)) return undefined;
  const { keep = {} } = world.settings as { keep?: Record<string, string> };
  for (const [what, column] of [
    ["transcripts", "transcription"],
    ["caller_numbers", "caller_id"],
  ] as const) {
    const days = keep[what] === "never" ? 0 : Number.parseInt(keep[what] ?? "", 10);
    if (Number.isNaN(days)) continue;
    const before = new Date(world.now() - days * DAY_MS - DAY_MS / 4).toISOString();
    const [row] = world.read(
      `SELECT call_id FROM calls LEFT JOIN transcripts USING (call_id)
       WHERE ${column} NOT LIKE 'forgotten%' AND (call_started < '${before}' OR ${days} = 0) LIMIT 1`,
    );
    if (row !== undefined)
      return `call ${row.call_id} has its ${column}, and ${what} are kept for ${keep[what]}`;
    world.count("keeping checked");
  }
  return undefined;
}

export function checkSpend(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end" && !isRunOf(ran, "spend")) return undefined;
  // The last import is recorded once its process has ended.
  if (ran !== "the end") return undefined;
  const stored = new Map(
    world
      .read("SELECT day, sum(cost_micros) AS cost FROM spend GROUP BY day")
      .map(({ day, cost }) => [String(day), Number(cost)]),
  );
  for (const day of new Set([...stored.keys(), ...world.spend.keys()])) {
    if (stored.get(day) !== world.spend.get(day))
      return `${day} cost ${stored.get(day)} instead of ${world.spend.get(day)}`;
  }
  return undefined;
}

/** Each job is as last imported; one of a removed import does not exist. */
export function checkJobs(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end") return undefined;
  const toText = (jobs: readonly { callId: unknown; stage: unknown; amount: unknown }[]) =>
    jobs.map(({ callId, stage, amount }) => `${callId} ${stage} ${amount}`).sort();
  const stored = world
    .read("SELECT call_id, stage, amount_micros / 10000 AS amount FROM outcomes")
    .map(({ call_id, stage, amount }) => ({ callId: call_id, stage, amount }));
  const [is, expected] = [toText(stored), toText([...world.jobs.values()])];
  world.count("jobs compared", expected.length);
  const at = expected.findIndex((job, index) => job !== is[index]);
  if (at !== -1 || is.length > expected.length)
    return `the job ${is[at] ?? is.at(-1)} is stored in place of ${expected[at]}`;
  return undefined;
}

/** Once everything is quiet, each slot of the last week has its run, and each recipient the last report. */
export function checkSlots(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end") return undefined;
  const sinceMs = 7 * DAY_MS;
  const synced = world.ran.filter(
    (each) => isRunOf(each, "job", "sync") && isDone(each) && each.startedAt > world.uptime() - sinceMs,
  ).length;
  const slots = sinceMs / 3_600_000 / world.features.syncEveryHours;
  if (synced < slots - 1) return `there were ${synced} syncs in ${slots} slots of a quiet week`;
  const [mailed] = world.read(
    `SELECT count(*) AS mails FROM deliveries JOIN report_runs USING (report_run_id)
     WHERE deliveries.status = 'delivered' AND scheduled_for > '${new Date(world.now() - 8 * DAY_MS).toISOString()}'`,
  );
  return Number(mailed?.mails) < 2 ? `a quiet week has ${mailed?.mails} mails of the report` : undefined;
}

/** Bytes of the warehouse per call and in addition; files in all folders except one per upload. */
const [PER_CALL, BESIDES, MOST_FILES, MOST_MEMORY] = [8000, 3_000_000, 60, 1_500_000_000];

/** From time to time, and at the end. */
export function checkSize(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end" && !isRunOf(ran, "job", "report:weekly")) return undefined;
  const bytes = statSync(world.path("data/calls.db"), { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > BESIDES + PER_CALL * world.callsMade)
    return `the warehouse of ${world.callsMade} calls has ${bytes} bytes`;
  const files = listFiles(world.folder).filter(
    (file) => !file.includes("/uploads/") && !/replaced/.test(file),
  );
  if (files.length > MOST_FILES) return `there are ${files.length} files: ${files.join(" ")}`;
  const { heapUsed } = process.memoryUsage();
  return heapUsed > MOST_MEMORY ? `the heap has ${heapUsed} bytes` : undefined;
}
