import { drawIndex, pick, type Random } from "../../../src/sandbox/random.ts";
import { addDays, onTheWall } from "../../support/scene/clock.ts";
import type { World } from "../types.ts";
import { drawClient } from "./calls.ts";
import { agencySettings, everyCall } from "./clients.ts";
import type { Question } from "./types.ts";

/** Reads the calls of all clients, or of one. */
export async function sync(world: World, random: Random): Promise<void> {
  const only = random() < 0.2 ? ["--account", drawClient(world, random).name] : [];
  await world.run("sync", ...only);
}

/** Reads everything, and asks for the figures of a client, its page to explore, and a file of all clients. */
export async function look(world: World, random: Random): Promise<void> {
  await world.run("sync", "--full", "--now");
  const client = drawClient(world, random);
  const zone = client.timezone;
  const dayOf = (ms: number) => onTheWall(new Date(ms).toISOString(), zone).day;
  const [first, last] = [dayOf(world.startMs), dayOf(world.now())];
  const from = addDays(first, drawIndex(random, 20));
  const question: Question = {
    client,
    from: from < last ? from : first,
    to: last,
    grain: pick(random, ["day", "month"] as const),
    revenueBy: pick(random, ["call", "job-date"] as const),
  };
  world.question = question;
  const days = ["--from", question.from, "--to", last];
  const whose = random() < 0.4 ? ["--database", client.otherName] : ["--account", client.name];
  const jobs = ["--outcomes", "--revenue-by", question.revenueBy];
  const asked = ["source", "calls", "--grain", question.grain, "--total", ...jobs, ...days, ...whose];
  await world.run("export", ...asked, "--out", `looks/${client.name}`);
  const isListed = random() < 0.5 ? ["--rows", "--with", "caller_id"] : [];
  const page = ["--explore", "--by", "source,campaign", "--outcomes", ...isListed, ...days, ...whose];
  await world.run("report", ...page, "--out", `looks/${client.name}/explore`);
  const merged = ["--by", "account,source", "--outcomes", "--grain", question.grain, ...days];
  await world.run("export", ...merged, "--out", "looks/all");
}

/** A caller is forgotten by one client, or by all; often one with a job, which lists have again afterwards. */
export async function forget(world: World, random: Random): Promise<void> {
  const drawn = drawClient(world, random);
  const calls = drawn.service.list();
  const latest = drawn.jobs.filter(({ id }) => id !== null).slice(-30);
  const job = random() < 0.6 ? latest[drawIndex(random, latest.length)] : undefined;
  const call = job === undefined ? calls[drawIndex(random, calls.length)] : everyCall(drawn).get(job.callId);
  const number = call?.caller_id;
  const isOfAll = random() < 0.5;
  const whose = isOfAll ? ["--all-accounts"] : ["--account", drawn.name];
  const clients = isOfAll ? world.clients : [drawn];
  if (number == null || clients.some(({ read }) => read("SELECT 1").length === 0)) return;
  const { code } = await world.run("forget", number, "--exports", "--allow-empty", ...whose);
  if (code !== 0) return;
  world.count("callers forgotten");
  for (const client of clients) client.forgotten.add(number);
}

/** One rule of one client changes. */
export function changeRules(world: World, random: Random): void {
  const { rules } = drawClient(world, random);
  if (random() < 0.5) rules.qualified_seconds = 20 * (1 + drawIndex(random, 6));
  else rules.aliases = rules.aliases.gbp === undefined ? { gbp: "google" } : {};
  Object.assign(world.settings, agencySettings(world.clients));
  world.writeSettings();
}

/** The service of one client refuses, or is too busy, for some hours. */
export function misbehave(world: World, random: Random): void {
  const { service } = drawClient(world, random);
  const fault = pick(random, ["busy", "failing", "refused", "cut"] as const);
  service.misbehave(fault, world.now() + 20 * 3_600_000 * random());
}
