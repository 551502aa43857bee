import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { CONVERSIONS, type ConversionKind } from "../../../src/config/request/conversion-kinds.ts";
import type { ConversionOptions } from "../../../src/config/request/resolve.ts";
import { judgeCall } from "../../../src/features/conversions/conversions.ts";
import { RollupSession } from "../../../src/sources/session.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { draws, least } from "../../support/draws.ts";
import { readConversions } from "../../support/figures/conversion-checker.ts";
import { clockAt, type ExportOptions, makeWarehouse } from "../../support/figures/produce-files.ts";
import { readLines } from "../../support/figures/tables.ts";
import { readText } from "../../support/temp-folder.ts";
import { arbitraryCalls, makeCall } from "../../support/warehouses/calls.ts";

const NOW = Date.parse("2026-10-01T12:00:00.000Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ageMs: number) => new Date(NOW - ageMs).toISOString();
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A call that is a conversion by its click and by its caller, both unique. */
const conversionCall = (call_id: number, members: Partial<Call> = {}): Call =>
  makeCall({
    call_id,
    caller_id: `+4930${1000 + call_id}`,
    call_started: ago(10 * DAY_MS),
    duration: 60,
    disposition: "ANSWERED",
    gclid: `CjABC_${call_id}-x`,
    ...members,
  });

type Warehouse = ReturnType<typeof makeWarehouse>;
interface Options extends Partial<ExportOptions> {
  kind?: ConversionKind;
  conversion?: Partial<ConversionOptions>;
}

/** Exports conversions; returns both files as text, and the manifest's entry of the first. */
async function exportConversions(
  warehouse: Warehouse,
  { kind = "google-ads", conversion = {}, ...options }: Options = {},
) {
  const { manifest, folder } = await warehouse.export({
    targets: [{ kind, conversion: { name: "Qualified call", every: false, ...conversion } }],
    clock: clockAt(NOW),
    ...options,
  });
  const [conversions, excluded, ...others] = manifest.files;
  expect(others).toEqual([]);
  return {
    text: readText(folder, `${kind}.csv`),
    rest: readText(folder, `${kind}.excluded.csv`),
    conversions,
    excluded,
  };
}

/** The first fields of the file's conversions, read as Google does: after the parameters and the header. */
const keysOf = (text: string): string[] =>
  text
    .split("\n")
    .slice(2, -1)
    .map((line) => line.split(",")[0] ?? "");

/** The calls left out, each with the reason. */
const reasonsOf = (rest: string): Record<string, string> =>
  Object.fromEntries(
    readLines(rest)
      .slice(1)
      .map(([id = "", , reason = ""]) => [id, reason]),
  );

describe("export google-ads", () => {
  it("writes exactly these bytes, and reports what was left out", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1, { gclid: " CjABC \t", call_started: "2026-09-15T18:30:00.999Z" }),
      conversionCall(2, { gclid: "EAIaIQ_-9", call_started: "2026-09-16T03:59:59.000Z", gclsrc: "aw.ds" }),
      conversionCall(3, { gclid: null, call_started: "2026-09-17T00:00:00.000Z" }),
    ]);
    const { text, rest, conversions, excluded } = await exportConversions(warehouse, {
      timezone: "America/New_York",
      conversion: { value: "149.50", currency: "USD" },
    });
    expect(text).toBe(
      `Parameters:TimeZone=+0000
Google Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency
CjABC,Qualified call,2026-09-15 18:30:00,149.50,USD
EAIaIQ_-9,Qualified call,2026-09-16 03:59:59,149.50,USD
`,
    );
    expect(rest).toBe("call_id,call_started,reason\r\n3,2026-09-17T00:00:00.000Z,no gclid\r\n");
    expect(conversions).toMatchObject({
      contents: "google-ads",
      file: "google-ads.csv",
      rows: 2,
      examined: 3,
      excluded: { "no gclid": 1 },
      sha256: sha256(text),
    });
    expect(conversions).not.toHaveProperty("only_new");
    expect(excluded).toMatchObject({
      contents: "google-ads.excluded",
      file: "google-ads.excluded.csv",
      rows: 1,
      sha256: sha256(rest),
    });
  });

  it("does not report a click again if its first qualified call was before these days", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1, { gclid: "CjABC", call_started: "2026-08-31T21:59:59.999Z" }),
      conversionCall(2, { gclid: "CjABC", call_started: "2026-08-31T22:00:00.000Z" }),
      conversionCall(3, { call_started: "2026-09-01T08:00:00.000Z" }),
    ]);
    const { text, rest, conversions } = await exportConversions(warehouse, {
      timezone: "Europe/Berlin",
      range: { from: "2026-09-01" },
    });
    expect(keysOf(text)).toEqual(["CjABC_3-x"]);
    expect(reasonsOf(rest)).toEqual({ 2: "duplicate" });
    expect(conversions).toMatchObject({ examined: 2 });
  });

  it("reports a click by its next call when the first one is gone or its caller excluded", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1, { gclid: "CjABC", call_started: ago(9 * DAY_MS) }),
      conversionCall(2, { gclid: "CjABC", call_started: ago(8 * DAY_MS) }),
      conversionCall(3, { gclid: "CjABC", call_started: ago(7 * DAY_MS) }),
    ]);
    warehouse.markGone(1, "2026-10-01T00:00:00.000Z");
    const { text, conversions } = await exportConversions(warehouse, {
      filter: { exclude_callers: ["+49301002"] },
    });
    expect(text.split("\n")[2]).toBe("CjABC,Qualified call,2026-09-24 12:00:00,,");
    expect(conversions).toMatchObject({ examined: 1, excluded: {} });
  });
});

