import { parseArgs } from "node:util";
import fc from "fast-check";
import {
  type DrawnYear,
  drawnNumbers,
  meanLost,
  type Noticed,
  startOfYear,
  watchYear,
} from "./drawn-years.ts";

/** Counts false and missed notices over drawn years, by the variation of days: without a change, and with numbers that are cut off or lose calls at drawn times. */

const HOUR_MS = 3_600_000;
/** The minimum number of lost calls for an outage to count as missed. */
const ENOUGH = 25;
const { values } = parseArgs({
  options: { years: { type: "string", default: "20" }, seed: { type: "string" }, quiet: { type: "boolean" } },
});
const first = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const years = Number(values.years);
const hours = 365 * 24;

/** What is drawn: the standard deviation of each day's factor, and whether numbers are cut off. */
const KINDS = [
  { noise: 0, hasOutages: false },
  { noise: 0.1, hasOutages: false },
  { noise: 0.2, hasOutages: false },
  { noise: 0.3, hasOutages: false },
  { noise: 0, hasOutages: true },
  { noise: 0.2, hasOutages: true },
] as const;

function drawYear(seed: number, { noise, hasOutages }: (typeof KINDS)[number]): DrawnYear {
  const outage = fc.record({
    number: fc.nat(9),
    fromHour: fc.integer({ min: 0, max: hours - 14 * 24 }),
    hours: fc.integer({ min: 6, max: 7 * 24 }),
    share: fc.constantFrom(0, 0, 0, 0.02, 0.1, 0.25),
  });
  const outages = hasOutages ? fc.array(outage, { minLength: 1, maxLength: 6 }) : fc.constant([]);
  const [isFlat, isMixed, isNoiseShared] = [fc.boolean(), fc.boolean(), fc.boolean()];
  const drawn = fc.record({ numbers: drawnNumbers, outages, isFlat, isMixed, isNoiseShared });
  const [year = { numbers: [], outages: [] }] = fc.sample(drawn, { seed, numRuns: 1 });
  return { ...year, noise, zone: "America/New_York", days: 365, seed };
}

const lasted = ({ fromHour, hours }: DrawnYear["outages"][number], days: number) => ({
  fromMs: startOfYear() + fromHour * HOUR_MS,
  untilMs: startOfYear() + (fromHour + hours + days * 24) * HOUR_MS,
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

for (const kind of KINDS) {
  const totals = { false: 0, most: 0, outages: 0, expected: 0, missed: 0, repeated: 0, hoursLate: 0 };
  for (let seed = first; seed < first + years; seed++) {
    const year = drawYear(seed, kind);
    const outages = year.outages.map((each) => ({ ...each, number: each.number % year.numbers.length }));
    const found = watchYear({ ...year, outages });
    const isOf = ({ noticedMs }: Noticed) =>
      outages.some((outage) => {
        const { fromMs, untilMs } = lasted(outage, 7);
        return noticedMs >= fromMs && noticedMs <= untilMs;
      });
    const wrong = found.filter((notice) => !isOf(notice));
    totals.false += wrong.length;
    totals.most = Math.max(totals.most, wrong.length);
    for (const outage of outages) {
      totals.outages += 1;
      const { fromMs, untilMs } = lasted(outage, 7);
      const ofIt = found.filter(({ noticedMs }) => noticedMs >= fromMs && noticedMs <= untilMs);
      totals.repeated += Math.max(0, ofIt.length - 1);
      if (outage.share > 0 || meanLost(year, outage) < ENOUGH) continue;
      totals.expected += 1;
      const notice = ofIt.find(({ noticedMs }) => noticedMs <= lasted(outage, 1).untilMs);
      if (notice === undefined) totals.missed += 1;
      else totals.hoursLate += (notice.noticedMs - fromMs) / HOUR_MS;
    }
    if (!values.quiet && wrong.length > 0)
      print(
        `seed ${seed}: ${wrong.map(({ dimension, key, kind }) => `${dimension} ${key} ${kind}`).join(", ")}`,
      );
  }
  // A year has at most two, and a cut-off busy number is missed only by chance.
  if (totals.most > 2 || totals.missed > 1 + totals.expected / 10) process.exitCode = 1;
  const late = (totals.hoursLate / Math.max(1, totals.expected - totals.missed)).toFixed(1);
  const varied = `${kind.noise * 100} % noise: ${years} years`;
  print(
    kind.hasOutages
      ? `${varied} with ${totals.outages} outages: ${totals.false} false notices, ${totals.repeated} repeated; of ${totals.expected} outages that lost ${ENOUGH} calls or more, ${totals.missed} missed, the others noticed after ${late} hours on average`
      : `${varied} without a change from seed ${first}: ${totals.false} false notices, at most ${totals.most} in a year`,
  );
}
