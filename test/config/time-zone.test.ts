import { describe, expect, it } from "vitest";
import { localDate, localTime } from "../../src/base/calendar/local-time.ts";
import { describeFixedZone, parseTimeZone } from "../../src/config/time-zone.ts";

const NOON = "2026-07-01T12:00:00.000Z";

/** Names that ICU accepts and IANA does not list: such a zone fails in Temporal, or means another place than expected. */
const OF_ICU_ALONE =
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(
    " ",
  );
/** Names of the list that `Intl.supportedValuesOf` lacks: links, with various letters. */
const LINKS =
  "Africa/Asmara America/Argentina/ComodRivadavia America/Buenos_Aires America/Knox_IN America/Nuuk Antarctica/South_Pole Asia/Ho_Chi_Minh Asia/Kolkata Asia/Ujung_Pandang Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha Canada/Newfoundland Chile/EasterIsland CST6CDT Cuba EST EST5EDT Etc/GMT+8 Etc/GMT-14 Etc/UTC Europe/Kyiv GB GB-Eire GMT GMT+0 GMT0 Greenwich HST MST Mexico/BajaNorte NZ-CHAT Navajo PRC ROC ROK PST8PDT UCT US/East-Indiana US/Pacific US/Samoa UTC Universal W-SU WET Zulu".split(
    " ",
  );

const ETC = Array.from({ length: 12 }, (_, index) => [`Etc/GMT+${index + 1}`, `Etc/GMT-${index + 1}`]).flat();

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("parseTimeZone", () => {
  it("accepts names of the IANA list in any case, and returns their spelling in the list", () => {
    const names = [...Intl.supportedValuesOf("timeZone"), ...LINKS];
    const spelled = names.map((name, index) => (index % 2 ? name.toUpperCase() : name.toLowerCase()));
    expect(spelled.map(parseTimeZone)).toEqual(names);
    expect(names.filter((name) => !localDate(NOON, name).startsWith("2026-07-0"))).toEqual([]);
  });

  it.each([
    ["Central", "America/Chicago"],
    ["eastern time", "America/New_York"],
    ["Mountain Standard Time", "America/Denver"],
    ["Pacific  Daylight Time", "America/Los_Angeles"],
    ["Central European Time", "Europe/Berlin"],
    ["Atlantic", "America/Halifax"],
  ])("suggests a city for the name of a zone: %s", (text, meant) => {
    expect(() => parseTimeZone(text)).toThrow(`${text} is not an IANA time zone; did you mean ${meant}?`);
  });

  it("refuses what Temporal accepts but is not a name", () => {
    for (const text of ["+02:00", "2026-01-01T00:00Z[Europe/Berlin]", "", "Z"])
      expect(() => parseTimeZone(text)).toThrow("is not an IANA time zone");
  });

  it.each(OF_ICU_ALONE)("refuses %s, which ICU accepts but IANA does not list", (name) => {
    expect(() => new Intl.DateTimeFormat("en", { timeZone: name })).not.toThrow();
    expect(() => parseTimeZone(name)).toThrow(`${name} is not an IANA time zone`);
  });

  it.each([
    { text: "PST", meant: "America/Los_Angeles" },
    { text: "pdt", meant: "America/Los_Angeles" },
    { text: "PT", meant: "America/Los_Angeles" },
    { text: "CST", meant: "America/Chicago" },
    { text: "IST", meant: "Asia/Calcutta" },
    { text: "BST", meant: "Europe/London" },
    { text: "CEST", meant: "Europe/Berlin" },
    { text: "AEST", meant: "Australia/Sydney" },
    { text: "kolkata", meant: "Asia/Kolkata" },
    { text: "new york", meant: "America/New_York" },
    { text: "Asia/Calcuta", meant: "Asia/Calcutta" },
    { text: "europe/Berln", meant: "Europe/Berlin" },
    { text: " Europe/Berlin", meant: "Europe/Berlin" },
    { text: "UTC+2", meant: "Europe/Athens" },
    { text: "-0500", meant: "America/New_York" },
  ])("suggests $meant for $text", ({ text, meant }) => {
    expect(() => parseTimeZone(text)).toThrow(`${text} is not an IANA time zone; did you mean ${meant}?`);
  });

  it("suggests only accepted names", () => {
    const offsets = Array.from({ length: 27 }, (_, index) => `UTC${index < 12 ? "" : "+"}${index - 12}`);
    const suggested = [...OF_ICU_ALONE, ...offsets].flatMap((text) => {
      const error = attempt(() => parseTimeZone(text));
      return /did you mean (.*)\?$/.exec(String(error))?.[1] ?? [];
    });
    expect(suggested.length).toBeGreaterThan(40);
    expect(suggested.map(parseTimeZone)).toEqual(suggested);
  });
});

describe("describeFixedZone", () => {
  it.each([
    { zone: "EST", offset: "UTC-05:00", meant: "America/New_York; otherwise use America/Panama" },
    { zone: "MST", offset: "UTC-07:00", meant: "America/Denver; otherwise use America/Phoenix" },
    { zone: "HST", offset: "UTC-10:00", meant: "Pacific/Honolulu" },
    { zone: "Etc/GMT+8", offset: "UTC-08:00", meant: "America/Los_Angeles" },
    { zone: "Etc/GMT-1", offset: "UTC+01:00", meant: "Europe/Berlin" },
    { zone: "Etc/GMT-14", offset: "UTC+14:00", meant: "a city's zone" },
    { zone: "GMT", offset: "UTC+00:00", meant: "Europe/London; otherwise use UTC" },
  ])("describes $zone as $offset all year", ({ zone, offset, meant }) => {
    expect(describeFixedZone(zone)).toBe(
      `${zone} has no daylight saving time: it is ${offset} all year. You probably mean ${meant}.`,
    );
  });

  it("describes the offset of the zone, and suggests accepted names", () => {
    const described = [...Intl.supportedValuesOf("timeZone"), ...LINKS, ...ETC].flatMap((zone) => {
      const text = describeFixedZone(zone);
      return text === undefined ? [] : [{ zone, text }];
    });
    expect(described.length).toBeGreaterThan(30);
    for (const { zone, text } of described) {
      expect(text).toContain(`UTC${localTime(zone)(NOON).offset} all year`);
      for (const name of text.match(/[A-Z]\w+\/\w+(?=; if|\.$| says)/g) ?? [])
        expect(parseTimeZone(name)).toBe(name);
    }
  });

  it("returns undefined for the zone of a place, and for UTC", () => {
    expect(
      ["UTC", "Etc/UTC", "America/Phoenix", "Asia/Kolkata", "EST5EDT", "CET"].flatMap(
        (zone) => describeFixedZone(zone) ?? [],
      ),
    ).toEqual([]);
  });
});
