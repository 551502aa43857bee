import { existsSync } from "node:fs";
import { firstStartOf, foldRollup, METRICS } from "../support/figures/fold.ts";
import {
  checkCluster,
  checkForgotten,
  checkJobs,
  checkKept,
  checkSize,
  checkSlots,
  checkSpend,
} from "./kept-invariants.ts";
import { COMPARED, findDifference, isDone, isRunOf, readTable, toCall } from "./looks.ts";
import type { Invariant, Ran, World } from "./types.ts";
import { checkUploads } from "./upload-invariant.ts";

const HOUR_MS = 3_600_000;
const KNOWN_CODES = [0, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143];

/** The invariants; a new capability adds one row. */
export const INVARIANTS: readonly Invariant[] = [
  { name: "what is kept is what was read", check: checkVerified },
  { name: "every end has its exit code", check: checkCode },
  { name: "a proven run has every call listed throughout, and none is gone", check: checkProven },
  { name: "a removed call is gone once two proven passes missed it", check: checkGone },
  { name: "stored calls are as the service has them", check: checkContents },
  { name: "figures are a fold over the truth", check: checkFigures },
  { name: "restatements add up to the difference", check: checkRestatements },
  { name: "each recipient has each report once", check: checkMail },
  { name: "the platform knows the conversions that are true", check: checkUploads },
  { name: "what was forgotten is in no byte", check: checkForgotten },
  { name: "the cluster has the facts", check: checkCluster },
  { name: "what may not be kept is gone", check: checkKept },
  { name: "spend is what was imported last", check: checkSpend },
  { name: "jobs are what was imported last", check: checkJobs },
  { name: "each slot has its run", check: checkSlots },
  { name: "files and memory are bounded", check: checkSize },
];

export function checkCode(world: World, ran: Ran | "the end"): string | undefined {
  if (ran === "the end" || ran.isKilled) return undefined;
  const isDamaged = ran.code === 7 && !ran.isDiskFull && existsSync(world.path("data/calls.db"));
  if (KNOWN_CODES.includes(ran.code ?? -1) && !isDamaged) return undefined;
  const [job] = world.read(
    "SELECT job, error FROM jobs WHERE error IS NOT NULL ORDER BY finished_at DESC LIMIT 1",
  );
  return `${ran.args.join(" ")} ended with ${ran.code}: ${ran.stderr.slice(0, 2000)}${job?.job}: ${job?.error}`;
}

/** There is no certificate before a proven pass, and no warehouse before the first sync. */
function checkVerified(world: World, ran: Ran | "the end"): string | undefined {
  if (!isRunOf(ran, "verify") || ran.code === 2 || ran.code === 7) return undefined;
  world.count("verified");
  return ran.code === 0 ? undefined : `verify ended with ${ran.code}: ${ran.stdout} ${ran.stderr}`;
}

/** The newest run, if this process has ended it. */
function runOf(world: World, ran: Ran | "the end") {
  if (ran === "the end") return undefined;
  const [run] = world.read(
    "SELECT run_id, status, verdict, mode, resumed, calls_withheld FROM sync_runs ORDER BY run_id DESC LIMIT 1",
  );
  return !ran.hasLagged &&
    isRunOf(ran, "sync") &&
    ran.code !== undefined &&
    run?.status === "done" &&
    (ran.code === 0 || ran.code === 3)
    ? run
    : undefined;
}

const isProvenFull = (run: Record<string, unknown> | undefined) =>
  run?.mode === "full" && (run.verdict === "exact" || run.verdict === "verified");

function checkProven(world: World, ran: Ran | "the end"): string | undefined {
  const run = runOf(world, ran);
  if (ran === "the end" || !isProvenFull(run)) return undefined;
  world.count("proven runs");
  const startedMs = world.startMs + ran.startedAt;
  const stored = new Map(
    world
      .read("SELECT call_id, gone_at FROM calls")
      .map(({ call_id, gone_at }) => [Number(call_id), gone_at]),
  );
  for (const [id, sinceMs] of world.service.listedSince) {
    if (sinceMs >= startedMs) continue;
    const goneAt = stored.get(id);
    if (goneAt === undefined)
      return `call ${id} was listed throughout run ${run?.run_id} (${run?.verdict}), which has not read it`;
    if (goneAt !== null) return `call ${id} is listed, and counts as gone since ${goneAt}`;
  }
  return undefined;
}

const missedBy = new WeakMap<World, Map<number, number>>();

