import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime, offsetSpanAt } from "../../../src/base/calendar/local-time.ts";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { presentText, trimText } from "../../../src/calls/attribution/call-text.ts";
import { CALL_COLUMNS, DNI_FIELDS, TRANSCRIPT_COLUMNS } from "../../../src/calls/columns.ts";
import { viewsOf } from "../../../src/warehouse/calls/views.ts";
import {
  localTimeOf,
  readViewZone,
  refreshZone,
  ZONE_VIEW,
  zoneViewText,
} from "../../../src/warehouse/calls/zone-view.ts";
import { arbitraryCalls, FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { markGone, newWarehouse, storeCalls } from "../../support/warehouses/warehouse.ts";

/** The members of calls in API v3 § 2.3, those of `dni_data` in its place; durations are shown in seconds. */
const API_MEMBERS: readonly string[] = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS].filter(
  (member) => member !== "extra" && member !== "duration",
);

const FACTS = [
  "source",
  "medium",
  "campaign",
  "campaign_as_tagged",
  "channel",
  "utm_source_folded",
  "utm_medium_folded",
  "utm_campaign_folded",
  "utm_content_folded",
  "utm_term_folded",
  "referring_host",
  "outcome",
  "topic",
  "duration_seconds",
  "qualified",
  "in_hours",
  "first_time_caller",
  "caller",
  "call_started_local",
  "local_day",
  "local_weekday",
  "local_hour",
];

