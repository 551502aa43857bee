import { existsSync, rmSync, writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { drawIndex, pick, type Random } from "../../src/sandbox/random.ts";
import { passUntil, uptimeMs } from "./machine.ts";
import type { Job, World } from "./types.ts";

const HOUR_MS = 3_600_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The machine is off for a while. */
export async function restart(world: World, random: Random): Promise<void> {
  await world.stopSchedule();
  await passUntil(uptimeMs() + 30 * HOUR_MS * random());
  world.startSchedule();
}

/**
 * Does what the last sync requested: after a restore and a change of token, it recognizes none of the calls; and it counts
 * many calls as gone only on request.
 */
export async function heed(world: World): Promise<void> {
  const isRefused = world.ran.findLast(({ args }) => args.includes("sync"))?.code === 2;
  if (isRefused) await world.run("sync", "--rebind");
  const [run] = world.read("SELECT calls_withheld FROM sync_runs ORDER BY run_id DESC LIMIT 1");
  const withheld = Number(run?.calls_withheld ?? 0);
  if (withheld > 0) await world.run("sync", "--full", "--now", "--accept-gone", String(withheld));
}

/** The same question again and again: what an export reports of the truth. */
export async function ask(world: World, random: Random): Promise<void> {
  await heed(world);
  if (random() < 0.5) await world.run("sync", "--full", "--now");
  const range = ["--from", dayOf(world.startMs), "--to", dayOf(world.endMs)];
  const ran = await world.run("export", "source", "--grain", "month", ...range, "--out", "question");
  world.count(`question ended with ${ran.code}`);
}

export async function verify(world: World): Promise<void> {
  await world.run("verify", "--json");
}

const VALUES = [40, 55, "outcome"] as const;

/** A folder of its own for each. */
export async function upload(world: World, random: Random): Promise<void> {
  if (random() < 0.5) await world.run("sync", "--full", "--now");
  if (random() < 0.1) world.value = VALUES[drawIndex(random, VALUES.length)] ?? 40;
  const value = ["--conversion-value", String(world.value), "--currency", "EUR"];
  const folder = `uploads/${Math.round(world.uptime())}`;
  const args = ["google-ads", "google-ads-adjustments", "--new", ...value, "--out", folder];
  // Some files are never uploaded, and taken back.
  const isThrownAway = random() < 0.2 && !world.mishaps.some(({ of }) => of === "operator");
  if (isThrownAway) world.thrownAway = folder;
  await world.run("export", ...args);
  if (!isThrownAway) return;
  for (const { path } of world.read(`SELECT path FROM upload_files WHERE path LIKE '%/${folder}/%'`)) {
    await world.run("uploads", "forget", String(path));
    world.count("files taken back");
  }
}

export async function importSpend(world: World, random: Random): Promise<void> {
  const days = (world.now() - world.startMs) / (24 * HOUR_MS);
  const firstMs = world.startMs + 24 * HOUR_MS * drawIndex(random, Math.max(1, Math.floor(days)));
  const rows = Array.from({ length: 7 }, (_, index) => {
    const day = dayOf(firstMs + 24 * HOUR_MS * index);
    const costs = [1 + drawIndex(random, 5000), 1 + drawIndex(random, 5000)];
    return ["Brand", "Autumn"].map((campaign, at) => [
      day,
      "google",
      "cpc",
      campaign,
      (costs[at] ?? 0) / 100,
      "EUR",
    ]);
  }).flat();
  writeFileSync(
    "spend.csv",
    stringify([["day", "source", "medium", "campaign", "cost", "currency"], ...rows]),
  );
  const { code } = await world.run("spend", "import", "spend.csv");
  if (code !== 0) return;
  for (const [day, of] of Map.groupBy(rows, ([day]) => String(day))) {
    world.spend.set(
      day,
      of.reduce((sum, row) => sum + Math.round(Number(row[4]) * 1e6), 0),
    );
  }
}

/** New jobs of calls, more often of recent ones and of clicks; changed earlier jobs; and refunds with ids of their own. */
export async function importJobs(world: World, random: Random): Promise<void> {
  const { service, jobs, forgotten } = world;
  const list = service.list().filter(({ caller_id }) => !forgotten.has(caller_id ?? ""));
  const clicks = list.filter(({ dni_data }) => dni_data.gclid !== undefined);
  const known = [...jobs].filter(([, { callId }]) => list.some(({ call_id }) => call_id === callId));
  const drawStage = () => pick(random, ["booked", "sold", "sold", "lost"] as const);
  const drawn = new Map<string, Omit<Job, "of">>();
  for (let index = 0; index < 1 + drawIndex(random, 60); index++) {
    const share = random();
    const [id = "", job] = known[drawIndex(random, known.length)] ?? [];
    const amount = random() < 0.1 ? null : 1 + drawIndex(random, 50_000);
    // Time may stand still between two lists.
    const own = `J${world.ran.length}-${index}`;
    const among = random() < 0.7 ? clicks : list;
    const call = among[Math.floor(among.length * random() ** 3)];
    if (job !== undefined && share < 0.2 && (job.amount ?? 0) >= 0)
      drawn.set(id, { callId: job.callId, stage: drawStage(), amount });
    else if (job?.stage === "sold" && share < 0.35 && (job.amount ?? 0) > 0)
      drawn.set(own, { ...job, amount: random() < 0.5 ? -1 : -(job.amount ?? 0) });
    else if (call !== undefined) drawn.set(own, { callId: call.call_id, stage: drawStage(), amount });
  }
  const lines = [...drawn].map(([id, { callId, stage, amount }]) => [
    id,
    callId,
    stage,
    amount === null ? "" : (amount / 100).toFixed(2),
  ]);
  writeFileSync("jobs.csv", stringify([["job_id", "call_id", "stage", "amount"], ...lines]));
  const { code } = await world.run("outcome", "import", "jobs.csv", "--currency", "EUR");
  world.count(`jobs ended with ${code}`);
  if (code !== 0 && code !== 3) return;
  const [{ of } = {}] = world.read("SELECT max(import_id) AS of FROM outcome_imports");
  const stored = new Set(world.read("SELECT call_id FROM calls").map(({ call_id }) => Number(call_id)));
  for (const [id, job] of drawn) {
    if (stored.has(job.callId)) jobs.set(id, { ...job, of: Number(of) });
    else jobs.delete(id);
  }
}

export async function removeJobs(world: World, random: Random): Promise<void> {
  const { jobs } = world;
  const numbers = [...new Set([...jobs.values()].map(({ of }) => of))];
  const number = numbers[drawIndex(random, numbers.length)];
  if (number === undefined) return;
  await world.run("outcome", "remove", String(number));
  // When run again after a success, it exits with 2.
  const left = world.read(`SELECT 1 FROM outcome_imports WHERE import_id = ${number} AND removed_at IS NULL`);
  if (left.length > 0) return;
  world.count("imports of jobs removed");
  for (const [id, { of }] of jobs) if (of === number) jobs.delete(id);
}

/** Opening hours by what qualifies a call, so that no life draws more than before. */
const HOURS = [
  undefined,
  "Mon-Fri 08:00-18:00",
  "Mon-Fri 08:00-17:00, Sat 09:00-12:00",
  "Mon-Sun 00:00-24:00",
];

export async function changeRules(world: World, random: Random): Promise<void> {
  world.rules.qualified_seconds = 30 * (1 + drawIndex(random, 4));
  const isAliased = random() < 0.5;
  world.rules.aliases = isAliased ? { gbp: "google" } : {};
  writeFileSync("aliases.csv", isAliased ? "raw,value\ngbp,google\n" : "raw,value\n");
  const week = HOURS[world.rules.qualified_seconds / 30 - 1];
  world.rules.hours =
    week === undefined ? undefined : { week, closed: [], timezone: world.features.timezone };
  const { qualified_seconds } = world.rules;
  Object.assign(world.settings, { qualified_seconds, aliases: "aliases.csv", hours: week });
  world.writeSettings();
}

export function changeKeep(world: World, random: Random): void {
  const keep = (["always", "never", "5d", "20d"] as const)[drawIndex(random, 4)] ?? "always";
  world.settings.keep = random() < 0.5 ? { transcripts: keep } : { transcripts: keep, caller_numbers: keep };
  world.log(`  keep ${JSON.stringify(world.settings.keep)}`);
  world.writeSettings();
}

export function changeToken(world: World): void {
  world.service.token = `token-of-the-simulation-${Math.round(world.uptime())}`;
  writeFileSync("secrets/token", `${world.service.token}\n`);
}

/** A removed call is listed again. */
export function bringBack({ service }: World, random: Random): void {
  const removed = [...service.removed.values()];
  const [call] = removed.splice(drawIndex(random, removed.length), 1);
  if (call !== undefined) service.put(call.call);
}

/** A caller is forgotten; the operator removes what the program reports as unreachable. */
export async function forget(world: World, random: Random): Promise<void> {
  const list = world.service.list().filter(({ caller_id }) => caller_id !== null);
  const number = list[drawIndex(random, list.length)]?.caller_id;
  if (number == null || !existsSync("data/calls.db")) return;
  const { code, stdout } = await world.run("forget", number, "--exports", "--allow-empty", "--json");
  if (code !== 0) return;
  if (random() < 0.5) world.isBackupOld = existsSync("backups/calls.db");
  for (const copy of JSON.parse(stdout).copies)
    if (!world.isBackupOld || !copy.includes("backups")) rmSync(copy, { force: true });
  world.forgotten.add(number);
}

/** Publishes, and again if the connection was lost. */
export async function publish(world: World, random: Random): Promise<void> {
  if (random() < 0.3) world.cluster.cutAt = 1 + drawIndex(random, 40);
  const { code } = await world.run("publish");
  world.cluster.cutAt = Number.POSITIVE_INFINITY;
  if (code === 5) await world.run("publish");
}

export async function backUp(world: World): Promise<void> {
  const { code } = await world.run("backup", "backups/calls.db");
  if (code !== 0) return;
  world.isBackupOld = false;
  world.spendOfBackup = new Map(world.spend);
  world.jobsOfBackup = new Map(world.jobs);
}

export async function restore(world: World): Promise<void> {
  if (!existsSync("backups/calls.db")) return;
  const { code } = await world.run("restore", "backups/calls.db");
  if (code !== 0) return;
  world.spend.clear();
  for (const [day, cost] of world.spendOfBackup ?? []) world.spend.set(day, cost);
  world.jobs.clear();
  for (const [id, job] of world.jobsOfBackup ?? []) world.jobs.set(id, job);
  const [{ last } = {}] = world.read("SELECT max(report_run_id) AS last FROM report_runs");
  world.restored = { reportRun: Number(last ?? 0) };
  world.mailbox.taken.length = 0;
  world.mailbox.hooks.length = 0;
  world.basis = undefined;
  const [{ run } = {}] = world.read("SELECT max(run_id) AS run FROM sync_runs WHERE status = 'done'");
  world.lastRun = Number(run ?? 0);
  world.jumpedAt = world.uptime(); // it knows nothing of the passes since
  world.answered = undefined;
}
