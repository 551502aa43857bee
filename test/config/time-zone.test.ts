import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate, localTime } from "../../src/calendar/local-time.ts";
import { describeFixedZone, listZoneNames } from "../../src/calendar/zone-names.ts";
import { parseTimeZone } from "../../src/config/time-zone.ts";
import { offsetsOf } from "../../src/schedule/zone-offsets.ts";

const NOON = "2026-07-01T12:00:00.000Z";

/** What ICU takes and IANA does not list: a zone by such a name fails in Temporal, or means another place than people think. */
const OF_ICU_ALONE = (
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST " +
  "SystemV/PST8PDT SystemV/AST4 US/Pacific-New Canada/East-Saskatchewan"
).split(" ");

describe("parseTimeZone", () => {
  it("takes every name of the IANA list whatever its case, and both libraries that compute with it know it", () => {
    const names = listZoneNames();
    expect(names.length).toBeGreaterThanOrEqual(597);
    const failed = names.filter((name) => {
      return (
        parseTimeZone(name.toUpperCase()) !== name ||
        !localDate(NOON, name).startsWith("2026-07-0") ||
        !Number.isInteger(offsetsOf(name)(Date.parse(NOON)))
      );
    });
    expect(failed).toEqual([]);
  });

  it("has the names that Node lists, and links by the names that people know", () => {
    expect(listZoneNames()).toEqual(expect.arrayContaining(Intl.supportedValuesOf("timeZone")));
    expect(
      ["Europe/Kyiv", "Asia/Kolkata", "US/Pacific", "GB-Eire", "UTC", "PST8PDT"].map(parseTimeZone),
    ).toEqual(["Europe/Kyiv", "Asia/Kolkata", "US/Pacific", "GB-Eire", "UTC", "PST8PDT"]);
  });

  it.each(OF_ICU_ALONE)("refuses %s, which ICU takes and IANA does not list", (name) => {
    expect(() => new Intl.DateTimeFormat("en", { timeZone: name })).not.toThrow();
    expect(() => parseTimeZone(name)).toThrow(`${name} is not an IANA time zone`);
  });

  it.each([
    { text: "PST", meant: "America/Los_Angeles" },
    { text: "pdt", meant: "America/Los_Angeles" },
    { text: "CST", meant: "America/Chicago, Asia/Shanghai or America/Havana" },
    { text: "IST", meant: "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem" },
    { text: "BST", meant: "Europe/London or Asia/Dhaka" },
    { text: "CEST", meant: "Europe/Berlin" },
    { text: "US/Pacific-New", meant: "America/Los_Angeles" },
    { text: "new york", meant: "America/New_York" },
    { text: "Asia/Calcuta", meant: "Asia/Calcutta" },
    { text: "europe/Berln", meant: "Europe/Berlin" },
    { text: " Europe/Berlin", meant: "Europe/Berlin" },
    { text: "UTC+2", meant: "Europe/Athens" },
    { text: "-0500", meant: "America/New_York" },
  ])("says that $meant was probably meant by $text", ({ text, meant }) => {
    expect(() => parseTimeZone(text)).toThrow(`${text} is not an IANA time zone; did you mean ${meant}?`);
  });

  it("suggests nothing that it would not take", () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.string({ unit: fc.constantFrom(..."ACDEHIKMNPSTWZ"), minLength: 1, maxLength: 4 }),
    );
    let suggested = 0;
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseTimeZone(text);
        } catch (error) {
          const [, meant] = /did you mean (.*)\?$/s.exec(String(error)) ?? [];
          for (const zone of meant?.split(/, | or /) ?? []) {
            expect(parseTimeZone(zone)).toBe(zone);
            suggested++;
          }
        }
      }),
      { numRuns: 100 },
    );
    expect(suggested).toBeGreaterThan(3);
  });
});

describe("describeFixedZone", () => {
  it.each([
    { zone: "EST", offset: "UTC-05:00", meant: "America/New_York; if not, America/Panama says so" },
    { zone: "MST", offset: "UTC-07:00", meant: "America/Denver; if not, America/Phoenix says so" },
    { zone: "HST", offset: "UTC-10:00", meant: "Pacific/Honolulu" },
    { zone: "Etc/GMT+8", offset: "UTC-08:00", meant: "America/Los_Angeles" },
    { zone: "Etc/GMT-1", offset: "UTC+01:00", meant: "Europe/Berlin" },
    { zone: "Etc/GMT-14", offset: "UTC+14:00", meant: "that of a city" },
    { zone: "GMT", offset: "UTC+00:00", meant: "Europe/London; if not, UTC says so" },
  ])("says that $zone is $offset all year", ({ zone, offset, meant }) => {
    expect(describeFixedZone(zone)).toBe(
      `${zone} has no summer time: it is ${offset} all year. The zone probably meant is ${meant}.`,
    );
  });

  it("says the offset that the zone has, and names zones that are taken", () => {
    const described = listZoneNames().flatMap((zone) => {
      const text = describeFixedZone(zone);
      return text === undefined ? [] : [{ zone, text }];
    });
    expect(described.length).toBeGreaterThan(35);
    for (const { zone, text } of described) {
      expect(text).toContain(`UTC${localTime(zone)(NOON).offset} all year`);
      for (const name of text.match(/[A-Z]\w+\/\w+(?=; if|\.$| says)/g) ?? [])
        expect(parseTimeZone(name)).toBe(name);
    }
  });

  it("has nothing to say of a zone of a place, nor of UTC", () => {
    expect(
      ["UTC", "Etc/UTC", "America/Phoenix", "Asia/Kolkata", "EST5EDT", "CET"].map(describeFixedZone),
    ).toEqual(Array(6).fill(undefined));
  });
});