describe("attributed_calls", () => {
  it("shows each live call under the API's names, with its transcript if it has one", () => {
    using warehouse = newWarehouse();
    const bare = makeCall({ call_id: 1 });
    const gone = { ...FULL_CALL, call_id: 2 };
    const missing = { ...FULL_CALL, call_id: 3, summary: null };
    storeCalls(warehouse, [FULL_CALL, bare, gone, missing]);
    markGone(warehouse, [2]);
    warehouse.sqlite.exec("UPDATE calls SET missing_since = '2026-10-01T00:00:00.000Z' WHERE call_id = 3");

    const view = warehouse.sqlite.prepare("SELECT * FROM attributed_calls ORDER BY call_id");

    const names = view.columns().map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      [...API_MEMBERS, ...FACTS, "job_stage", "revenue", "changed_at"].toSorted(),
    );
    const expected = [bare, missing, FULL_CALL].map(({ extra: _, duration: __, ...members }) => members);
    const rows = view.all().map((row) => Object.entries(Object(row)));
    const pick = (entries: [string, unknown][], names: readonly string[]) =>
      Object.fromEntries(entries.filter(([name]) => names.includes(name)));
    expect(rows.map((row) => pick(row, API_MEMBERS))).toEqual(expected);
    expect(rows.map((row) => pick(row, FACTS))).toEqual(
      [bare, missing, FULL_CALL].map((call) => ({
        ...pick(Object.entries(attributeCall(call, DEFAULT_RULES)), FACTS),
        campaign_as_tagged: attributeCall(call, DEFAULT_RULES).campaign,
        duration_seconds: call.duration,
        ...localOf(call.call_started),
        qualified: call === bare ? 0 : 1,
        first_time_caller: call === missing ? 1 : 0,
      })),
    );
  });

  /** A macro does not make a URL useless. */
  const isMissing = (name: string, text: string | null) =>
    name === "referring_url" && /^\s*https?:/.test(text ?? "") ? false : presentText(text) === null;

  it("shows the value of each member, or NULL if the call has none", () => {
    fc.assert(
      fc.property(arbitraryCalls(60), (calls) => {
        using warehouse = newWarehouse(calls);
        const rows = new Map(
          warehouse.sqlite
            .prepare<[], Record<string, unknown>>("SELECT * FROM attributed_calls")
            .all()
            .map((row) => [row.call_id, row]),
        );
        expect(rows.size).toBe(calls.length);
        for (const call of calls) {
          const row = rows.get(call.call_id) ?? {};
          expect(Object.values(row)).not.toContain("");
          const texts = [
            ...DNI_FIELDS,
            "caller_id",
            "insight_name",
            "org_unit_name",
            "tracking_number",
          ] as const;
          for (const name of texts.filter((name) => name !== "gclid"))
            expect([name, row[name] === null]).toEqual([name, isMissing(name, call[name])]);
          expect(row.gclid).toBe(attributeCall(call, DEFAULT_RULES).gclid);
          expect(row.summary).toBe(trimText(call.summary) && call.summary);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("attributed_callers", () => {
  it("sums the counted calls of each caller, and names the source of the first one", () => {
    const start = (day: number) => `2026-10-0${day}T08:00:00.000Z`;
    const answered = { disposition: "ANSWERED", duration: 90, caller_id: "+4930111" };
    using warehouse = newWarehouse([
      makeCall({ call_id: 1, ...answered, call_started: start(2), utm_source: "bing", utm_medium: "cpc" }),
      makeCall({ call_id: 2, caller_id: "+49 30 111", disposition: "BUSY", call_started: start(3) }),
      makeCall({ call_id: 3, ...answered, call_started: start(1), utm_source: "later-gone" }),
      makeCall({ call_id: 4, caller_id: null, call_started: start(1) }),
    ]);
    markGone(warehouse, [3]);
    expect(warehouse.sqlite.prepare("SELECT * FROM attributed_callers").all()).toEqual([
      {
        caller: "+4930111",
        calls: 2,
        answered_calls: 1,
        missed_calls: 1,
        qualified_calls: 1,
        first_call_at: start(2),
        last_call_at: start(3),
        first_source: "bing",
        first_medium: "cpc",
        first_campaign: null,
        first_campaign_as_tagged: null,
        first_channel: "Paid Search",
      },
    ]);
  });

  it.each(["seconds", "milliseconds"] as const)(
    "shows seconds if the service has durations in %s",
    (duration_unit) => {
      const { sql } = viewsOf({ duration_unit }).find(({ name }) => name === "attributed_calls") ?? {
        sql: "",
      };
      using warehouse = newWarehouse([makeCall({ call_id: 1, duration: 1500 })]);
      const row = warehouse.sqlite.prepare(`SELECT duration_seconds FROM (${sql})`).pluck().get();
      expect(row).toBe(duration_unit === "seconds" ? 1500 : 1.5);
    },
  );
});

/** For a time whose clocks showed UTC. */
function localOf(clock: string | null) {
  if (clock === null)
    return { call_started_local: null, local_day: null, local_weekday: null, local_hour: null };
  const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });
  return {
    call_started_local: clock.slice(0, 19).replace("T", " "),
    local_day: clock.slice(0, 10),
    local_weekday: weekday.format(Date.parse(clock)),
    local_hour: Number(clock.slice(11, 13)),
  };
}

describe("local time of a start", () => {
  it("readViewZone knows the zone of an unchanged view alone", () => {
    using warehouse = newWarehouse();
    refreshZone(warehouse, "America/Chicago");
    expect(readViewZone(warehouse)).toBe("America/Chicago");
    // With the offsets of another zone, as of an older version or by hand.
    const text = zoneViewText("Asia/Kathmandu").replace("Asia/Kathmandu", "America/Chicago");
    warehouse.sqlite.exec(`DROP VIEW ${ZONE_VIEW}; CREATE VIEW ${ZONE_VIEW} AS ${text}`);
    expect(readViewZone(warehouse)).toBeUndefined();
  });

  it.each(["America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"])(
    "follows the clocks of %s",
    (zone) => {
      using warehouse = newWarehouse();
      refreshZone(warehouse, zone);
      const members = Object.entries(localTimeOf("at")).map(([name, sql]) => `${sql} AS ${name}`);
      const view = warehouse.sqlite.prepare(`SELECT ${members.join(", ")} FROM (SELECT ? AS at)`);
      const toLocal = localTime(zone);
      fc.assert(
        fc.property(
          fc.date({ min: new Date("2000-01-01"), max: new Date("2049-12-31"), noInvalidDate: true }),
          (date) => {
            const at = date.toISOString();
            expect(view.get(at)).toEqual(localOf(`${toLocal(at).local.replace(" ", "T")}Z`));
          },
        ),
      );
    },
  );

  it.each(["America/St_Johns", "Australia/Lord_Howe"])(
    "changes the clock of %s in the millisecond of the change, not after it",
    (zone) => {
      using warehouse = newWarehouse();
      refreshZone(warehouse, zone);
      const view = warehouse.sqlite
        .prepare(`SELECT ${localTimeOf("at").call_started_local} FROM (SELECT ? AS at)`)
        .pluck();
      const { endsAt: change = "" } = offsetSpanAt("2026-07-01T00:00:00.000Z", zone);
      const before = new Date(Date.parse(change) - 1).toISOString();
      const toLocal = localTime(zone);
      for (const at of [before, change]) expect([at, view.get(at)]).toEqual([at, toLocal(at).local]);
      expect(toLocal(before).offset).not.toBe(toLocal(change).offset);
    },
  );
});
