import { parseArgs } from "node:util";
import fc from "fast-check";
import {
  type DrawnYear,
  drawnNumbers,
  meanLost,
  type Noticed,
  type Outage,
  startOfYear,
  watchYear,
} from "./drawn-years.ts";

/**
 * Counts false and missed notices over drawn years, by the variation of days: without a change, and with numbers that are
 * cut off or lose calls at drawn times. Each year with outages has one of each size in which a number is cut off.
 */

const HOUR_MS = 3_600_000;
/** The minimum number of lost calls for an outage to count as missed. */
const ENOUGH = 25;
/** Mean numbers of lost calls. */
const SIZES = [
  { from: 8, to: ENOUGH },
  { from: ENOUGH, to: 50 },
  { from: 50, to: 150 },
] as const;
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

const MOST_HOURS = 7 * 24;
/** Each size has its part of the year, so that no outage hides another of its number. */
const PART = Math.floor(hours / SIZES.length);
const FIRST_HOURS = fc.integer({ min: 0, max: PART - 3 * MOST_HOURS });
/** A number that can lose as many calls in a week as the largest size has. */
const busyNumber = fc.record({
  daily: fc.double({ min: 30, max: 60, noNaN: true }),
  source: fc.constantFrom("google", "bing"),
  campaign: fc.constantFrom("Brand", "Winter"),
});
const drawnOutages = fc.record({
  whole: fc.tuple(
    ...SIZES.map(({ from, to }) =>
      fc.record({ fromHour: FIRST_HOURS, lost: fc.double({ min: from, max: to, noNaN: true }) }),
    ),
  ),
  partial: fc.array(
    fc.record({
      number: fc.integer({ min: 1, max: 9 }),
      fromHour: fc.integer({ min: 0, max: hours - 2 * MOST_HOURS }),
      hours: fc.integer({ min: 6, max: MOST_HOURS }),
      share: fc.constantFrom(0.02, 0.1, 0.25),
    }),
    { maxLength: 3 },
  ),
});

function drawYear(seed: number, { noise, hasOutages }: (typeof KINDS)[number]): DrawnYear {
  const [isFlat, isMixed, isNoiseShared] = [fc.boolean(), fc.boolean(), fc.boolean()];
  const drawn = fc.record({
    numbers: drawnNumbers,
    busy: busyNumber,
    drawnOutages,
    isFlat,
    isMixed,
    isNoiseShared,
  });
  const [first] = fc.sample(drawn, { seed, numRuns: 1 });
  if (first === undefined) throw new Error("No year was drawn");
  const { numbers, busy, drawnOutages: outages, ...how } = first;
  const year = { ...how, noise, zone: "America/New_York", days: 365, seed, outages: [] };
  if (!hasOutages) return { ...year, numbers };
  const all = [busy, ...numbers];
  const whole = outages.whole.map(({ fromHour, lost }, part) =>
    cutOff({ ...year, numbers: all }, part * PART + fromHour, lost),
  );
  const partial = outages.partial.filter(({ number }) => number < all.length);
  return { ...year, numbers: all, outages: [...whole, ...partial] };
}

/** Cuts the first number off for as many hours as it takes to lose so many calls on average. */
function cutOff(year: DrawnYear, fromHour: number, lost: number): Outage {
  const outage = { number: 0, fromHour, hours: 1, share: 0 };
  while (outage.hours < MOST_HOURS && meanLost(year, outage) < lost) outage.hours++;
  return outage;
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
  const sizes = SIZES.map((size) => ({ ...size, outages: 0, noticed: 0 }));
  for (let seed = first; seed < first + years; seed++) {
    const year = drawYear(seed, kind);
    const { outages } = year;
    const found = watchYear(year);
    const isOf = ({ noticedMs }: Noticed) =>
      outages.some((outage) => {
        const { fromMs, untilMs } = lasted(outage, 7);
        return noticedMs >= fromMs && noticedMs <= untilMs;
      });
    const wrong = found.filter((notice) => !isOf(notice));
    totals.false += wrong.length;
    totals.most = Math.max(totals.most, wrong.length);
    for (const [index, outage] of outages.entries()) {
      totals.outages += 1;
      const { fromMs, untilMs } = lasted(outage, 7);
      const ofIt = found.filter(({ noticedMs }) => noticedMs >= fromMs && noticedMs <= untilMs);
      totals.repeated += Math.max(0, ofIt.length - 1);
      if (outage.share > 0) continue;
      const lost = meanLost(year, outage);
      const notice = ofIt.find(({ noticedMs }) => noticedMs <= lasted(outage, 1).untilMs);
      const size = sizes[index];
      if (size !== undefined) size.outages += 1;
      if (size !== undefined && notice !== undefined) size.noticed += 1;
      if (lost < ENOUGH) continue;
      totals.expected += 1;
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
  const ofSizes = sizes.map(
    ({ from, to, outages, noticed }) => `${noticed} of ${outages} of ${from} to ${to}`,
  );
  print(
    kind.hasOutages
      ? `${varied} with ${totals.outages} outages: ${totals.false} false notices, ${totals.repeated} repeated; of ${totals.expected} outages that lost ${ENOUGH} calls or more, ${totals.missed} missed, the others noticed after ${late} hours on average; by lost calls, noticed: ${ofSizes.join(", ")}`
      : `${varied} without a change from seed ${first}: ${totals.false} false notices, at most ${totals.most} in a year`,
  );
}
