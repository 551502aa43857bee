import { deriveSeed, drawIndex, type Random, seededRandom } from "../../src/sandbox/random.ts";
import { AGENCY_EVENTS } from "./agency/events.ts";
import { AGENCY_INVARIANTS } from "./agency/invariants.ts";
import { keepAgency } from "./agency/keep.ts";
import { keepBasis } from "./basis.ts";
import { EVENTS } from "./events.ts";
import { INVARIANTS } from "./invariants.ts";
import { now, passUntil, uptimeMs } from "./machine.ts";
import { heed } from "./operator.ts";
import type { EventKind, Failure, Features, Invariant, LifeEnd, Planned, Ran, World } from "./types.ts";
import { makeWorld } from "./world.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.parse("2026-01-05T00:30:00.000Z");

/** Every other seed is an agency. */
const isAgency = (seed: number) => seed % 2 === 0;
const SINGLE = { events: EVENTS, invariants: INVARIANTS, keep: keepBasis };
const AGENCY = { events: AGENCY_EVENTS, invariants: AGENCY_INVARIANTS, keep: keepAgency };
const kindOf = (seed: number) => (isAgency(seed) ? AGENCY : SINGLE);

const oneOf = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[drawIndex(random, items.length)] ?? items[0];

/** Draws what a seed switches on. */
function drawFeatures(seed: number): Features {
  const random = seededRandom(deriveSeed(seed, "features"));
  const optional = kindOf(seed).events.filter(({ isLast, isAlways }) => !isLast && !isAlways);
  return {
    isAgency: isAgency(seed),
    callsPerDay: oneOf(random, [1, 3, 8]),
    callers: oneOf(random, [20, 100, 1000]),
    order: oneOf(random, ["start", "id"]),
    syncEveryHours: oneOf(random, [6, 12, 24]),
    fullEveryHours: oneOf(random, [24, 24, 72]),
    goneAfterHours: oneOf(random, [6, 24]),
    limit: oneOf(random, [60, 200, 1000]),
    concurrency: oneOf(random, [1, 2, 4]),
    timezone: oneOf(random, ["UTC", "Europe/Berlin", "America/New_York"]),
    publishesAfterSync: oneOf(random, [false, false, true]),
    without: new Set(optional.filter(() => random() < 0.25).map(({ name }) => name)),
    value: oneOf<World["value"]>(random, [40, "outcome", "outcome"]),
  };
}

/** Draws the events of a life, in their order. */
export function planLife(seed: number, days: number): Planned[] {
  const { without } = drawFeatures(seed);
  const random = seededRandom(deriveSeed(seed, "events"));
  const planned = kindOf(seed)
    .events.filter(({ name }) => !without.has(name))
    .flatMap(({ name, perYear }) => {
      const count = Math.round((perYear * days) / 365);
      return Array.from({ length: count }, () => ({
        atMs: Math.floor(random() * days * DAY_MS),
        name,
        seed: Math.floor(random() * 2 ** 31),
      }));
    });
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Runs a life; the same seed and events give the same log, byte for byte. */
export async function live(seed: number, days: number, planned: readonly Planned[]): Promise<LifeEnd> {
  const features = drawFeatures(seed);
  const { events, invariants, keep } = kindOf(seed);
  let failure: Failure | undefined;
  const inspect = async (world: World, ran: Ran | "the end") => {
    if (ran !== "the end") keep(world, ran);
    failure ??= await findFailure(invariants, world, ran);
  };
  const span = { startMs: START_MS, endMs: START_MS + days * DAY_MS, inspect };
  await using world = await makeWorld(seed, features, span);
  world.log(`seed ${seed}, ${days} days, ${JSON.stringify({ ...features, without: [...features.without] })}`);
  if (!features.isAgency) world.startSchedule();
  for (const { atMs, name, seed: own } of planned) {
    await passUntil(Math.max(uptimeMs(), atMs));
    if (failure !== undefined) break;
    world.log(name);
    await events.find((kind) => kind.name === name)?.apply(world, seededRandom(own));
    if (failure !== undefined) break;
  }
  if (failure === undefined) await endWell(world, events);
  if (failure === undefined) await inspect(world, "the end");
  world.log(failure === undefined ? "all is well" : `${failure.invariant}: ${failure.problem}`);
  return { log: `${world.lines.join("\n")}\n`, failure, counts: world.counts };
}

/** Lets the service behave, and the schedule run, until everything is settled. */
async function endWell(world: World, events: readonly EventKind[]): Promise<void> {
  for (const { service } of [world, ...world.clients]) service.behave();
  world.mailbox.mood = { is: "well", untilAt: 0 };
  world.mishaps.length = 0;
  if (!world.features.isAgency) {
    await heed(world);
    await passUntil(uptimeMs() + 9 * DAY_MS);
  }
  for (const last of events) if (last.isLast) await last.apply(world, seededRandom(0));
}

async function findFailure(
  invariants: readonly Invariant[],
  world: World,
  ran: Ran | "the end",
): Promise<Failure | undefined> {
  for (const { name, check } of invariants) {
    const problem = await check(world, ran);
    if (problem !== undefined)
      return { invariant: name, problem, at: new Date(now()).toISOString(), uptimeMs: uptimeMs() };
  }
  return undefined;
}
