import type { Ran, World } from "../types.ts";
import type { Client } from "./types.ts";

const DAY_MS = 86_400_000;
/** By then one of the weeks is as before, however much days vary. */
const END_DAYS = 21;

/** Whether each notice was over when the last process ended. */
const known = new WeakMap<Client, Map<number, boolean>>();

/** Each start and end is printed once; a key has one open notice; and a silent number is noticed once, and its end. */
export function checkNotices(world: World, ran: Ran | "the end"): string | undefined {
  if (ran !== "the end" && !ran.args.includes("sync")) return undefined;
  let news = 0;
  for (const client of world.clients) {
    const rows = client.read("SELECT * FROM notices ORDER BY notice_id");
    const before = known.get(client) ?? new Map<number, boolean>();
    known.set(client, before);
    for (const row of rows) {
      const id = Number(row.notice_id);
      const isOver = row.ended_at !== null;
      const wasOver = before.get(id);
      if (wasOver !== isOver) news++;
      if (wasOver && !isOver) return `notice ${id} of ${client.name} is open again`;
      if (isOver && String(row.ended_at) < String(row.since))
        return `notice ${id} of ${client.name} ended before it began`;
      before.set(id, isOver);
      const earlier = rows.find(
        (other) =>
          Number(other.notice_id) < id &&
          other.dimension === row.dimension &&
          other.key === row.key &&
          (other.end_noticed_at === null || String(other.end_noticed_at) > String(row.noticed_at)),
      );
      if (earlier !== undefined)
        return `notices ${earlier.notice_id} and ${id} of ${client.name} are open at the same time`;
    }
    const problem = findUnnoticed(world, client, rows);
    if (problem !== undefined) return problem;
    const over = rows.filter(({ ended_at }) => ended_at !== null).length;
    if (ran === "the end") world.count("notices", rows.length);
    if (ran === "the end") world.count("notices ended", over);
  }
  if (ran === "the end" || ran.isKilled || ran.isDiskFull) return undefined;
  const printed = ran.stdout.split("\n").filter((line) => /^\s*notice {4}/.test(line));
  world.count("notices printed", printed.length);
  if (printed.length !== news)
    return `${news} notices started or ended, and the sync printed ${printed.length}: ${ran.stdout}`;
  return undefined;
}

/** A number that was cut off for a week is noticed by then, once, and its end once enough calls have come again. */
function findUnnoticed(
  world: World,
  { name, numbers, silences, judgedAt }: Client,
  rows: readonly Record<string, unknown>[],
): string | undefined {
  const toMs = (time: unknown) => Date.parse(String(time)) - world.startMs;
  const own = rows.filter(
    ({ dimension, key }) => dimension === "tracking_number" && String(key).includes(numbers[0]),
  );
  for (const { fromMs, untilMs } of silences) {
    const wasJudged = judgedAt.some((at) => at > untilMs - DAY_MS && at < untilMs);
    const isEndJudged = judgedAt.some((at) => at > untilMs + END_DAYS * DAY_MS);
    const ofIt = own.filter(
      ({ noticed_at }) => toMs(noticed_at) > fromMs && toMs(noticed_at) < untilMs + DAY_MS,
    );
    const wasOpen = own.some(
      ({ noticed_at, end_noticed_at }) =>
        toMs(noticed_at) <= fromMs && !(end_noticed_at !== null && toMs(end_noticed_at) <= fromMs),
    );
    if (wasJudged && !wasOpen && ofIt.length !== 1)
      return `${numbers[0]} of ${name} was silent from day ${fromMs / DAY_MS} to ${untilMs / DAY_MS}, and has ${ofIt.length} notices`;
    const [notice] = ofIt;
    if (notice === undefined) continue;
    if (toMs(notice.since) < fromMs - DAY_MS) return `the notice of ${name} is since ${notice.since}`;
    if (isEndJudged && notice.ended_at === null)
      return `the notice of ${name} since ${notice.since} has not ended`;
    if (notice.ended_at !== null && toMs(notice.ended_at) < untilMs - DAY_MS / 24)
      return `the notice of ${name} since ${notice.since} ended at ${notice.ended_at}, when the number was silent`;
  }
  return undefined;
}