/** Passes are far enough apart by every clock if none was set meanwhile. */
function checkGone(world: World, ran: Ran | "the end"): string | undefined {
  const run = runOf(world, ran);
  // A lagging replica may have shown it again; if too many calls are missing, none is gone until an operator accepts it.
  const isHeldBack = run !== undefined && Number(run.calls_withheld) > 0;
  if (ran !== "the end" && (ran.hasLagged || isHeldBack)) return void missedBy.delete(world);
  // Pages of an interrupted run may contain calls removed since.
  if (ran === "the end" || !isProvenFull(run) || Number(run?.resumed) > 0) return undefined;
  const missed = missedBy.get(world) ?? new Map<number, number>();
  missedBy.set(world, missed);
  const waitMs = world.features.goneAfterHours * HOUR_MS;
  for (const { call_id } of world.read(
    "SELECT call_id FROM calls WHERE gone_at IS NULL AND unlisted_since IS NULL",
  )) {
    const id = Number(call_id);
    const removed = world.service.removed.get(id);
    if (removed === undefined || removed.atMs >= world.startMs + ran.startedAt) {
      missed.delete(id);
      continue;
    }
    const firstAt = missed.get(id);
    if (firstAt === undefined || world.jumpedAt > firstAt) missed.set(id, ran.startedAt);
    else if (ran.startedAt - firstAt > waitMs + HOUR_MS)
      return `call ${id} was removed at ${new Date(removed.atMs).toISOString()}, and proven passes missed it since uptime ${firstAt}, but it is not gone`;
  }
  return undefined;
}

function checkContents(world: World, ran: Ran | "the end"): string | undefined {
  if (world.basis === undefined || runOf(world, ran)?.run_id !== world.basis.runId) return undefined;
  for (const row of world.read(`SELECT call_id, ${COMPARED.join()} FROM calls WHERE gone_at IS NULL`)) {
    const call = world.basis.calls.get(Number(row.call_id));
    if (call === undefined) return `call ${row.call_id} is stored, and the service never had it`;
    const difference = findDifference(call, row);
    if (difference !== undefined) return `call ${row.call_id} has ${difference}`;
  }
  return undefined;
}

const EXPECTED = [
  "calls",
  "answered_calls",
  "missed_calls",
  "unique_callers",
  "first_time_callers",
  "qualified_calls",
  "total_duration_seconds",
  "calls_in_hours",
  "missed_in_hours",
];
/** Their places in a folded row, after the source. */
const AT = EXPECTED.map((name) => METRICS.indexOf(name) + 1);

function checkFigures(world: World, ran: Ran | "the end"): string | undefined {
  if (!isRunOf(ran, "--out", "question") || !isDone(ran)) return undefined;
  if (world.basis === undefined) return void world.count("figures of unknown truth");
  world.count("figures compared");
  const { rules, features } = world;
  const calls = [...world.basis.calls.values()].map(toCall);
  const [from, to] = [world.startMs, world.endMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const inRange = calls.filter(({ call_started }) => {
    const day = dayOf(String(call_started), features.timezone);
    return day >= String(from) && day <= String(to);
  });
  const months = [
    ...new Set(inRange.map(({ call_started }) => monthOf(String(call_started), features.timezone))),
  ].sort();
  const expected = new Map<string, string>();
  for (const period of months) {
    const own = (call: (typeof calls)[number]) =>
      monthOf(String(call.call_started), features.timezone) === period;
    const starts = inRange
      .filter(own)
      .map(({ call_started }) => String(call_started))
      .sort();
    const span = { startsAt: starts[0] ?? "", endsAt: `${starts.at(-1)}~` };
    const query = {
      dimensions: ["source"],
      rules: { ...rules, duration_unit: "seconds" as const },
      zone: features.timezone,
      span,
      firstStart: firstStartOf(calls),
    };
    for (const row of foldRollup(calls, query)) {
      expected.set(`${period} ${row[0]}`, AT.map((at) => String(row[at] ?? "")).join());
    }
  }
  const rows = readTable(world.path("question/source.csv"));
  const actual = new Map(
    rows.map((row) => [`${row.period} ${row.source}`, EXPECTED.map((name) => row[name]).join()]),
  );
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    if (expected.get(key) !== actual.get(key))
      return `${key}: ${EXPECTED.join()} are ${actual.get(key)} instead of ${expected.get(key)}`;
  }
  return undefined;
}

const days = new Map<string, Intl.DateTimeFormat>();

/** Returns the local day of a time, such as 2026-01-05. */
function dayOf(time: string, timeZone: string): string {
  const format = days.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  days.set(timeZone, format);
  return format.format(Date.parse(time));
}

const monthOf = (time: string, timeZone: string): string => dayOf(time, timeZone).slice(0, 7);

const ADDITIVE = [
  "calls",
  "answered_calls",
  "missed_calls",
  "qualified_calls",
  "total_duration_seconds",
  "first_time_callers",
];

