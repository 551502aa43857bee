import { drawIndex, pick, type Random } from "../../src/sandbox/random.ts";
import { jumpClock } from "./machine.ts";
import {
  ask,
  backUp,
  bringBack,
  changeKeep,
  changeRules,
  changeToken,
  forget,
  importJobs,
  importSpend,
  publish,
  removeJobs,
  restart,
  restore,
  upload,
  verify,
} from "./operator.ts";
import type { Fault, TrueCall } from "./service.ts";
import type { EventKind, Mishap, World } from "./types.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SOURCES = [
  ["google", "cpc", "Brand"],
  ["google", "cpc", "Autumn"],
  ["bing", "cpc", "Brand"],
  ["gbp", "organic", "Listing"],
  ["newsletter", "email", "October"],
] as const;
const FAULTS: readonly [Fault, ...Fault[]] = ["busy", "cut", "failing", "slow", "lagging", "refused"];

/** The events of a life; a new capability adds one row. */
export const EVENTS: readonly EventKind[] = [
  { name: "calls", perYear: 1000, isAlways: true, apply: arriveCalls },
  { name: "transcript", perYear: 40, apply: transcribe },
  { name: "correction", perYear: 60, apply: correct },
  { name: "removal", perYear: 40, apply: (world, random) => void remove(world, random) },
  { name: "return", perYear: 12, apply: bringBack },
  { name: "merge", perYear: 8, apply: merge },
  { name: "another unit", perYear: 2, apply: renameUnit },
  { name: "churn", perYear: 30, apply: churn },
  { name: "fault", perYear: 40, apply: misbehave },
  { name: "mail server", perYear: 25, apply: refuseMail },
  { name: "clock jump", perYear: 6, apply: jump },
  { name: "kill", perYear: 60, apply: mishap("kill", "schedule") },
  { name: "full disk", perYear: 40, apply: mishap("full disk", "schedule") },
  { name: "operator's kill", perYear: 20, apply: mishap("kill", "operator") },
  { name: "operator's full disk", perYear: 20, apply: mishap("full disk", "operator") },
  { name: "restart", perYear: 12, apply: restart },
  { name: "spend", perYear: 20, apply: importSpend },
  { name: "jobs", perYear: 100, apply: importJobs },
  { name: "removed jobs", perYear: 40, apply: removeJobs },
  { name: "rules", perYear: 6, apply: changeRules },
  { name: "keep", perYear: 10, apply: changeKeep },
  { name: "token", perYear: 4, apply: changeToken },
  { name: "forget", perYear: 6, apply: forget },
  { name: "backup", perYear: 12, apply: backUp },
  { name: "restore", perYear: 8, apply: restore },
  { name: "publish", perYear: 40, isLast: true, apply: publish },
  { name: "upload", perYear: 40, isLast: true, apply: upload },
  { name: "verify", perYear: 30, isLast: true, apply: verify },
  { name: "question", perYear: 40, isLast: true, apply: ask },
];

const OFTEN_KILLED = 150;
/** Early steps as often as late ones, by their order of magnitude. */
const drawStep = (random: Random) => Math.ceil(OFTEN_KILLED ** random());

export function mishap(kind: Mishap["kind"], of: Mishap["of"]): EventKind["apply"] {
  return (world, random) => void world.mishaps.push({ kind, of, step: drawStep(random) });
}

const phoneOf = (caller: number) => `+4930${String(5_550_000 + 7 * caller).padStart(7, "0")}`;

