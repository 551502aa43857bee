import { drawIndex, type Random } from "../../../src/sandbox/random.ts";
import type { World } from "../types.ts";
import type { Client } from "./types.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CALLERS = 90;
const SOURCES = [
  ["google", "cpc"],
  ["bing", "cpc"],
  ["gbp", "organic"],
  ["newsletter", "email"],
] as const;
/** Mean calls of each tracking number in an event; there are twelve a day. */
const RATES = [0.55, 0.3, 0.3] as const;

/** The same callers call all clients. */
const phoneOf = (caller: number) => `+1210555${String(1000 + 13 * caller).padStart(4, "0")}`;

export function drawClient({ clients }: World, random: Random): Client {
  const client = clients[drawIndex(random, clients.length)];
  if (client === undefined) throw new Error("There are no clients");
  return client;
}

export function arriveCalls(world: World, random: Random): void {
  for (const client of world.clients) {
    const isSilent = client.silences.some(
      ({ fromMs, untilMs }) => fromMs <= world.uptime() && world.uptime() < untilMs,
    );
    for (const [index, rate] of RATES.entries()) {
      // A silent number changes no draw of the others.
      const [comes, call] = [random() < rate, drawCall(world, client, index, random)];
      if (comes && !(isSilent && index === 0)) client.service.put(call);
    }
  }
}

function drawCall(world: World, client: Client, number: number, random: Random) {
  const { name, mark, numbers, firstId } = client;
  const [source, medium] = SOURCES[drawIndex(random, SOURCES.length)] ?? SOURCES[0];
  const campaign = `${["Spring", "Repair"][drawIndex(random, 2)]} ${mark}`;
  const isAnswered = random() < 0.8;
  return {
    call_id: firstId + client.callsMade++,
    insight_name: `Site ${mark}`,
    caller_id: phoneOf(drawIndex(random, CALLERS)),
    tracking_number: numbers[number] ?? numbers[0],
    call_started: new Date(Math.floor(world.now() - 10 * MINUTE_MS * random())).toISOString(),
    duration: isAnswered ? 5 + drawIndex(random, 200) : 0,
    disposition: isAnswered ? "ANSWERED" : "MISSED",
    org_unit_id: firstId,
    org_unit_name: `${mark} ${name}`,
    recording_url: null,
    summary: null,
    transcription: null,
    dni_data: { utm_source: source, utm_medium: medium, utm_campaign: campaign, campaign_name: campaign },
  };
}

export function correctCall(world: World, random: Random): void {
  const { service, mark } = drawClient(world, random);
  const list = service.list();
  const call = list[Math.floor(list.length * random() ** 3)];
  if (call === undefined) return;
  const campaign = `Corrected ${mark}`;
  const dni_data = { ...call.dni_data, utm_campaign: campaign, campaign_name: campaign };
  service.put(random() < 0.5 ? { ...call, duration: call.duration + 15 } : { ...call, dni_data });
}

export function removeCall(world: World, random: Random): void {
  const { service } = drawClient(world, random);
  const list = service.list();
  const call = list[Math.floor(list.length * random() ** 3)];
  // The oldest call that vanishes looks like one that left the list: see docs/completeness.md.
  if (call !== undefined && !list.slice(-3).includes(call)) service.remove(call.call_id);
}

/** The busiest number of a client is cut off for a week, once the weeks before can be compared with. */
export function silence(world: World, random: Random): void {
  const client = drawClient(world, random);
  const fromMs = world.uptime();
  const lastUntilMs = client.silences.at(-1)?.untilMs ?? 0;
  if (fromMs < 36 * DAY_MS || (lastUntilMs > 0 && fromMs - lastUntilMs < 30 * DAY_MS)) return;
  client.silences.push({ fromMs, untilMs: fromMs + 7 * DAY_MS });
  world.log(`  ${client.numbers[0]} is silent for a week`);
  world.count("silences");
}
