import { describe, expect, it } from "vitest";
import { orMeantDate, readMoment } from "../../src/intake/moment-text.ts";

/** Returns `day HH:MM:SS`, `/min` for a whole minute, and the offset in minutes. */
function inShort(text: string): string | undefined {
  const moment = readMoment(text);
  if (moment?.day == null || !("day" in moment.day)) return undefined;
  const { day, time } = { day: moment.day.day, time: moment.time };
  if (time === undefined) return day;
  const clock = new Date(time.ms).toISOString().slice(11, 19);
  return `${day} ${clock}${time.lengthMs === 60_000 ? "/min" : ""}${time.offsetMinutes === undefined ? "" : ` ${time.offsetMinutes}`}`;
}

describe("readMoment", () => {
  it.each([
    ["2026-10-30", "2026-10-30"],
    ["30-Oct-26", "2026-10-30"],
    ["2026-10-30T14:30:15", "2026-10-30 14:30:15"],
    ["2026-10-30 14:30", "2026-10-30 14:30:00/min"],
    ["10/30/2026, 2:30:15 PM".replace("10/30/2026", "Oct 30, 2026"), "2026-10-30 14:30:15"],
    ["30.10.2026, 14:30", "2026-10-30 14:30:00/min"],
    ["30.10.2026 - 2:30 PM", "2026-10-30 14:30:00/min"],
    ["Oct 30, 2026 at 2:30 p.m.", "2026-10-30 14:30:00/min"],
    ["Friday, October 30, 2026 12:05:00 AM", "2026-10-30 00:05:00"],
    ["2026-10-30 14:30:15 UTC", "2026-10-30 14:30:15 0"],
    ["2026-10-30 14:30:15.123456+00", "2026-10-30 14:30:15 0"],
    ["2026-10-30T14:30:15Z", "2026-10-30 14:30:15 0"],
    ["2026-10-30T14:30:15-05:00[America/Chicago]", "2026-10-30 14:30:15 -300"],
    ["2026-10-30 14:30:15 +0530", "2026-10-30 14:30:15 330"],
    ["2026-10-30 02:30 PM EDT", "2026-10-30 14:30:00/min -240"],
    ["Fri Oct 30 2026 14:30:15 GMT-0500 (Central Daylight Time)", "2026-10-30 14:30:15 -300"],
    ["Fri, 30 Oct 2026 14:30:15 GMT", "2026-10-30 14:30:15 0"],
    ["20261030T143015Z", "2026-10-30 14:30:15 0"],
    ["2026-10-30T10:00+14:00", "2026-10-30 10:00:00/min 840"],
    ["2026-10-30T23:59:59-12:59", "2026-10-30 23:59:59 -779"],
    ["2026-10-30 00:00:00", "2026-10-30 00:00:00"],
    ["2026-10-30 12:59 PM", "2026-10-30 12:59:00/min"],
    ["2026-10-30 1:00 AM", "2026-10-30 01:00:00/min"],
  ])("reads %s", (text, expected) => {
    expect(inShort(text)).toBe(expected);
  });

  it("leaves the order of day and month to the file", () => {
    expect(readMoment("10/5/26, 2:30 PM")).toEqual({
      day: { first: 10, second: 5, year: 2026 },
      time: { ms: 52_200_000, lengthMs: 60_000, offsetMinutes: undefined },
    });
  });

  it.each([
    "2026-10-30 24:00",
    "2026-10-30 10:59:60",
    "2026-10-30T10:00-05:60",
    "2026-10-30T10:00+14:01",
    "2026-10-30 13:00 PM",
    "2026-10-30 0:30 AM",
    "2026-10-30 10:60",
    "2026-10-30T10:00+99:99",
    "2026-10-30T10:00+14:30",
    "2026-10-30T10:00-05:75",
    "2026-10-30 10:00 XYZ",
    "2026-13-30 10:00",
    "10:00",
    "constructor",
  ])("does not accept %j", (text) => {
    expect(readMoment(text)).toBeUndefined();
  });

  it("suggests the month that was probably meant", () => {
    expect(orMeantDate("Ocotber 5, 2026")).toBe('; did you mean "October 5, 2026"?');
    expect(orMeantDate("5-Okt-2026")).toBe('; did you mean "5-Oct-2026"?');
    expect(orMeantDate("soon")).toBe("");
    expect(orMeantDate("2026-13-06")).toBe("");
  });
});
