import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ADJUSTMENTS, CONVERSIONS, ruleOfKind } from "../../../src/config/request/conversion-kinds.ts";
import {
  audienceOf,
  KINDS,
  NAMING_PEOPLE,
  reasonAgainst,
} from "../../../src/features/conversions/conversion-kinds.ts";
import type { Conversion, LayoutOptions } from "../../../src/features/conversions/upload-layouts.ts";
import type { Candidate } from "../../../src/sources/sqlite/sqlite-conversions-sql.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse("2026-10-01T12:00:00.000Z");

const KEYS = {
  "google-ads": "CjABC_-1",
  "google-leads": "+4930123456",
  "google-data-manager": "CjABC_-1",
  "microsoft-ads": "0123456789abcdefABCDEF0123456789",
  "ga4-events": "12.34",
};

/** A call with no reason against it. */
const candidate = (kind: keyof typeof KEYS, members: Partial<Candidate> = {}): Candidate => ({
  call_id: 1,
  is_live: true,
  call_started: new Date(NOW - 2 * DAY_MS).toISOString(),
  key: KEYS[kind],
  click_by: "gclid",
  gclsrc: "",
  is_qualified: true,
  topic: null,
  is_repeated: false,
  earned_micros: null,
  is_open: false,
  ...members,
});

const reasonOf = (kind: keyof typeof KEYS, members: Partial<Candidate> = {}) =>
  reasonAgainst(candidate(kind, members), KINDS[kind], NOW);

describe("reasonAgainst", () => {
  it.each(CONVERSIONS)("returns the first reason against a call: %s", (kind) => {
    // Each of them separately, and with all that follow.
    const missing = {
      "google-ads": "no gclid",
      "google-leads": "no caller id",
      "google-data-manager": "no gclid",
      "microsoft-ads": "no msclkid",
      "ga4-events": "no client id",
    }[kind];
    const isGoogle = kind === "google-ads" || kind === "google-data-manager";
    const faults: [reason: string, members: Partial<Candidate>][] = [
      ["duplicate", { is_repeated: true }],
      ["not qualified", { is_qualified: false }],
      ["too recent", { call_started: new Date(NOW + 1).toISOString() }],
      ["too old", { call_started: "2020-01-01T00:00:00.000Z" }],
      ["no time", { call_started: null }],
      ["malformed", { key: "=1+1" }],
      ...(isGoogle ? [["not Google Ads", { gclsrc: "3p.ds" }] satisfies [string, object]] : []),
      [missing, { key: null }],
    ];
    let before = {};
    expect(reasonOf(kind)).toBeUndefined();
    for (const [reason, members] of faults) {
      before = { ...before, ...members };
      expect([reasonOf(kind, members), reasonOf(kind, before)]).toEqual([reason, reason]);
    }
    if (!isGoogle) expect(reasonOf(kind, { gclsrc: "3p.ds" })).toBeUndefined();
  });

  it.each([
    ["google-ads", 90 * DAY_MS, 6 * HOUR_MS],
    ["google-data-manager", 90 * DAY_MS, 6 * HOUR_MS],
    ["google-leads", 63 * DAY_MS, 0],
    ["microsoft-ads", 90 * DAY_MS, HOUR_MS],
    ["ga4-events", 72 * HOUR_MS, 0],
  ] as const)("accepts calls of the ages that %s accepts, to the millisecond", (kind, maxMs, minMs) => {
    const ofAge = (ms: number) => reasonOf(kind, { call_started: new Date(NOW - ms).toISOString() });
    expect([ofAge(minMs), ofAge(minMs - 1)]).toEqual([undefined, "too recent"]);
    expect([ofAge(maxMs), ofAge(maxMs + 1)]).toEqual([undefined, "too old"]);
  });

  it.each([
    ["google-ads", ["a", "A-z_9", "0"], ["", "a b", "a\n", "\na", "a.b", "é", "=a"]],
    [
      "google-leads",
      ["+4912345", "+491234567890123", "+15125550100", "+79161234567", "+33123456789", "+4512345678"],
      [
        ...["+491234", "+4912345678901234", "4912345", "+0234567", "+49345a7", "x+4934567", "+4934567\n"],
        // A digit short, a digit long, and no area of North America.
        ...["+1512555010", "+151255501000", "+11255550100", "+15121550100", "+7916123456", "+3312345678"],
        ...["+331234567890", "+451234567", "+35112345678", "5125550100"],
      ],
    ],
    [
      "microsoft-ads",
      ["a".repeat(32), "0F".repeat(16)],
      ["a".repeat(31), "a".repeat(33), "g".repeat(32), `${"a".repeat(32)}\n`],
    ],
    [
      "ga4-events",
      ["1.2", `${"1".repeat(20)}.${"2".repeat(20)}`],
      [".2", "1.", "12", "1.2.3", "x1.2", "1.2x", "1x2", `${"1".repeat(21)}.2`, `1.${"2".repeat(21)}`],
    ],
  ] as const)("checks the format of a key: %s", (kind, good, bad) => {
    expect(good.map((key) => reasonOf(kind, { key }))).toEqual(good.map(() => undefined));
    expect(bad.map((key) => reasonOf(kind, { key }))).toEqual(bad.map(() => "malformed"));
  });

  it("accepts only clicks of Google Ads for Google Ads", () => {
    const sources = ["", "aw", "aw.ds", "ds", "3p.ds", "gf", "AW"];
    for (const kind of ["google-ads", "google-data-manager"] as const) {
      const taken = sources.filter((gclsrc) => reasonOf(kind, { gclsrc }) === undefined);
      expect(taken).toEqual(["", "aw", "aw.ds"]);
    }
  });
});

