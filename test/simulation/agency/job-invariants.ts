import { existsSync, readFileSync } from "node:fs";
import { isDone } from "../looks.ts";
import type { Ran, World } from "../types.ts";
import type { ClientJob } from "./types.ts";

const isImport = (ran: Ran | "the end"): ran is Ran =>
  ran !== "the end" && !ran.isKilled && ran.args.includes("import") && isDone(ran);

/** What an import reports of its file; see `calltally outcome import --json`. */
interface ImportResult {
  files: { amounts: Record<string, number | null> }[];
}

/** Each cent of a list is imported, without a call, or left out, and the import says so. */
export function checkAmounts(world: World, ran: Ran | "the end"): string | undefined {
  if (!isImport(ran)) return undefined;
  const { balances = [] } = world;
  // The result of one client is alone, those of several are below their names.
  const [one, all]: [ImportResult, Record<string, ImportResult>] = [
    JSON.parse(ran.stdout),
    JSON.parse(ran.stdout),
  ];
  for (const { client, file, amounts } of balances) {
    const result = balances.length > 1 ? all[client.name] : one;
    const is = result?.files[0]?.amounts ?? {};
    const total = file.lines.reduce((sum, { cents }) => sum + (cents ?? 0), 0);
    const centsOf = (fate: string) => Math.round(100 * Number(is[fate] ?? 0));
    const sum = ["stored", "without_call", "left_out", "repeated"].reduce(
      (all, fate) => all + centsOf(fate),
      0,
    );
    if (sum !== total)
      return `${file.list} of ${client.name} has ${total} cents, and ${sum} are accounted for`;
    for (const [fate, cents] of Object.entries(amounts)) {
      if (centsOf(fate) !== cents)
        return `of ${file.list} of ${client.name} ${cents} cents are ${fate}, and the import says ${centsOf(fate)}`;
    }
    world.count("balances of lists");
  }
  const unmatched =
    balances.length > 1
      ? balances.map(({ client }) => `outcomes-unmatched-${client.name}.csv`)
      : ["outcomes-unmatched.csv"];
  for (const file of unmatched) {
    const phone = existsSync(file) && /\+?1210555\d{4}/.exec(readFileSync(file, "utf8"))?.[0];
    if (phone) return `${file} has the number ${phone}`;
  }
  return undefined;
}

/** No import, removal or forgotten caller changes another list or client. */
export function checkJobs(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end" && (ran.isKilled || (world.importing !== undefined && !isImport(ran))))
    return undefined;
  if (ran !== "the end" && !["outcome", "sync", "forget"].some((word) => ran.args.includes(word)))
    return undefined;
  const toText = ({ list, callId, day, stage, cents }: Omit<ClientJob, "id" | "of">) =>
    `${list}: call ${callId} on ${day} ${stage} ${cents}`;
  for (const client of world.clients) {
    const stored = client
      .read("SELECT source, call_id, day, stage, amount_micros / 10000 AS cents FROM outcomes")
      .map((row) => `${row.source}: call ${row.call_id} on ${row.day} ${row.stage} ${row.cents}`)
      .sort();
    const expected = client.jobs.map(toText).sort();
    const at = Array.from({ length: Math.max(stored.length, expected.length) }).findIndex(
      (_, index) => stored[index] !== expected[index],
    );
    if (at !== -1) return `${client.name} has the job ${stored[at]} in place of ${expected[at]}`;
    if (ran === "the end") world.count("jobs compared", expected.length);
  }
  return undefined;
}
