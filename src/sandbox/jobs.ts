import type { SandboxCalls } from "./calls/call-store.ts";
import { DISPOSITIONS } from "./calls/vocabulary.ts";
import { deriveSeed, seededRandom } from "./random.ts";
import type { SandboxSettings } from "./sandbox-options.ts";

const DAY_MS = 86_400_000;
const SHORTEST_SECONDS = 60;
/** Of answered calls that are not too short, which are booked; of those, which are sold. */
const [BOOKED, SOLD] = [0.55, 0.7];
const MOST_DAYS = 10;

const ANSWERED: ReadonlySet<unknown> = new Set(
  DISPOSITIONS.flatMap(({ spelling, isAnswered }) => (isAnswered ? spelling : [])),
);

/** Makes the lines of a CSV file with a job for some calls, as a CRM has that knows the calls. The same call has the same job. */
export function* jobLines(
  calls: SandboxCalls,
  { seed, now }: Pick<SandboxSettings, "seed" | "now">,
): Generator<string> {
  yield "job_id,call_id,date,stage,amount,currency\n";
  for (const id of calls.ids) {
    const { disposition, duration, call_started } = calls.get(id) ?? {};
    if (!ANSWERED.has(disposition) || Number(duration) < SHORTEST_SECONDS) continue;
    const random = seededRandom(deriveSeed(deriveSeed(seed, "jobs"), id));
    const [chance, isSold, days, amount] = [random(), random() < SOLD, random(), random()];
    const startedMs = Date.parse(String(call_started));
    if (chance > BOOKED || Number.isNaN(startedMs)) continue;
    const date = new Date(Math.min(startedMs + Math.floor(days * MOST_DAYS) * DAY_MS, now())).toISOString();
    const earned = isSold ? (90 + 1400 * amount ** 3).toFixed(2) : "";
    yield `J-${id},${id},${date},${isSold ? "sold" : "booked"},${earned},USD\n`;
  }
}
