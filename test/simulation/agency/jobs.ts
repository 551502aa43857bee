import { rmSync, writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { drawIndex, pick, type Random } from "../../../src/sandbox/random.ts";
import { addDays, onTheWall } from "../../support/scene/clock.ts";
import type { World } from "../types.ts";
import { drawClient } from "./calls.ts";
import { everyCall } from "./clients.ts";
import type { Client, JobFile, JobLine } from "./types.ts";

/** Two lists with ids, which are equal in both; and two without. */
const LISTS = ["crm", "shop", "sheet", "till"] as const;
type List = (typeof LISTS)[number];
const hasIds = (list: List) => list === "crm" || list === "shop";
const STAGES = ["booked", "sold", "sold", "lost"] as const;
/** A list is given again for so many days. */
const WINDOW_DAYS = 45;

/** Imports a list of one client, or the list of that name of each. */
export async function importJobs(world: World, random: Random): Promise<void> {
  const list = pick(random, LISTS);
  const isOfAll = random() < 0.4;
  const clients = isOfAll ? world.clients : [drawClient(world, random)];
  const files = clients.map((client): [Client, JobFile] => {
    changeList(world, client, list, random);
    const lines = client.lists.get(list) ?? [];
    const first = addDays(today(world, client), -drawIndex(random, WINDOW_DAYS) - 1);
    return [client, { list, lines: lines.filter(({ day }) => day >= first) }];
  });
  // A file without any known stage is refused.
  if (files.some(([, { lines }]) => lines.every(({ stage }) => stage === "maybe"))) return;
  if (files.some(([{ database }]) => world.readFile(database, "SELECT 1").length === 0)) return;
  for (const [{ name, currency }, { lines }] of files)
    writeFileSync(`jobs-${name}.csv`, toCsv(lines, hasIds(list), currency));
  world.importing = new Map(files);
  const one = files[0]?.[0].name ?? "";
  const whose = isOfAll ? [] : ["--account", one];
  const path = isOfAll ? "jobs-{account}.csv" : `jobs-${one}.csv`;
  const { code } = await world.run("outcome", "import", path, "--source", list, ...whose, "--json");
  world.importing = undefined;
  world.count(`lists ended with ${code}`);
  // The files are the operator's own, and name callers.
  for (const { name } of clients) rmSync(`jobs-${name}.csv`, { force: true });
}

const today = ({ now }: World, { timezone }: Client) =>
  onTheWall(new Date(now()).toISOString(), timezone).day;

function toCsv(lines: readonly JobLine[], isWithIds: boolean, currency: string): string {
  const rows = lines.map(({ id, callId, phone, day, stage, cents }) => [
    ...(isWithIds ? [id] : []),
    callId,
    callId === null ? phone : "",
    day,
    stage,
    cents === null ? "" : (cents / 100).toFixed(2),
  ]);
  const head = [
    ...(isWithIds ? ["job_id"] : []),
    "call_id",
    "phone",
    "date",
    "stage",
    `amount (${currency})`,
  ];
  return stringify([head, ...rows]);
}

/** New jobs, most of recent calls and some weeks late; changed and deleted ones; and lines that are no jobs. */
function changeList(world: World, client: Client, list: List, random: Random): void {
  const lines = client.lists.get(list) ?? [];
  const calls = [...everyCall(client).values()].sort((a, b) => b.call_id - a.call_id);
  const lastDay = today(world, client);
  for (let index = 0; index < 2 + drawIndex(random, 9); index++) {
    const share = random();
    const line = lines[drawIndex(random, lines.length)];
    const cents = random() < 0.1 ? null : 100 + drawIndex(random, 90_000);
    if (line !== undefined && share < 0.22) {
      const isChanged = share < 0.15;
      const others = lines.filter((other) => other !== line && (line.id === null || other.id !== line.id));
      lines.splice(0, lines.length, ...others);
      if (isChanged) lines.push({ ...line, stage: pick(random, STAGES), cents });
    }
    const call = calls[Math.floor(Math.min(calls.length, 300) * random())];
    if (call === undefined || share < 0.22) continue;
    const callDay = onTheWall(call.call_started, client.timezone).day;
    const day = addDays(callDay, drawIndex(random, 14));
    const made: JobLine = {
      id: hasIds(list) ? `J${drawIndex(random, 400)}` : null,
      callId: random() < 0.5 ? call.call_id : null,
      phone: random() < 0.05 ? "+12105559999" : (call.caller_id ?? ""),
      day: day > lastDay ? lastDay : day,
      stage: random() < 0.05 ? "maybe" : pick(random, STAGES),
      cents,
    };
    const isKnown = made.id !== null && lines.some(({ id }) => id === made.id);
    if (isKnown) continue;
    lines.push(made);
    // An invoice with another item.
    if (made.id !== null && random() < 0.15 && made.cents !== null)
      lines.push({ ...made, cents: made.cents + 7 });
  }
  client.lists.set(list, lines);
}

export async function removeJobs(world: World, random: Random): Promise<void> {
  const client = drawClient(world, random);
  const numbers = [...new Set(client.jobs.map(({ of }) => of))];
  const number = numbers[drawIndex(random, numbers.length)];
  if (number === undefined) return;
  // Where there are two names of the warehouse, by the one that the file of accounts does not have.
  await world.run("outcome", "remove", String(number), "--database", client.otherName);
  world.count("lists removed");
}
