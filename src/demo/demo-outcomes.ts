import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localDate } from "../calendar/local-time.ts";
import { importOutcomes } from "../features/outcomes/import-outcomes.ts";
import { deriveSeed, seededRandom } from "../sandbox/random.ts";
import { openReader } from "../warehouse/open.ts";

const DAY_MS = 86_400_000;
/** Of qualified calls, which are booked; of those, which are sold. */
const [BOOKED, SOLD] = [0.55, 0.7];
const MOST_DAYS = 10;

/** Imports made-up jobs of the qualified calls, as if from a CRM that knows the calls. */
export function addOutcomes(database: string, timezone: string): void {
  const folder = mkdtempSync(join(tmpdir(), "calltally-demo-"));
  try {
    const file = join(folder, "jobs.csv");
    writeFileSync(file, makeJobs(database, timezone));
    const own = { database, timezone, currency: undefined };
    importOutcomes(own, [file], { source: "jobs", named: undefined, withinDays: 30, map: {}, stages: {} });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeJobs(database: string, timezone: string): string {
  using warehouse = openReader(database);
  const calls = warehouse.sqlite
    .prepare<[], [call_id: number, started: string]>(
      "SELECT call_id, call_started FROM call_facts WHERE is_qualified AND is_live AND call_started IS NOT NULL ORDER BY call_id",
    )
    .raw()
    .all();
  const random = seededRandom(deriveSeed(1, "jobs"));
  const rows = calls.flatMap(([callId, started], index) => {
    const [chance, isSold, days, amount] = [random(), random() < SOLD, random(), random()];
    if (chance > BOOKED) return [];
    const at = Math.min(Date.parse(started) + Math.floor(days * MOST_DAYS) * DAY_MS, Date.now());
    const date = localDate(new Date(at).toISOString(), timezone);
    const earned = isSold ? (90 + 1400 * amount ** 3).toFixed(2) : "";
    return [`J-${1000 + index},${callId},${date},${isSold ? "sold" : "booked"},${earned},USD`];
  });
  return ["job_id,call_id,date,stage,amount,currency", ...rows, ""].join("\n");
}