function arriveCalls(world: World, random: Random): void {
  const { service, features } = world;
  const hour = new Date(world.now()).getUTCHours();
  const rhythm = hour >= 7 && hour < 18 ? 1.8 : 0.3;
  const count = Math.round(0.7 * rhythm * features.callsPerDay * random());
  for (let index = 0; index < count; index++) {
    const id = 10_000 + world.callsMade++;
    const [source, medium, campaign] = SOURCES[drawIndex(random, SOURCES.length)] ?? SOURCES[0];
    const isAnswered = random() < 0.8;
    // Some reach the list late, and so out of the order of ids.
    const lateMs = random() < 0.05 ? 30 * HOUR_MS * random() : 0;
    const isClick = source === "google" && random() < 0.7;
    // A repeat caller may have the same click.
    const click = random() < 0.3 ? Math.max(10_000, id - drawIndex(random, 9)) : id;
    const call: TrueCall = {
      call_id: id,
      insight_name: "Website",
      caller_id: phoneOf(drawIndex(random, features.callers)),
      tracking_number: "+49895550001",
      call_started: new Date(Math.floor(world.now() - lateMs - 20 * MINUTE_MS * random())).toISOString(),
      duration: isAnswered ? 5 + drawIndex(random, 300) : 0,
      disposition: isAnswered ? "ANSWERED" : "MISSED",
      org_unit_id: 7,
      org_unit_name: "Munich",
      recording_url: isAnswered
        ? `https://recordings.example.com/${id}.mp3?Expires=1&Signature=s${id}`
        : null,
      summary: null,
      transcription: null,
      dni_data: {
        utm_source: source,
        utm_medium: medium,
        utm_campaign: campaign,
        campaign_name: campaign,
        ...(isClick && { gclid: `CjwKCAjw${click}` }),
      },
    };
    service.put(call);
  }
  world.count("calls", count);
}

/** Draws a listed call, recent ones more often; undefined if there is none. */
function drawCall(world: World, random: Random): TrueCall | undefined {
  const list = world.service.list();
  return list[Math.floor(list.length * random() ** 3)];
}

function change(world: World, random: Random, changed: (call: TrueCall) => Partial<TrueCall>): void {
  const call = drawCall(world, random);
  if (call !== undefined) world.service.put({ ...call, ...changed(call) });
}

function transcribe(world: World, random: Random): void {
  change(world, random, ({ call_id }) => ({ transcription: `The caller of ${call_id} said more.` }));
}

function renameUnit({ service, now }: World): void {
  for (const call of [...service.calls.values()])
    service.put({ ...call, org_unit_name: `Munich ${now() % 1000}` });
}

/** The list changes while it is read. */
function churn(world: World, random: Random): void {
  let left = 40;
  world.service.meanwhile = () => {
    if (left-- <= 0) return;
    const share = random();
    if (share < 0.2) arriveCalls(world, random);
    else if (share < 0.3) remove(world, random);
    else if (share < 0.4) correct(world, random);
  };
}

function refuseMail(world: World, random: Random): void {
  const is = pick(random, ["later", "never", "cut"] as const);
  world.mailbox.mood = { is, untilAt: world.uptime() + 6 * 24 * HOUR_MS * random() };
}

function correct(world: World, random: Random): void {
  change(world, random, ({ duration, dni_data }) =>
    random() < 0.5
      ? { duration: duration + drawIndex(random, 120) - 30 > 0 ? duration + 15 : 5, disposition: "ANSWERED" }
      : { dni_data: { ...dni_data, utm_campaign: "Corrected", campaign_name: "Corrected" } },
  );
}

function remove(world: World, random: Random): TrueCall | undefined {
  const call = drawCall(world, random);
  // The oldest call that vanishes looks like one that left the list: see docs/completeness.md.
  if (call === undefined || world.service.list().slice(-3).includes(call)) return undefined;
  world.service.remove(call.call_id);
  return call;
}

/** Merges two calls: another one gets the duration of the removed call in addition. */
function merge(world: World, random: Random): void {
  const removed = remove(world, random);
  if (removed === undefined) return;
  change(world, random, ({ duration }) => ({ duration: duration + removed.duration }));
}

function misbehave(world: World, random: Random): void {
  const fault = pick(random, FAULTS);
  const untilMs = world.now() + 30 * HOUR_MS * random();
  world.service.misbehave(fault, untilMs);
  world.log(`  the service is ${fault} until ${new Date(untilMs).toISOString()}`);
}

function jump(world: World, random: Random): void {
  world.jumpedAt = world.uptime();
  const ms = Math.round((random() - 0.5) * 6 * HOUR_MS);
  jumpClock(ms);
  world.log(`  the clock jumps by ${ms} ms`);
}