const CLICK = "f894f652ea334e739002f7167ab8f8e3";

describe("export microsoft-ads", () => {
  const click = (call_id: number, members: Partial<Call> = {}) =>
    conversionCall(call_id, {
      gclid: null,
      referring_url: `https://acme.example/?a=1&msclkid=${CLICK.slice(0, -1)}${call_id}&b#top`,
      ...members,
    });

  it("writes exactly these bytes: all times with the current offset, even across a clock change", async () => {
    using warehouse = makeWarehouse([
      click(1, { call_started: "2026-10-20T12:00:00.999Z" }), // summer time
      click(2, { call_started: "2026-10-30T12:00:00.000Z" }),
      click(3, { referring_url: null, extra: JSON.stringify({ dni_data: [{ msclkid: ` ${CLICK}` }] }) }),
    ]);
    const { text, rest, conversions } = await exportConversions(warehouse, {
      kind: "microsoft-ads",
      timezone: "Europe/Berlin",
      conversion: { value: "40", currency: "EUR", new: true },
      clock: clockAt(Date.parse("2026-11-01T12:00:00.000Z")),
    });
    expect(conversions).toMatchObject({ contents: "microsoft-ads", only_new: true });
    expect(text).toBe(
      `Parameters:TimeZone=+0100
Microsoft Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency
${CLICK},Qualified call,2026-09-21 13:00:00,40,EUR
${CLICK.slice(0, -1)}1,Qualified call,2026-10-20 13:00:00,40,EUR
${CLICK.slice(0, -1)}2,Qualified call,2026-10-30 13:00:00,40,EUR
`,
    );
    expect(reasonsOf(rest)).toEqual({});
  });
});

describe("judgeCall", () => {
  it("judges a single call like the files, among all calls of its click", () => {
    const click = (call_id: number, days: number, members: Partial<Call> = {}) =>
      conversionCall(call_id, { gclid: "CjABC", call_started: ago(days * DAY_MS), ...members });
    using made = makeWarehouse([
      click(1, 7),
      click(2, 8),
      click(3, 9, { duration: 5 }),
      click(4, 100, { gclid: "CjX" }),
      click(5, 3, { gclid: "CjX", google_analytics_cid: "1.2" }),
    ]);
    using warehouse = openExistingWarehouse(made.database);
    using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
    const judge = (kind: ConversionKind) => [1, 2, 3, 4, 5, 6].map((id) => judgeCall(session, id, kind, NOW));
    expect(judge("google-ads")).toEqual([
      "duplicate",
      undefined,
      "not qualified",
      "too old",
      "duplicate",
      undefined,
    ]);
    const none = "no client id";
    expect(judge("ga4-events")).toEqual([none, none, none, none, undefined, undefined]);
  });
});

