import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import {
  cutoffsAt,
  isAllKept,
  KEEP_ALL,
  KEEP_KINDS,
  KIND_NAMES,
  kindsPast,
  parseKeepFor,
  toKeepText,
  WITHHELD_KINDS,
  withDigests,
} from "../../../src/calls/privacy/keep-settings.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");

describe("parseKeepFor", () => {
  it.each([
    ["always", "always"],
    ["never", "never"],
    ["1d", 1],
    ["90d", 90],
    ["36500d", 36_500],
  ])("reads %s, and toKeepText writes it", (text, keepFor) => {
    expect(parseKeepFor(text)).toBe(keepFor);
    expect(toKeepText(parseKeepFor(text))).toBe(text);
  });

  it.each(["", "0d", "-1d", "1.5d", "36501d", "0000090d", "Never", "90dx", "90d\n"])("refuses %j", (text) => {
    expect(() => parseKeepFor(text)).toThrow(
      new Error("must be always, never, or a number of days from 1d to 36500d, such as 90d"),
    );
  });
});

describe("cutoffsAt", () => {
  it("returns a time for each kind: before all times for always, after all for never", () => {
    const keep = {
      transcripts: "never",
      summaries: 1,
      caller_numbers: 90,
      recording_urls: "always",
    } as const;
    expect(cutoffsAt(keep, NOW)).toEqual({
      transcripts: "~",
      summaries: "2026-11-19T12:00:00.000Z",
      caller_numbers: "2026-08-22T12:00:00.000Z",
      recording_urls: "",
      extra: "~",
    });
  });

  it.each([
    // A day is 24 hours, whatever clocks do, and whether the year is a leap year.
    { now: "2026-03-29T12:00:00.000Z", days: 1, cutoff: "2026-03-28T12:00:00.000Z" },
    { now: "2028-03-01T00:00:00.000Z", days: 1, cutoff: "2028-02-29T00:00:00.000Z" },
  ])("counts $days days back from $now", ({ now, days, cutoff }) => {
    expect(cutoffsAt({ ...KEEP_ALL, summaries: days }, Date.parse(now)).summaries).toBe(cutoff);
  });
});

describe("kindsPast", () => {
  it("returns kinds that are never kept or whose time has passed", () => {
    const cutoffs = cutoffsAt({ ...KEEP_ALL, transcripts: "never", caller_numbers: 90 }, NOW);
    expect(kindsPast(cutoffs, "2026-08-22T12:00:00.000Z")).toEqual(["transcripts", "extra"]);
    expect(kindsPast(cutoffs, "2026-08-22T11:59:59.999Z")).toEqual([
      "transcripts",
      "caller_numbers",
      "extra",
    ]);
    // For a clock that was ahead.
    expect(kindsPast(cutoffs, "9999-12-31T23:59:59.999Z")).toEqual(["transcripts", "extra"]);
  });
});

describe("isAllKept, withDigests", () => {
  it.each(KEEP_KINDS)("recognize that %s is not always kept", (kind) => {
    for (const keepFor of ["never", 90] as const) {
      const keep = { ...KEEP_ALL, [kind]: keepFor };
      expect(isAllKept(keep)).toBe(false);
      expect(withDigests(DEFAULT_RULES, keep)).toEqual(
        kind === "caller_numbers" ? { ...DEFAULT_RULES, caller_digests: true } : DEFAULT_RULES,
      );
    }
  });

  it("recognize that everything is kept", () => {
    expect(isAllKept(KEEP_ALL)).toBe(true);
    expect(withDigests(DEFAULT_RULES, KEEP_ALL)).toBe(DEFAULT_RULES);
  });
});

describe("KIND_NAMES", () => {
  it("name each kind", () => {
    expect(WITHHELD_KINDS.map((kind) => KIND_NAMES[kind])).toEqual([
      "transcripts",
      "summaries",
      "caller numbers",
      "recording links",
      "undocumented members",
    ]);
  });
});
