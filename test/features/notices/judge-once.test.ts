import { describe, expect, it } from "vitest";
import { judgeCalls } from "../../../src/features/notices/judge-calls.ts";
import type { PastNotice } from "../../../src/features/notices/key-calls.ts";
import { type DrawnCall, toHours } from "./drawn-years.ts";

const HOUR_MS = 3_600_000;
const WEEK = 168;
/** A Thursday, 0 o'clock. */
const NOW = Date.parse("2026-11-19T00:00:00.000Z") / HOUR_MS;
const START = NOW - 10 * WEEK;

interface Key {
  number: string;
  source?: string;
  campaign?: string;
}

/** Evenly distributed calls of a key: the number in each hour before now, by hours ago. */
function callsOf({ number, source, campaign }: Key, perHour: (ago: number) => number): DrawnCall[] {
  return Array.from({ length: NOW - START }, (_, hour) => START + hour).flatMap((hour) =>
    Array.from({ length: perHour(NOW - hour) }, (_, index) => ({
      startedMs: hour * HOUR_MS + index * 1000,
      tracking_number: number,
      source: source ?? null,
      campaign: campaign ?? null,
    })),
  );
}

const A = { number: "+1", source: "google" };
const B = { number: "+2", source: "bing" };
const steady =
  (perHour = 2) =>
  () =>
    perHour;
const until = (ago: number, before: number, after: number) => (hoursAgo: number) =>
  hoursAgo > ago ? before : after;
/** That many calls in each week, evenly. */
const weekly = (calls: number) => (ago: number) => Number(((ago % WEEK) * calls) % WEEK < calls);

type Options = Partial<Parameters<typeof judgeCalls<PastNotice>>[1]>;

function judge(calls: readonly DrawnCall[], options: Options = {}) {
  return judgeCalls(toHours(calls), { untilHour: NOW, zone: "UTC", past: [], ...options });
}

/** The notices that begin: of a number, if no other dimension is named. */
const found = (calls: readonly DrawnCall[], options?: Options) =>
  judge(calls, options)
    .started.map(({ dimension, key, kind, sinceHour, calls, expected }) => {
      const named = dimension === "tracking_number" ? [] : [dimension];
      return [...named, key, kind, NOW - sinceHour, calls, expected].join(" ");
    })
    .join(", ");

const NUMBER = { dimension: "tracking_number", key: "+1" } as const;
const past = (notice: Partial<PastNotice> & { ago: number; endedAgo?: number }): PastNotice => {
  const { ago, endedAgo, ...given } = notice;
  const endedHour = endedAgo === undefined ? undefined : NOW - endedAgo;
  const reason = endedAgo === undefined ? null : "calls again";
  return { ...NUMBER, kind: "silent", sinceHour: NOW - ago, endedHour, reason, ...given };
};

/** Days since 1970. */
const TODAY = NOW / 24;
const daysUpTo = (last: number, count = 90) =>
  new Set(Array.from({ length: count }, (_, ago) => TODAY - 1 - last - ago));
const without = (paused: number) => new Set([...daysUpTo(-1)].filter((day) => day !== paused));