/** For months that were over, and no longer provisional, in the run of the earlier answer. */
function checkRestatements(world: World, ran: Ran | "the end"): string | undefined {
  // A run that is killed at its very end has recorded its answer: the next one has nothing to restate.
  if (ran !== "the end" && ran.isKilled && ran.args.includes("question")) world.answered = undefined;
  if (!isRunOf(ran, "--out", "question") || !isDone(ran)) return undefined;
  const rows = readTable(world.path("question/source.csv"));
  const before = world.answered;
  const [run] = world.read("SELECT max(finished_at) AS at FROM sync_runs WHERE status = 'done'");
  world.answered = { rows, atMs: Date.parse(String(run?.at)) };
  const listed = readTable(world.path("question/restatements.csv"));
  if (before === undefined) return undefined;
  const cells = (of: Record<string, string>[]) =>
    new Map(
      of.flatMap((row) =>
        ADDITIVE.map((metric) => [`${row.period} ${row.source} ${metric}`, Number(row[metric])]),
      ),
    );
  const [then, now] = [cells(before.rows), cells(rows)];
  const named = new Map<string, Record<string, string>>();
  for (const row of listed) {
    if (!ADDITIVE.includes(row.metric ?? "")) continue;
    const key = `${row.period} ${JSON.parse(row.key ?? "{}").source} ${row.metric}`;
    named.set(key, row);
    world.count("restated figures");
    const change = (now.get(key) ?? 0) - (then.get(key) ?? 0);
    const effects = Object.entries(row).filter(
      ([name]) => name.endsWith("_effect") && name !== "spend_changed_effect",
    );
    const sum = effects.reduce((total, [, effect]) => total + Number(effect || 0), 0);
    if (Number(row.change) !== change)
      return `${key} changed by ${change}, and its restatement says ${row.change}`;
    if (sum !== change)
      return `${key} changed by ${change}, and the effects add up to ${sum}: ${JSON.stringify(row)}`;
  }
  const lastMonth = monthOf(new Date(before.atMs - 5 * 24 * HOUR_MS).toISOString(), world.features.timezone);
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    const change = (now.get(key) ?? 0) - (then.get(key) ?? 0);
    if (change !== 0 && !named.has(key) && key.slice(0, 7) < lastMonth)
      return `${key} changed by ${change}, and no restatement says so`;
  }
  return undefined;
}

function checkMail(world: World, ran: Ran | "the end"): string | undefined {
  if (!isRunOf(ran, "job", "report:weekly") && ran !== "the end") return undefined;
  const got = Map.groupBy(world.mailbox.taken, ({ id }) => id);
  for (const [id, mails] of got) {
    if (mails.length > 1) return `${mails[0]?.to} got ${id} ${mails.length} times`;
  }
  const isSynced = world.read("SELECT 1 FROM sync_runs WHERE status = 'done' LIMIT 1").length > 0;
  if (got.size > 0 && !isSynced && world.restored === undefined)
    return "a report was mailed before a sync has finished";
  const rows = world.read(
    `SELECT report_run_id, recipient, message_id, deliveries.status, scheduled_for
     FROM deliveries JOIN report_runs USING (report_run_id) WHERE report_run_id > ${world.restored?.reportRun ?? 0}`,
  );
  const sent = new Map<string, number>();
  const isMail = ({ message_id }: Record<string, unknown>) => message_id !== null;
  for (const { recipient, message_id, status, scheduled_for } of rows.filter(isMail)) {
    const mails = got.get(String(message_id))?.length ?? 0;
    if (status === "delivered" && mails !== 1)
      return `${recipient} is said to have ${message_id}, and has not`;
    if ((status === "failed" || status === "pending") && mails > 0)
      return `${recipient} has ${message_id}, which is said to have ${status}`;
    const slot = `${recipient} ${scheduled_for}`;
    sent.set(slot, (sent.get(slot) ?? 0) + mails);
    if ((sent.get(slot) ?? 0) > 1) return `${slot} was mailed twice`;
  }
  const ends = rows.filter((row) => !isMail(row)).map(({ status }) => status);
  const [certain, possible] = [["delivered"], ["delivered", "sending", "outcome unknown"]].map(
    (of) => ends.filter((status) => of.includes(String(status))).length,
  );
  const posted = world.mailbox.hooks.length;
  if (posted < Number(certain) || posted > Number(possible))
    return `the webhook has ${posted} reports, and the ledger says ${ends}`;
  if (ran === "the end") world.count("mails", world.mailbox.taken.length);
  if (ran === "the end") world.count("hooks", posted);
  return undefined;
}