/** Returns the ages of calls that a kind takes, in the words of the page on ad platforms. */
function describeAges({ minAgeMs, maxAgeMs }: { minAgeMs: number; maxAgeMs: number }): string {
  const longest = maxAgeMs <= 3 * DAY_MS ? `${maxAgeMs / HOUR_MS} hours` : `${maxAgeMs / DAY_MS} days`;
  const hours = minAgeMs / HOUR_MS;
  if (hours > 0) return `${hours} ${hours === 1 ? "hour" : "hours"} to ${longest}`;
  return maxAgeMs <= 3 * DAY_MS ? `up to ${longest}: upload daily` : `up to ${longest}`;
}

describe("KINDS", () => {
  it("the page on ad platforms has a row for each kind, with its ids and ages", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/ad-platforms.md"), "utf8");
    const [, table = ""] = page.split("| contents | identifies by | call age |\n|---|---|---|\n");
    const rows = (table.split("\n\n")[0] ?? "").split("\n");
    const kinds = CONVERSIONS.map(
      (kind) => `| \`${kind}\` | ${KINDS[kind].help} | ${describeAges(KINDS[kind])} |`,
    );
    const adjustments = ADJUSTMENTS.map(
      (contents) => `| \`${contents}\` | order id | [below](#adjustments) |`,
    );
    expect(rows).toEqual([...kinds, ...adjustments]);
  });

  it("whose files name callers or browsers are those that forget looks through", () => {
    expect(NAMING_PEOPLE).toEqual(["google-leads", "ga4-events"]);
  });

  it("define the audience of each file, and whether it has an order id", () => {
    const said = CONVERSIONS.map((kind) => [
      kind,
      audienceOf(KINDS[kind]),
      KINDS[kind].hasOrderId,
      KINDS[kind].key,
    ]);
    expect(said).toEqual([
      ["google-ads", "shared", true, "gclid"],
      ["google-leads", "owner", true, "caller"],
      ["google-data-manager", "shared", true, "google_click"],
      ["microsoft-ads", "shared", false, "msclkid"],
      ["ga4-events", "shared", false, "google_analytics_cid"],
    ]);
  });

  it.each([
    ["Qualified call", "qualified_call"],
    ["  --A  b__C--9 ", "a_b_c_9"],
    ["x".repeat(40), "x".repeat(40)],
    ["Größe?", "gr_e"],
    ["gallery", "gallery"],
    ["my_ga_call", "my_ga_call"],
    ["googled", "googled"],
  ])("derive the name of an event from %j", (name, event) => {
    expect(ruleOfKind("ga4-events").names?.toName(name)).toBe(event);
    expect(CONVERSIONS.filter((kind) => ruleOfKind(kind).names !== undefined)).toEqual(["ga4-events"]);
  });

  it.each(["", " ", "9 calls", "_9", "ga call", "Google-call", "firebase_x", "x".repeat(41)])(
    "derive no name of an event from %j",
    (name) => expect(ruleOfKind("ga4-events").names?.toName(name)).toBeUndefined(),
  );
});

const CONVERSION: Conversion = {
  call_id: 7,
  key: "KEY",
  click_by: "gclid",
  occurred_at: "2026-09-15T18:30:59.000Z",
  order_id: "call-7-2",
  value: null,
};

function layOut(kind: keyof typeof KEYS, options: Partial<LayoutOptions> = {}) {
  const given = { name: "Call", every: false, new: false, timezone: "UTC", nowMs: NOW, ...options };
  const conversion = { ...CONVERSION, value: options.value ?? null };
  const { parameters, columns } = KINDS[kind].layOut(given);
  return [parameters, ...columns.map(({ name, of }) => `${name}=${of(conversion)}`)];
}

it.each(["gbraid", "wbraid"] as const)(
  "reasonAgainst names a %s, which google-ads cannot report",
  (click_by) => {
    expect(reasonOf("google-ads", { key: null, click_by })).toBe("gbraid or wbraid");
    expect(reasonOf("google-leads", { key: null, click_by })).toBe("no caller id");
  },
);

