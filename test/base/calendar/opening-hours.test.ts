import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { countOpenDays, hoursInWords, openAt, parseHours } from "../../../src/base/calendar/opening-hours.ts";
import { draws } from "../../support/draws.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

describe("parseHours", () => {
  it.each([
    ["Mon-Fri 08:00-18:00, Sat 09:00-12:00", "Mon-Fri 08:00-18:00, Sat 09:00-12:00"],
    ["monday–FRIDAY 8:00 – 18:00", "Mon-Fri 08:00-18:00"],
    ["Tue 13:00-18:00 08:00-12:00", "Tue 08:00-12:00 13:00-18:00"],
    ["Mon 08:00-12:00, Mon 11:00-14:00, Mon 14:00-15:00", "Mon 08:00-15:00"],
    ["Fri 22:00-02:00", "Fri 22:00-24:00, Sat 00:00-02:00"],
    ["Sun 22:00-24:00, Sun 23:00-01:30", "Mon 00:00-01:30, Sun 22:00-24:00"],
    ["Sat-Mon 10:00-11:00", "Mon 10:00-11:00, Sat-Sun 10:00-11:00"],
    ["Mon-Sun 00:00-24:00", "Mon-Sun 00:00-24:00"],
    ["Wed 00:00-00:01", "Wed 00:00-00:01"],
  ])("reads %s as %s", (text, hours) => {
    expect(parseHours(text)).toBe(hours);
    expect(parseHours(hours)).toBe(hours);
  });

  it.each([
    ["Mo 08:00-18:00", '"Mo" is not a weekday: allowed are Mon, Tue, Wed, Thu, Fri, Sat, Sun'],
    ["Mon-Fri 08:00-18:00,", '"" is not a weekday: allowed are Mon, Tue, Wed, Thu, Fri, Sat, Sun'],
    ["Mon-Wed-Fri 08:00-18:00", "Mon-Wed-Fri is not a day such as Mon, or days such as Mon-Fri"],
    ["08:00-18:00", '"08:00" is not a weekday: allowed are Mon, Tue, Wed, Thu, Fri, Sat, Sun'],
    ["Sat", "Sat has no time, such as Sat 08:00-18:00"],
    ["Sat 8-18", '"8-18" is not from one time to another, such as 08:00-18:00'],
    ["Sat 08:00-18:60", '"08:00-18:60" is not from one time to another, such as 08:00-18:00'],
    ["Sat 08:00-24:01", '"08:00-24:01" is not from one time to another, such as 08:00-18:00'],
    ["Sat 24:00-08:00", '"24:00-08:00" is not from one time to another, such as 08:00-18:00'],
    ["Sat 9am-5pm", '"9am-5pm" is not from one time to another, such as 08:00-18:00'],
    ["Sat 08:00-08:00", "08:00-08:00 has no length; a whole day is 00:00-24:00"],
  ])("refuses %s", (text, message) => {
    expect(() => parseHours(text)).toThrow(new Error(message));
  });
});

it("hoursInWords counts the closed days", () => {
  const hours = { week: "Sat 09:00-12:00", closed: [], timezone: "UTC" };
  expect(hoursInWords(hours)).toBe("Sat 09:00-12:00 in UTC");
  expect(hoursInWords({ ...hours, closed: ["2026-12-26"] })).toBe(
    "Sat 09:00-12:00 in UTC, but for 1 closed day",
  );
});

describe("openAt", () => {
  const isOpen = openAt({
    week: parseHours("Mon-Fri 08:00-18:00, Fri 22:00-02:00, Sun 01:00-03:00"),
    closed: ["2026-12-25"],
    timezone: "Europe/Berlin",
  });

  it.each([
    ["2026-11-20T06:59:59.999Z", false], // Friday
    ["2026-11-20T16:59:59.999Z", true],
    ["2026-11-20T23:30:00.000Z", true], // Saturday there
    ["2026-12-25T22:59:00.000Z", false],
    ["2026-12-25T23:00:00.000Z", true], // the day after begins
    ["1969-12-29T07:00:00.000Z", true], // Monday
  ])("says that %s is open: %s", (utc, open) => {
    expect(isOpen(utc)).toBe(open);
  });

  it("follows the clock and the calendar of each minute", () => {
    const clock = (minute: number) =>
      `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
    const span = fc
      .record({ day: fc.nat(6), days: fc.nat(6), from: fc.nat(1439), to: fc.integer({ min: 0, max: 1440 }) })
      .filter(({ from, to }) => from !== to);
    const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"];
    // Around clock changes of these zones.
    const near = ["2026-03-29T01:00Z", "2026-10-25T01:00Z", "2026-03-08T05:30Z", "2026-04-04T15:00Z"];
    const minutes = fc.array(
      fc.record({ at: fc.constantFrom(...near), offset: fc.integer({ min: -12_000, max: 12_000 }) }),
      { minLength: 20, maxLength: 40 },
    );
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...zones),
        fc.subarray(["2026-03-29", "2026-03-30", "2026-10-25", "2026-04-05"]),
        minutes,
        (spans, timezone, closed, moments) => {
          const text = spans
            .map(({ day, days, from, to }) => {
              const last = DAYS[(day + days) % 7];
              return `${DAYS[day]}${days === 0 ? "" : `-${last}`} ${clock(from)}-${clock(to)}`;
            })
            .join(", ");
          const isOpen = openAt({ week: parseHours(text), closed, timezone });
          for (const { at, offset } of moments) {
            const moment = Temporal.Instant.from(at).add({ minutes: offset });
            const local = moment.toZonedDateTimeISO(timezone);
            const minute = local.hour * 60 + local.minute;
            const covers = (weekday: number, at: number) =>
              spans.some(({ day, days, from, to }) => {
                const isDay = (weekday - day + 7) % 7 <= days;
                return isDay && from <= at && at < (to > from ? to : to + 1440);
              });
            const today = local.dayOfWeek - 1;
            const expected =
              !closed.includes(local.toPlainDate().toString()) &&
              (covers(today, minute) || covers((today + 6) % 7, minute + 1440));
            expect([text, moment.toString(), isOpen(moment.toString())]).toEqual([
              text,
              moment.toString(),
              expected,
            ]);
          }
        },
      ),
      { numRuns: draws(200) },
    );
  });
});

describe("countOpenDays", () => {
  it.each([
    [{ week: "Mon-Fri 08:00-18:00", closed: [] }, 22],
    [{ week: "Mon-Fri 08:00-18:00, Sat 09:00-12:00", closed: ["2026-10-03", "2026-10-04"] }, 26],
    [{ week: "Fri 22:00-02:00", closed: [] }, 10],
    [undefined, 22],
  ])("of October 2026 with %o", (hours, expected) => {
    const open = countOpenDays({ from: "2026-10-01", to: "2026-10-31" }, hours);
    expect(open).toBe(expected);
  });
});