describe("judgeCalls", () => {
  it.each<[what: string, a: (ago: number) => number, expected: string]>([
    ["steady", steady(), ""],
    ["silent for 5 hours", until(5, 2, 0), ""],
    ["silent for 12 hours", until(12, 2, 0), "+1 silent 12 0 24"],
    ["silent for a week", until(WEEK, 2, 0), "+1 silent 168 0 336"],
    ["silent for nine days", until(9 * 24, 2, 0), "+1 silent 216 0 324"],
    ["few today", until(24, 10, 2), "+1 few 24 48 240"],
    ["few for four days", until(96, 4, 1), "+1 few 24 24 96"],
    ["half for a week", until(WEEK, 4, 2), "+1 few 24 48 96"],
    [
      "few in a week, but not in a day",
      (ago) => Number(ago % (ago > WEEK ? 3 : 12) === 0),
      "+1 few 168 14 56",
    ],
    [
      "many in a week, but not in a day",
      (ago) => Number(ago % (ago > WEEK ? 12 : 3) === 0),
      "+1 many 168 56 14",
    ],
    ["over half for a week", until(WEEK, 7, 4), ""],
    ["double for a week", until(WEEK, 2, 4), "+1 many 24 96 48"],
    ["under double for a week", until(WEEK, 4, 7), ""],
    ["many today", until(24, 2, 9), "+1 many 24 216 48"],
    ["silent, but for one call", (ago) => (ago === 1 ? 1 : ago > 24 ? 3 : 0), "+1 few 24 1 72"],
    ["new", until(10, 0, 4), ""],
    ["3 weeks old, and silent", (ago) => (ago > 3 * WEEK + 24 || ago <= 24 ? 0 : 4), ""],
    ["an hour short of 5 weeks old, and silent", (ago) => (ago >= 5 * WEEK || ago <= 24 ? 0 : 4), ""],
    ["5 weeks old, and silent", (ago) => (ago > 5 * WEEK || ago <= 24 ? 0 : 4), "+1 silent 24 0 96"],
    ["rare", (ago) => (ago % 24 === 0 && ago > WEEK ? 1 : 0), ""],
    ["rare, but just often enough", (ago) => (ago % 14 === 0 && ago > WEEK ? 1 : 0), ""],
    ["too rare, and many today", (ago) => (ago > 24 ? weekly(9)(ago) : 2), ""],
    ["just often enough, and many today", (ago) => (ago > 24 ? weekly(10)(ago) : 2), "+1 many 24 48 1"],
  ])("notices a number that is %s", (_, a, expected) => {
    expect(found([...callsOf(A, a), ...callsOf(B, steady())])).toBe(expected);
  });

  it.each<
    [
      what: string,
      past: PastNotice | PastNotice[],
      a: (ago: number) => number,
      started: string,
      ended?: string,
    ]
  >([
    ["its own open notice", past({ ago: 30 }), until(30, 2, 0), ""],
    ["its own of long ago", past({ ago: 900, endedAgo: 800 }), until(30, 2, 0), "+1 silent 30 0 60"],
    ["its own that has just ended", past({ ago: 60, endedAgo: 20 }), until(60, 2, 0), "+1 silent 60 0 40"],
    ["its own that ended an hour ago", past({ ago: 60, endedAgo: 1 }), until(60, 2, 0), ""],
    [
      "its own of long ago, and many now",
      past({ ago: 900, endedAgo: 800 }),
      until(24, 2, 9),
      "+1 many 24 216 48",
    ],
    [
      "its own just before and just after the hours of last week",
      [past({ ago: WEEK + 30, endedAgo: WEEK + 12 }), past({ ago: WEEK, endedAgo: WEEK - 20 })],
      (ago) => (ago <= 12 ? 0 : ago > WEEK && ago <= WEEK + 12 ? 4 : 2),
      "+1 silent 12 0 27",
    ],
    [
      "another number's",
      past({ key: "+2", ago: 6 * WEEK, endedAgo: 30 }),
      until(12, 2, 0),
      "+1 silent 12 0 24",
    ],
    [
      "that of a source with the same name",
      past({ dimension: "source", ago: 6 * WEEK, endedAgo: 30 }),
      until(12, 2, 0),
      "+1 silent 12 0 24",
    ],
    [
      "one on all calls of two weeks ago",
      past({ dimension: "all", key: "", ago: 3 * WEEK, endedAgo: 2 * WEEK }),
      (ago) => (ago <= 12 || (ago > 2 * WEEK && ago <= 3 * WEEK) ? 0 : 2),
      "+1 silent 12 0 24",
    ],
    [
      "calls after silence",
      past({ ago: 60 }),
      (ago) => (ago > 60 || ago <= 24 ? 4 : 0),
      "",
      "calls again 16",
    ],
    [
      "many calls in one hour after silence",
      past({ ago: 60 }),
      (ago) => (ago > 60 ? 4 : ago === 3 ? 30 : 0),
      "",
      "calls again 3",
    ],
    ["a call after silence", past({ ago: 60 }), (ago) => (ago > 60 ? 4 : ago === 3 ? 1 : 0), ""],
    [
      "as many after few",
      past({ ago: 60, kind: "few" }),
      (ago) => (ago > 60 || ago <= 24 ? 4 : 0),
      "",
      "as before 16",
    ],
    ["still few", past({ ago: 60, kind: "few" }), until(60, 4, 1), ""],
    ["most after few", past({ ago: 160, kind: "few" }), (ago) => (ago > 160 ? 40 : 28), ""],
    [
      "as many after many",
      past({ ago: 60, kind: "many" }),
      (ago) => (ago > 60 || ago <= 24 ? 4 : 20),
      "",
      "as before 8",
    ],
    ["half as many again after many", past({ ago: 160, kind: "many" }), (ago) => (ago > 160 ? 40 : 60), ""],
    [
      "hardly more after many",
      past({ ago: 160, kind: "many" }),
      (ago) => (ago > 160 ? 40 : ago > 30 ? 100 : 48),
      "",
      "as before 2",
    ],
    ["still many", past({ ago: 60, kind: "many" }), until(60, 4, 20), ""],
    [
      "a whole week as before, with few calls",
      past({ ago: 200, kind: "few" }),
      weekly(12),
      "",
      "as before 168",
    ],
    ["less than a week as before, with few calls", past({ ago: 160, kind: "few" }), weekly(12), ""],
    [
      "a whole week after many, with few calls",
      past({ ago: 200, kind: "many" }),
      weekly(12),
      "",
      "as before 168",
    ],
    ["a whole week with few calls, after silence", past({ ago: 200 }), weekly(12), "", "calls again 168"],
    [
      "a week with too few of few calls",
      past({ ago: 200 }),
      (ago) => (ago > WEEK ? weekly(12) : weekly(8))(ago),
      "",
    ],
    ["a number without earlier calls", past({ ago: 60 }), until(60, 0, 4), "", "nothing to compare with 0"],
    ["silence of five weeks", past({ ago: 5 * WEEK }), until(5 * WEEK, 4, 0), ""],
    ["silence of six weeks", past({ ago: 6 * WEEK }), until(6 * WEEK, 4, 0), "", "nothing to compare with 0"],
    ["a notice on all calls", past({ ago: 30, dimension: "all", key: "" }), until(30, 2, 0), ""],
  ])("ends notices, and judges no time twice: %s", (_, past, a, started, ended = "") => {
    const calls = [...callsOf(A, a), ...callsOf(B, steady())];
    const notices = [past].flat();
    const now = judge(calls, { past: notices }).ended;
    expect(now.map(({ reason, endedHour }) => `${reason} ${NOW - endedHour}`).join()).toBe(ended);
    expect(found(calls, { past: notices })).toBe(started);
  });

  it.each<[what: string, calls: DrawnCall[], expected: string]>([
    ["all calls", [A, B].flatMap((key) => callsOf(key, until(12, 2, 0))), "all  silent 12 0 48"],
    [
      "more of all calls",
      [...callsOf(A, until(24, 2, 6)), ...callsOf(B, until(24, 10, 30))],
      "all  many 24 864 288",
    ],
    [
      "a source of two numbers",
      [
        ...callsOf({ number: "+1", source: "google" }, until(24, 2, 0)),
        ...callsOf({ number: "+3", source: "google" }, until(24, 2, 0)),
        ...callsOf(B, steady(4)),
      ],
      "+1 silent 24 0 48, +3 silent 24 0 48",
    ],
    [
      "a source of a number with others",
      [
        ...callsOf({ number: "+1", source: "google" }, until(24, 3, 0)),
        ...callsOf({ number: "+1", source: "bing" }, steady(6)),
      ],
      "source google silent 24 0 72",
    ],
    [
      "all calls, though they have one source",
      [
        ...callsOf({ number: "+1", source: "google" }, until(12, 2, 0)),
        ...callsOf({ number: "+3", source: "google" }, until(12, 2, 0)),
      ],
      "all  silent 12 0 48",
    ],
    [
      "two numbers, though a new one has as many calls",
      [
        ...[A, B].flatMap((key) => callsOf(key, until(24, 2, 0))),
        ...callsOf({ number: "+5", source: "yahoo" }, until(24, 0, 4)),
      ],
      "+1 silent 24 0 48, +2 silent 24 0 48",
    ],
    ["the only number", callsOf(A, until(12, 4, 0)), "+1 silent 12 0 48"],
    [
      "a new number, not the source that it is of",
      [
        ...callsOf(A, steady()),
        ...callsOf({ number: "+4", source: "google" }, until(100, 0, 6)),
        ...callsOf(B, steady()),
      ],
      "",
    ],
    [
      "a number of the week before, not the source that it is of",
      [
        ...callsOf(A, steady()),
        ...callsOf({ number: "+4", source: "google" }, until(WEEK + 20, 0, 6)),
        ...callsOf(B, steady()),
      ],
      "",
    ],
  ])("notices once what is off: %s", (_, calls, expected) => {
    expect(found(calls)).toBe(expected);
  });

  /** Notices on the number +1, and the calls of Google and of others. */
  it.each<[what: string, past: PastNotice, calls: DrawnCall[], expected: string]>([
    [
      "few calls of a number that is silent",
      past({ ago: 60 }),
      [...callsOf(A, until(60, 6, 0)), ...callsOf({ ...A, number: "+3" }, steady(1))],
      "",
    ],
    [
      "few calls of a number that was silent until an hour ago",
      past({ ago: 60, endedAgo: 1 }),
      [
        ...callsOf(A, (ago) => (ago > 60 || ago === 1 ? 6 : 0)),
        ...callsOf({ ...A, number: "+3" }, steady(1)),
      ],
      "",
    ],
    [
      "many calls of a number that was silent for weeks",
      past({ ago: 9 * WEEK, endedAgo: WEEK }),
      [
        ...callsOf(A, (ago) => (ago > 9 * WEEK || ago <= WEEK ? 6 : 0)),
        ...callsOf({ ...A, number: "+3" }, steady(1)),
      ],
      "",
    ],
    [
      "silence since a notice on its number ended, while others call that number",
      past({ ago: 60, endedAgo: 24 }),
      [...callsOf(A, until(24, 3, 0)), ...callsOf({ ...A, source: "bing" }, steady(6))],
      "source google silent 24 0 72",
    ],
    [
      "silence on a number that others call more than before",
      past({ ago: 100, kind: "many" }),
      [
        ...callsOf(A, until(24, 2, 0)),
        ...callsOf({ ...A, source: "bing" }, until(100, 2, 9)),
        ...callsOf({ number: "+2", source: "yahoo" }, steady(4)),
      ],
      "source google silent 24 0 48",
    ],
  ])(
    "judges a source without the calls explained by a notice on a number: %s",
    (_, notice, calls, expected) => {
      expect(found([...calls, ...callsOf(B, steady())], { past: [notice] })).toBe(expected);
    },
  );

  it.each<[what: string, spent: ReadonlySet<number> | undefined, ago: number, expected: string[]]>([
    ["with spend each day", daysUpTo(-1), 48, ["campaign Brand silent 48 0 96"]],
    ["with spend up to yesterday", daysUpTo(0), 48, ["campaign Brand silent 48 0 48"]],
    ["without spend", undefined, 48, []],
    ["paused on that day", daysUpTo(1), 48, []],
    ["paused the day before", without(TODAY - 3), 48, ["campaign Brand silent 48 0 48"]],
  ])("notices a silent campaign %s", (_, spent, ago, expected) => {
    const campaign = { number: "+1", source: "google", campaign: "Brand" };
    const calls = [
      ...callsOf(campaign, until(ago, 2, 0)),
      ...callsOf(A, steady(6)),
      ...callsOf(B, steady(6)),
    ];
    const options = spent && { spent: new Map([["Brand", spent]]) };
    const campaigns = found(calls, options)
      .split(", ")
      .filter((line) => line.startsWith("campaign"));
    expect(campaigns).toEqual(expected);
  });

  it("ends the notice on a campaign that is paused for a week", () => {
    const calls = callsOf({ number: "+1", source: "google", campaign: "Brand" }, until(10 * 24, 2, 0));
    const notice = past({ dimension: "campaign", key: "Brand", ago: 10 * 24 });
    const endOf = (lastDay: number) =>
      judge(calls, { past: [notice], spent: new Map([["Brand", daysUpTo(lastDay)]]) }).ended;
    expect(endOf(5)).toEqual([]);
    expect(endOf(6)).toEqual([{ notice, endedHour: NOW, reason: "nothing to compare with" }]);
  });

  /** Offsets of winter and summer time, and how many hours ago the clock was set back. */
  it.each<[zone: string, until: number, winter: number, summer: number, change: number, expected: string]>([
    ["UTC", 9, 0, 0, 0, "+1 few 24 6 36"],
    ["Asia/Kolkata", 15, 5.5, 5.5, 0, "+1 few 29 5 30"],
    ["Europe/Berlin", 10, 1, 2, 24 * 24 + 23, "+1 few 25 6 36"],
    ["Europe/Berlin", 24 * 24 + 10, 1, 2, 24 * 24 + 23, "+1 few 602 6 36"],
    ["Europe/Berlin", 24 * 24 + 34, 1, 2, 24 * 24 + 23, "+1 few 626 7 42"],
    ["America/Los_Angeles", 1, -8, -7, 24 * 17 + 15, "+1 few 16 6 36"],
  ])("compares with the same local hours in %s", (zone, until, winter, summer, change, expected) => {
    const today = until + 15;
    const opened = (ago: number) => {
      const local = (NOW - ago + (ago <= change ? winter : summer)) % 24;
      return local < 9 || local >= 17 ? 0 : ago > today ? 6 : 1;
    };
    const calls = [...callsOf(A, opened), ...callsOf(B, steady())];
    expect(found(calls, { zone, untilHour: NOW - until })).toBe(expected);
  });

  const days = (ago: number) => Math.floor(ago / 24) % 2;
  const weeks = (ago: number) => Math.floor(ago / WEEK) % 2;
  it.each<[what: string, isLess: typeof days, less: number, after: number, hours: number, found: string]>([
    ["alike", days, 10, 0, 2, "+1 silent 2 0 20"],
    ["a few less on each other day", days, 4, 0, 13, "+1 silent 13 0 91"],
    ["few on each other day", days, 2, 0, 35, "+1 silent 35 0 210"],
    ["a few less in each other week", weeks, 4, 0, 26, "+1 silent 26 0 182"],
    ["few in each other week", weeks, 2, 0, 46, "+1 silent 46 0 276"],
    ["alike, many now", weeks, 10, 40, 8, "+1 many 24 480 240"],
    ["a few less on each other day, many now", days, 4, 30, 23, "all  many 24 886 360"],
  ])("notices changes later if days vary: %s", (_, isLess, less, after, hours, expected) => {
    const other = callsOf(B, steady(8));
    const at = (hours: number) =>
      found([...callsOf(A, (ago) => (ago <= hours ? after : isLess(ago) ? less : 10)), ...other]);
    expect(at(hours - 1)).toBe("");
    expect(at(hours)).toBe(expected);
  });
});