describe("layOut", () => {
  it.each([
    [{}, []],
    [{ new: false }, []],
    [{ new: true }, ["Order ID=call-7-2"]],
    [{ ad_user_data: "granted" }, ["Ad User Data=Granted", "Ad Personalization="]],
    [{ ad_personalization: "denied" }, ["Ad User Data=", "Ad Personalization=Denied"]],
    [
      { new: true, ad_user_data: "denied", ad_personalization: "granted" },
      ["Order ID=call-7-2", "Ad User Data=Denied", "Ad Personalization=Granted"],
    ],
  ] as const)("writes the columns for %j in Google's files", (options, more) => {
    const columns = (time: string) => [
      "Conversion Name=Call",
      `Conversion Time=${time}`,
      "Conversion Value=4.5",
      "Conversion Currency=EUR",
      ...more,
    ];
    const given = { ...options, value: "4.5", currency: "EUR", timezone: "Asia/Kathmandu" };
    const local = "2026-09-15 18:30:59";
    const zone = "Parameters:TimeZone=+0000";
    expect(layOut("google-ads", given)).toEqual([zone, "Google Click ID=KEY", ...columns(local)]);
    const hash = "5ca24005b740717ba4f3f6bc48a230700e68c2a4b11ecedb96f169f4efaf1f21";
    expect(layOut("google-leads", given)).toEqual([zone, `Phone Number=${hash}`, ...columns(local)]);
    const utc = columns("2026-09-15T18:30:59Z");
    const ids = ["Google Click ID=KEY", "GBRAID=", "WBRAID="];
    expect(layOut("google-data-manager", given)).toEqual([undefined, ...ids, ...utc]);
  });

  it.each([
    ["gbraid", ["", "KEY", ""]],
    ["wbraid", ["", "", "KEY"]],
  ] as const)("google-data-manager has a %s in its own column", (click_by, ids) => {
    const { columns } = KINDS["google-data-manager"].layOut({
      name: "Call",
      every: false,
      new: false,
      timezone: "UTC",
      nowMs: NOW,
    });
    expect(columns.slice(0, 3).map(({ of }) => of({ ...CONVERSION, click_by }))).toEqual(ids);
  });

  it("leaves unknown values blank", () => {
    const blank = ["Conversion Value=", "Conversion Currency="];
    expect(layOut("google-ads").slice(-2)).toEqual(blank);
    expect(layOut("microsoft-ads").slice(-2)).toEqual(blank);
    expect(layOut("ga4-events").filter((text) => text?.endsWith("="))).toEqual([
      "measurement_id=",
      "event_param.value=",
      "event_param.currency=",
    ]);
    const withoutOrder = KINDS["google-ads"].layOut({
      name: "Call",
      every: false,
      new: true,
      timezone: "UTC",
      nowMs: NOW,
    });
    expect(withoutOrder.columns.at(-1)?.of({ ...CONVERSION, order_id: null })).toBe("");
  });

  it.each([
    ["UTC", "2026-10-01T12:00:00.000Z", "+0000", "2026-09-15 18:30:59"],
    ["Europe/Berlin", "2026-10-01T12:00:00.000Z", "+0200", "2026-09-15 20:30:59"],
    ["Europe/Berlin", "2026-12-01T12:00:00.000Z", "+0100", "2026-09-15 19:30:59"],
    ["America/St_Johns", "2026-10-01T12:00:00.000Z", "-0230", "2026-09-15 16:00:59"],
    ["America/New_York", "2026-12-01T12:00:00.000Z", "-0500", "2026-09-15 13:30:59"],
    ["Asia/Kathmandu", "2026-10-01T12:00:00.000Z", "+0545", "2026-09-16 00:15:59"],
    ["Pacific/Kiritimati", "2026-10-01T12:00:00.000Z", "+1400", "2026-09-16 08:30:59"],
    // A zone with a change of two hours, and one of half an hour.
    ["Antarctica/Troll", "2026-10-01T12:00:00.000Z", "+0200", "2026-09-15 20:30:59"],
    ["Australia/Lord_Howe", "2026-10-01T12:00:00.000Z", "+1030", "2026-09-16 05:00:59"],
    ["Australia/Lord_Howe", "2026-12-01T12:00:00.000Z", "+1100", "2026-09-16 05:30:59"],
    // Seconds of historical offsets do not fit: they are rounded up to minutes.
    ["Africa/Monrovia", "1960-01-01T00:00:00.000Z", "-0044", "2026-09-15 17:46:59"],
  ])("writes all times of microsoft-ads with the offset of %s at %s", (timezone, now, offset, time) => {
    const [parameters, key, , told] = layOut("microsoft-ads", { timezone, nowMs: Date.parse(now) });
    expect([parameters, key, told]).toEqual([
      `Parameters:TimeZone=${offset}`,
      "Microsoft Click ID=KEY",
      `Conversion Time=${time}`,
    ]);
  });

  it("writes the call to ga4-events, with its second in microseconds", () => {
    const given = { value: "4.5", currency: "EUR", measurement_id: "G-1" };
    expect(layOut("ga4-events", given)).toEqual([
      undefined,
      "measurement_id=G-1",
      "client_id=KEY",
      "event_name=Call",
      "timestamp_micros=1789497059000000",
      "event_param.call_id=7",
      "event_param.value=4.5",
      "event_param.currency=EUR",
    ]);
  });
});