/** The documented rules for conversions of one kind, in memory: the lines, and the calls left out, in the order of time. */
function foldConversions(kind: ConversionKind, calls: readonly Call[], every: boolean) {
  const known = calls
    .map((call) => {
      const { caller, gclid, gclsrc, call_started, is_qualified } = attributeCall(call, DEFAULT_RULES);
      const [, gbraid = null] = /"gbraid":"(\w+)"/.exec(call.extra ?? "") ?? [];
      const [, msclkid = null] = /msclkid=(\w+)/.exec(call.referring_url ?? "") ?? [];
      const isGoogle = (gclid !== null && gclsrc !== "3p.ds") || gbraid !== null;
      const key = {
        "google-ads": gclid,
        "google-data-manager":
          gclsrc === "3p.ds" ? (gbraid ?? (msclkid === null ? gclid : null)) : (gclid ?? gbraid),
        // Without `+` before it, the country is not known.
        "google-leads": call.caller_id?.startsWith("+") === false ? (caller?.slice(1) ?? null) : caller,
        "microsoft-ads": isGoogle ? null : msclkid,
        "ga4-events": call.google_analytics_cid,
      }[kind];
      const by = gclid === null && gbraid !== null ? "gbraid or wbraid" : undefined;
      return { call_id: call.call_id, key, by, gclsrc: gclsrc ?? "", call_started, is_qualified };
    })
    .toSorted(
      (a, b) =>
        Number(a.call_started === null) - Number(b.call_started === null) ||
        (a.call_started ?? "").localeCompare(b.call_started ?? "") ||
        a.call_id - b.call_id,
    );
  const { pattern, missing, fromMs, toMs } = LIMITS[kind];
  const isGoogle = kind === "google-ads" || kind === "google-data-manager";
  const seen = new Set<string>();
  const told: number[] = [];
  const lines: [key: string, time: string][] = [];
  const left: [id: string, started: string, reason: string][] = [];
  for (const { call_id, key, by, gclsrc, call_started, is_qualified } of known) {
    const isAds = !isGoogle || ["", "aw", "aw.ds"].includes(gclsrc);
    const second = call_started?.slice(0, 19) ?? "";
    const same = JSON.stringify([key, every ? second : ""]);
    // The first of a click counts, whether or not it can be reported.
    const isFirst = !seen.has(same);
    if (key !== null && isAds && call_started !== null && is_qualified) seen.add(same);
    const ageMs = NOW - Date.parse(call_started ?? "");
    const reason = [
      key === null && ((kind === "google-ads" && by) || missing),
      !isAds && "not Google Ads",
      !pattern.test(key ?? "") && "malformed",
      call_started === null && "no time",
      ageMs > toMs && "too old",
      ageMs < fromMs && "too recent",
      !is_qualified && "not qualified",
      !isFirst && "duplicate",
    ].find((each) => each !== false);
    if (reason !== undefined) left.push([String(call_id), call_started ?? "", reason]);
    else {
      const time = { "google-data-manager": `${second}Z`, "ga4-events": `${Date.parse(`${second}Z`)}000` };
      told.push(call_id);
      lines.push([
        kind === "google-leads" ? sha256(key ?? "") : (key ?? ""),
        time[kind as keyof typeof time] ?? second.replace("T", " "),
      ]);
    }
  }
  return { told, lines, left };
}

const LIMITS: Record<ConversionKind, { pattern: RegExp; missing: string; fromMs: number; toMs: number }> = {
  "google-ads": { pattern: /^[\w-]+$/, missing: "no gclid", fromMs: 6 * HOUR_MS, toMs: 90 * DAY_MS },
  "google-data-manager": { pattern: /^[\w-]+$/, missing: "no gclid", fromMs: 6 * HOUR_MS, toMs: 90 * DAY_MS },
  "google-leads": { pattern: /^\+[1-9]\d{6,14}$/, missing: "no caller id", fromMs: 0, toMs: 63 * DAY_MS },
  "microsoft-ads": {
    pattern: /^[0-9a-fA-F]{32}$/,
    missing: "no msclkid",
    fromMs: HOUR_MS,
    toMs: 90 * DAY_MS,
  },
  "ga4-events": { pattern: /^\d{1,20}\.\d{1,20}$/, missing: "no client id", fromMs: 0, toMs: 72 * HOUR_MS },
};

/** Ages at both sides of each limit, two in one second, and some between the limits. */
const agesOf = ({ fromMs, toMs }: (typeof LIMITS)[ConversionKind]) => [
  ...[0, fromMs, toMs].flatMap((limitMs) => [-1, 0, 1].map((ms) => limitMs + ms)),
  ...[-400, -500, -600].map((ms) => Math.round(toMs / 9) + ms),
  ...[2, 3, 3, 4, 4].map((ninths) => Math.round((toMs * ninths) / 9)),
];

