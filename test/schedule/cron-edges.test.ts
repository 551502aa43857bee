import { describe, expect, it } from "vitest";
import { CRON_HINT, lastSlot, parseCron } from "../../src/schedule/cron.ts";

/** The first slots after an instant, to the second. */
function slots(expression: string, timezone: string, after: string, count: number): string[] {
  const cron = parseCron(expression, timezone);
  const found: string[] = [];
  for (let ms = Date.parse(after); found.length < count; ) {
    ms = cron.next(ms);
    found.push(new Date(ms).toISOString());
  }
  return found;
}

/** Of the year 2026, to the minute, without the common parts. */
const brief = (slot: string) => slot.replace("2026-", "").replace(":00.000Z", "");

describe("parseCron", () => {
  it("returns the expression and the time zone", () => {
    expect(parseCron("7 * * * *", "Europe/Berlin")).toEqual({
      expression: "7 * * * *",
      timezone: "Europe/Berlin",
      next: expect.any(Function),
    });
    expect(CRON_HINT).toBe(
      "Write five fields: minute, hour, day of the month, month, day of the week; e.g. 7 * * * *.",
    );
    expect(() => parseCron("0 0 L-30 2 *", "UTC")).toThrow(new Error("no such day exists"));
  });

  it.each([
    // Either of two day fields suffices, with and without seconds; a star or a question mark does not count.
    ["0 0 13 * 5", "2026-11-01T00:00:00Z", ["11-06T00:00", "11-13T00:00", "11-20T00:00"]],
    ["0 0 0 13 * 5", "2026-11-09T00:00:00Z", ["11-13T00:00", "11-20T00:00"]],
    ["0 0 13 * *", "2026-11-01T00:00:00Z", ["11-13T00:00", "12-13T00:00"]],
    ["0 0 * * 5", "2026-11-01T00:00:00Z", ["11-06T00:00", "11-13T00:00"]],
    ["0 0 ? * 5", "2026-11-01T00:00:00Z", ["11-06T00:00", "11-13T00:00"]],
    ["0 0 13 * ?", "2026-11-01T00:00:00Z", ["11-13T00:00", "12-13T00:00"]],
    // A step over all days is combined with the other field as in crontab.
    ["0 0 */2 * 5", "2026-11-19T00:00:00Z", ["11-27T00:00", "12-11T00:00"]],
    ["0 0 13 * */3", "2026-11-01T00:00:00Z", ["12-13T00:00"]],
    ["  0   0  13 *  5 ", "2026-11-09T00:00:00Z", ["11-13T00:00", "11-20T00:00"]],
    // Nor does one that is later in a field.
    ["0 0 13 * 5,*", "2026-11-01T00:00:00Z", ["11-02T00:00", "11-03T00:00"]],
    ["0 0 13,* * 5", "2026-11-01T00:00:00Z", ["11-02T00:00", "11-03T00:00"]],
    ["@daily", "2026-11-01T00:00:00Z", ["11-02T00:00", "11-03T00:00"]],
    // Lists in no order, and with duplicates.
    ["30,10,30 20,4,4 * * *", "2026-11-01T00:00:00Z", ["11-01T04:10", "11-01T04:30", "11-01T20:10"]],
    // Ends of months, also in a leap year.
    ["0 0 31 * *", "2026-03-31T00:00:00Z", ["05-31T00:00", "07-31T00:00", "08-31T00:00"]],
    ["0 0 L * *", "2026-01-31T00:00:00Z", ["02-28T00:00", "03-31T00:00", "04-30T00:00"]],
    ["59 23 31 12 *", "2026-12-31T23:58:59.999Z", ["12-31T23:59"]],
    ["0 0 1 jan,mar *", "2026-01-01T00:00:00Z", ["03-01T00:00"]],
  ])("computes for %s after %s the slots %j", (expression, after, expected) => {
    expect(slots(expression, "UTC", after, expected.length).map(brief)).toEqual(expected);
  });

  it.each([
    ["0 0 29 2 *", "2026-11-20T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 29 2 *", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00.000Z"],
    // 2100 is not a leap year.
    ["0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00.000Z"],
    ["59 59 23 * * *", "2026-11-20T23:59:58.999Z", "2026-11-20T23:59:59.000Z"],
    ["59 59 23 * * *", "2026-11-20T23:59:59.000Z", "2026-11-21T23:59:59.000Z"],
    ["7 * * * *", "2026-11-20T15:06:59.999Z", "2026-11-20T15:07:00.000Z"],
    ["7 * * * *", "2026-11-20T15:07:00.000Z", "2026-11-20T16:07:00.000Z"],
    ["0 0 * * *", "1969-12-30T12:00:00Z", "1969-12-31T00:00:00.000Z"],
  ])("computes for %s after %s the slot %s", (expression, after, slot) => {
    expect(slots(expression, "UTC", after, 1)).toEqual([slot]);
  });

  it.each([
    // Forward by an hour at 02:00: a skipped time is used as if the clock had not changed; nothing else moves.
    [
      "Europe/Berlin",
      "30 1,2,3 * * *",
      "2026-03-28T23:00:00Z",
      ["03-29T00:30", "03-29T01:30", "03-29T23:30"],
    ],
    ["Europe/Berlin", "0 2 * * *", "2026-03-29T00:59:59.999Z", ["03-29T01:00", "03-30T00:00"]],
    ["Europe/Berlin", "0 2 * * *", "2026-03-29T01:00:00Z", ["03-30T00:00"]],
    ["Europe/Berlin", "0 3 * * *", "2026-03-29T01:00:00Z", ["03-30T01:00"]],
    ["Europe/Berlin", "59 2 * * *", "2026-03-29T01:00:00Z", ["03-29T01:59", "03-30T00:59"]],
    // Back by an hour at 03:00: of a repeated time the first counts.
    [
      "Europe/Berlin",
      "0,30 2,3 * * *",
      "2026-10-24T23:00:00Z",
      ["10-25T00:00", "10-25T00:30", "10-25T02:00"],
    ],
    ["Europe/Berlin", "30 2 * * *", "2026-10-25T00:30:00Z", ["10-26T01:30"]],
    ["Europe/Berlin", "0,30 2,3 * * *", "2026-10-25T01:10:00Z", ["10-25T02:00", "10-25T02:30"]],
    // Every hour means both.
    ["Europe/Berlin", "30 * * * *", "2026-10-24T23:59:00Z", ["10-25T00:30", "10-25T01:30", "10-25T02:30"]],
    // In the hour that is repeated, the rest of the first time comes before the second.
    ["Europe/Berlin", "5,55 * * * *", "2026-10-25T00:50:00Z", ["10-25T00:55", "10-25T01:05", "10-25T01:55"]],
    ["Europe/Berlin", "30 0-23 * * *", "2026-10-25T00:30:00Z", ["10-25T01:30", "10-25T02:30"]],
    ["Europe/Berlin", "30 0-22 * * *", "2026-10-25T00:30:00Z", ["10-25T02:30"]],
    // By half an hour, at 02:00 both times.
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00:00Z", ["10-03T15:45", "10-04T15:15"]],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00:00Z", ["04-04T14:45", "04-05T15:15"]],
    [
      "Australia/Lord_Howe",
      "45 * * * *",
      "2026-04-04T14:00:00Z",
      ["04-04T14:45", "04-04T15:15", "04-04T16:15"],
    ],
    // By two hours: 01:00 becomes 03:00, and 03:00 becomes 01:00.
    [
      "Antarctica/Troll",
      "30 1,2 * * *",
      "2026-03-28T12:00:00Z",
      ["03-29T01:30", "03-29T02:30", "03-29T23:30"],
    ],
    [
      "Antarctica/Troll",
      "30 1,2,3 * * *",
      "2026-10-24T22:00:00Z",
      ["10-24T23:30", "10-25T00:30", "10-25T03:30"],
    ],
  ])("skips no slot in %s of %s from %s: %j", (timezone, expression, after, expected) => {
    expect(slots(expression, timezone, after, expected.length).map(brief)).toEqual(expected);
  });
});

