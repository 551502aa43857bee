import fc from "fast-check";
import { createTask } from "node-cron";
import { describe, expect, it } from "vitest";
import { lastSlot, parseCron } from "../../src/schedule/cron.ts";
import { draws } from "../support/draws.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe("parseCron", () => {
  it.each([
    ["often", "expected 5 or 6 fields but got 1"],
    ["60 * * * *", "60 is a invalid expression for minute"],
    ["* * * *", "got 4"],
    ["* * * * * * *", "got 7"],
    ["0 0 30 2 *", "impossible day of month"],
    ["0 0 L-30 2 *", "no such day exists"],
    ["*/0 * * * *", "invalid expression for minute"],
    ["0 25 1 * 1", "invalid expression for hour"],
    ["", "illegal characters"],
  ])("refuses %j", (expression, says) => {
    expect(() => parseCron(expression, "UTC")).toThrow(says);
  });

  it.each([
    { timezone: "Europe/Berlin", from: "2026-03-28T00:00:00Z" },
    { timezone: "Europe/Berlin", from: "2026-10-24T00:00:00Z" },
    { timezone: "America/New_York", from: "2026-11-01T00:00:00Z" },
    { timezone: "America/Sao_Paulo", from: "2018-11-03T12:00:00Z" }, // at midnight
    { timezone: "Australia/Lord_Howe", from: "2026-04-04T00:00:00Z" }, // by half an hour
    { timezone: "Australia/Lord_Howe", from: "2026-10-03T00:00:00Z" },
    { timezone: "Pacific/Apia", from: "2011-12-29T00:00:00Z" }, // by a whole day
    { timezone: "Asia/Kathmandu", from: "2026-01-01T00:00:00Z" },
  ])("agrees with a minute-by-minute model in $timezone from $from", ({ timezone, from }) => {
    const fromMs = Date.parse(from);
    const model = readMinutes(timezone, fromMs, 4 * 24 * 60);
    const some = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        some(59),
        fc.option(some(23)),
        fc.integer({ min: 0, max: 2 * 24 * 60 * MINUTE_MS }),
        (minutes, hours, offsetMs) => {
          const cron = parseCron(`${minutes} ${hours ?? "*"} * * *`, timezone);
          const expected = model.find(({ atMs, hour, minute, isRepeated }) => {
            if (atMs <= fromMs + offsetMs || (isRepeated && hours !== null)) return false;
            return minutes.includes(minute) && (hours === null || hours.includes(hour));
          });
          expect(new Date(cron.next(fromMs + offsetMs)).toISOString()).toBe(
            new Date(expected?.atMs ?? Number.NaN).toISOString(),
          );
        },
      ),
      { numRuns: draws(300) },
    );
  });

  it("agrees with node-cron in UTC, except for slots that node-cron misses", () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 2, max: 9 }).map((step) => `*/${step}`),
      );
    const expressions = fc.oneof(
      fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), fc.constant("*")),
      fc.tuple(field(0, 59), field(0, 23), fc.constant("*"), field(1, 12), field(0, 6)),
    );
    fc.assert(
      fc.property(expressions, (fields) => {
        const expression = fields.join(" ");
        const theirs = createTask(expression, () => undefined, { timezone: "UTC" }).getNextRuns(3);
        const cron = parseCron(expression, "UTC");
        // node-cron only counts from now.
        let ms = (theirs[0]?.getTime() ?? 0) - 1;
        const ours = theirs.map(() => {
          ms = cron.next(ms);
          return new Date(ms);
        });
        expect(ours).toEqual(theirs);
      }),
      { numRuns: draws(200) },
    );
  });
});

interface Minute {
  atMs: number;
  hour: number;
  minute: number;
  /** Whether the same local time occurred before. */
  isRepeated: boolean;
}

/** Lists minutes with the local time of each; skipped ones as if the clock had not changed. */
function readMinutes(timezone: string, fromMs: number, count: number): Minute[] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "short",
  });
  const localMs = (atMs: number) => Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
  const minutes: Minute[] = [];
  const seen = new Set<number>();
  let beforeMs = localMs(fromMs - 25 * HOUR_MS);
  for (let atMs = fromMs - 25 * HOUR_MS; atMs < fromMs + count * MINUTE_MS; atMs += MINUTE_MS) {
    const local = localMs(atMs);
    const add = (ms: number, at: number) => {
      const date = new Date(ms);
      minutes.push({
        atMs: at,
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
        isRepeated: seen.has(ms),
      });
    };
    let skipped = 0;
    for (let ms = beforeMs + MINUTE_MS; ms < local; ms += MINUTE_MS) add(ms, atMs + skipped++ * MINUTE_MS);
    add(local, atMs);
    seen.add(local);
    beforeMs = local;
  }
  return minutes.sort((a, b) => a.atMs - b.atMs);
}

it.each([
  ["*/10 * * * * *", "2026-11-20T10:00:20.000Z", "2026-11-20T10:00:20.000Z"],
  ["*/10 * * * * *", "2026-11-20T10:00:19.999Z", "2026-11-20T10:00:10.000Z"],
  ["* * * * *", "2026-11-20T10:07:00.000Z", "2026-11-20T10:07:00.000Z"],
])("the last slot of %s at %s is %s", (expression, now, slot) => {
  expect(lastSlot(parseCron(expression, "UTC"), Date.parse(now))).toBe(Date.parse(slot));
});