describe("file of conversions", () => {
  it.each(CONVERSIONS)(
    "%s: each call is a row or left out with a reason, as in a model, and the platform accepts each line",
    async (kind) => {
      const rarely = (id: fc.Arbitrary<string>) =>
        kind === "microsoft-ads"
          ? fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: id })
          : fc.option(id, { freq: 5 });
      const members = fc.record({
        // Calls of one click or caller in any order, most of them conversions.
        call_started: fc.option(fc.constantFrom(...agesOf(LIMITS[kind])).map(ago), { freq: 12 }),
        duration: fc.constantFrom(59, 60, 60, 61),
        disposition: fc.constantFrom("ANSWERED", "Transferred", "BUSY"),
        // A Google click is not a Microsoft click.
        gclid: rarely(fc.constantFrom("CjA", "Cja", "Cj_B-", "Cj C")),
        gclsrc: fc.constantFrom(null, null, "", "aw.ds", "AW", "3p.ds"),
        caller_id: fc.option(
          fc.constantFrom("+49 30-12341", "004930 12341", "+493012342", "493012342", "+49301"),
          {
            freq: 5,
          },
        ),
        referring_url: fc.option(
          fc.nat(3).map((click) => `https://acme.example/?msclkid=${CLICK.slice(0, -1)}${click || "x"}`),
          { freq: 5 },
        ),
        extra: rarely(fc.constantFrom('{"gbraid":"0A"}', '{"dni_data":{"gbraid":"0B"}}')),
        google_analytics_cid: fc.option(fc.constantFrom("7.1", "7.2", "7.3", "7"), { freq: 5 }),
      });
      const order = fc.constantFrom("against", "with", "without" as const);
      const drawn = fc.tuple(arbitraryCalls(60), order).chain(([calls, order]) =>
        fc.array(members, { minLength: calls.length, maxLength: calls.length }).map((drawn) => {
          const all = calls.map((call, index) => ({ ...call, ...drawn[index] }));
          if (order === "without") return all;
          const ids = all
            .map(({ call_id }) => call_id)
            .toSorted((a, b) => (order === "with" ? a - b : b - a));
          return all
            .toSorted((a, b) => (a.call_started ?? "~").localeCompare(b.call_started ?? "~"))
            .map((call, index) => ({ ...call, call_id: ids[index] ?? 0 }));
        }),
      );
      const seen: Record<string, number> = {};
      const see = (name: string, times: number) => {
        seen[name] = (seen[name] ?? 0) + times;
      };
      const toUtcMs = (time: string) => Date.parse(time.endsWith("Z") ? time : `${time.replace(" ", "T")}Z`);
      await fc.assert(
        fc.asyncProperty(drawn, fc.boolean(), fc.boolean(), async (calls, every, isNew) => {
          using warehouse = makeWarehouse(calls);
          const { text, rest, conversions, excluded } = await exportConversions(warehouse, {
            kind,
            conversion: { every, new: isNew, measurement_id: "G-1A2B3C4D5E" },
          });
          const rows = readConversions(kind, text, { nowMs: NOW, toUtcMs });
          const lines = rows.map((row) => [
            row.client_id ?? (Object.values(row)[0] || row.GBRAID),
            row.timestamp_micros ?? row["Conversion Time"],
          ]);
          const expected = foldConversions(kind, calls, every);
          expect(lines).toEqual(expected.lines);
          expect(readLines(rest).slice(1)).toEqual(expected.left);
          const reasons = Map.groupBy(expected.left, ([, , reason]) => reason);
          expect(conversions).toMatchObject({
            rows: lines.length,
            examined: calls.length,
            excluded: Object.fromEntries([...reasons].map(([reason, { length }]) => [reason, length])),
          });
          expect(excluded).toMatchObject({ rows: expected.left.length });
          see("rows", lines.length);
          for (const [reason, { length }] of reasons) see(reason, length);
          for (const [id] of reasons.get("duplicate") ?? []) {
            see("a later call has a lower id", Number(expected.told.some((told) => Number(id) < told)));
          }
          see("several at one moment", calls.length - new Set(calls.map((call) => call.call_started)).size);
        }),
        { numRuns: draws(30) },
      );
      const often = {
        rows: 30,
        duplicate: 20,
        "a later call has a lower id": 10,
        "several at one moment": 100,
      };
      expect(
        Object.entries(often).filter(([name, times]) => (seen[name] ?? 0) < least(times)),
        JSON.stringify(seen),
      ).toEqual([]);
      const others = ["no time", "too recent", "too old", "not qualified", "malformed", LIMITS[kind].missing];
      expect(
        others.filter((reason) => (seen[reason] ?? 0) < least(5)),
        JSON.stringify(seen),
      ).toEqual([]);
    },
  );
});