describe("lastSlot", () => {
  it.each([
    ["7 * * * *", "2026-11-20T15:07:00.000Z", "2026-11-20T15:07:00.000Z"],
    ["7 * * * *", "2026-11-20T15:06:59.999Z", "2026-11-20T14:07:00.000Z"],
    ["* * * * * *", "2026-11-20T15:07:01.999Z", "2026-11-20T15:07:01.000Z"],
    ["* * * * * *", "2026-11-20T15:07:01.000Z", "2026-11-20T15:07:01.000Z"],
    ["0 0 1 * *", "2026-11-20T15:07:00.000Z", "2026-11-01T00:00:00.000Z"],
    ["0 0 29 2 *", "2028-02-28T23:59:59.999Z", "2024-02-29T00:00:00.000Z"],
    ["0 0 29 2 *", "2104-02-28T00:00:00.000Z", "2096-02-29T00:00:00.000Z"],
  ])("of %s at %s is %s", (expression, now, slot) => {
    const slotMs = lastSlot(parseCron(expression, "UTC"), Date.parse(now));
    expect(new Date(slotMs ?? Number.NaN).toISOString()).toBe(slot);
  });

  it("returns undefined if there was none for longer than leap days can explain", () => {
    const never = { expression: "", timezone: "UTC", next: () => Number.POSITIVE_INFINITY };
    expect(lastSlot(never, Date.parse("2026-11-20T00:00:00Z"))).toBeUndefined();
    // Ever farther back, up to twice eight years.
    const asked: number[] = [];
    const nowMs = Date.parse("2026-11-20T00:00:00Z");
    const next = (afterMs: number) => {
      asked.push(nowMs - afterMs);
      return nowMs + 1;
    };
    expect(lastSlot({ ...never, next }, nowMs)).toBeUndefined();
    expect(asked).toEqual(Array.from({ length: 24 }, (_, power) => 60_000 * 2 ** power));
  });
});
