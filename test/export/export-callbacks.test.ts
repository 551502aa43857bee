import { statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toInstants } from "../../src/base/calendar/dates.ts";
import { attributeCall } from "../../src/calls/attribution/attribute-call.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { draws } from "../support/draws.ts";
import { makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const CALLBACKS: Target = { kind: "callbacks" };
type Options = Partial<Parameters<ReturnType<typeof makeWarehouse>["export"]>[0]>;

async function exportCallbacks(calls: readonly Call[], options: Options = {}) {
  using warehouse = makeWarehouse(calls);
  const made = await warehouse.export({ targets: [CALLBACKS], format: { format: "json" }, ...options });
  const rows: Record<string, string | number | null>[] = JSON.parse(readText(made.folder, "callbacks.json"));
  return {
    rows,
    file: made.manifest.files[0],
    mode: statSync(join(made.folder, "callbacks.json")).mode & 0o777,
  };
}

const compareTexts = (a: string | null, b: string | null) => (String(a) < String(b) ? -1 : a === b ? 0 : 1);

/** The rules of docs/figures.md for callbacks, in memory. */
function foldCallbacks(
  calls: readonly Call[],
  { startsAt = "", endsAt = "~" }: { startsAt?: string; endsAt?: string } = {},
) {
  const known = calls
    .map((call) => ({ call_id: call.call_id, ...attributeCall(call, DEFAULT_RULES) }))
    .filter(({ caller, call_started }) => caller !== null && call_started !== null)
    .toSorted((a, b) => compareTexts(a.call_started, b.call_started) || a.call_id - b.call_id);
  return [...Map.groupBy(known, ({ caller }) => caller).values()]
    .flatMap((own) => {
      const answered = own.findLastIndex(({ outcome }) => outcome === "answered");
      const last = own.findLast(({ outcome }) => outcome === "missed" || outcome === "answered");
      const missed = own.slice(answered + 1).filter(({ outcome }) => outcome === "missed");
      const at = String(last?.call_started);
      if (last?.outcome !== "missed" || at < startsAt || at >= endsAt) return [];
      const { call_id, source, campaign } = last;
      return {
        call_id,
        last_missed_at: at,
        missed_calls: missed.length,
        first_missed_at: missed[0]?.call_started ?? null,
        source,
        campaign,
      };
    })
    .toSorted((a, b) =>
      a.last_missed_at === b.last_missed_at
        ? b.call_id - a.call_id
        : a.last_missed_at < b.last_missed_at
          ? 1
          : -1,
    );
}

describe("export callbacks", () => {
  it("lists each caller whose last call was missed and who was not answered since, for any calls and days", async () => {
    const call = fc.record({
      caller_id: fc.constantFrom("+491", "+492", "+493", "anonymous", null),
      call_started: fc.constantFrom(
        null,
        ...["01", "02", "03", "04", "05"].map((day) => `2026-03-${day}T10:00:00.000Z`),
      ),
      disposition: fc.constantFrom("busy", "answered", "other"),
      utm_source: fc.constantFrom("google", "bing"),
    });
    const range = fc.constantFrom(undefined, { from: "2026-03-02", to: "2026-03-04" });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20, size: "max" }), range, async (drawn, range) => {
        const calls = drawn.map((members, index) => makeCall({ call_id: index + 1, ...members }));
        const { rows, file } = await exportCallbacks(calls, range && { range });
        const expected = foldCallbacks(calls, range && toInstants(range, "UTC"));
        expect(
          rows.map(({ call_id, last_missed_at, missed_calls, first_missed_at, source, campaign }) => ({
            call_id,
            last_missed_at,
            missed_calls,
            first_missed_at,
            source,
            campaign,
          })),
        ).toEqual(expected);
        expect(file).toMatchObject({ contents: "callbacks", rows: expected.length });
        found += rows.length;
      }),
      { numRuns: draws(60) },
    );
    expect(found).toBeGreaterThan(draws(20));
  });

  it("says whether the last missed call was in opening hours, and nothing without hours", async () => {
    const missed = { caller_id: "+491", disposition: "busy" };
    const calls = [
      makeCall({ call_id: 1, ...missed, call_started: "2026-03-02T10:00:00.000Z" }),
      makeCall({ call_id: 2, ...missed, call_started: "2026-03-02T18:00:00.000Z" }),
      makeCall({ call_id: 3, ...missed, caller_id: "+492", call_started: "2026-03-02T17:59:00.000Z" }),
    ];
    const hours = { week: "Mon 08:00-18:00", closed: [], timezone: "UTC" };
    const read = async (rules: AttributionRules) =>
      (await exportCallbacks(calls, { rules })).rows.map(({ call_id, in_hours }) => [call_id, in_hours]);
    expect(await read({ ...DEFAULT_RULES, hours })).toEqual([
      [2, "no"],
      [3, "yes"],
    ]);
    expect(await read(DEFAULT_RULES)).toEqual([
      [2, null],
      [3, null],
    ]);
  });

  it("writes the number and the recording only on request, in a file readable only by its owner", async () => {
    const calls = [
      makeCall({
        call_id: 1,
        caller_id: "+49 30 1234567",
        call_started: "2026-03-01T10:00:00.000Z",
        disposition: "busy",
        recording_url: "https://r.example/1",
      }),
    ];
    const plain = await exportCallbacks(calls);
    expect(JSON.stringify(plain.rows)).not.toMatch(/1234567|r\.example/);
    const { rows, mode } = await exportCallbacks(calls, {
      targets: [{ kind: "callbacks", with: ["caller_id", "recording_url"] }],
    });
    expect(rows).toMatchObject([{ caller_id: "+49 30 1234567", recording_url: "https://r.example/1" }]);
    expect(mode).toBe(0o600);
  });

  it("ignores gone calls: a caller whose answered call is gone is listed", async () => {
    const at = (day: number) => `2026-03-0${day}T10:00:00.000Z`;
    const calls = [
      makeCall({ call_id: 1, caller_id: "+491", call_started: at(1), disposition: "busy" }),
      makeCall({ call_id: 2, caller_id: "+491", call_started: at(2), disposition: "answered" }),
    ];
    expect((await exportCallbacks(calls)).rows).toEqual([]);
    using warehouse = makeWarehouse(calls);
    warehouse.execute(
      "UPDATE calls SET gone_at = '2026-03-09T00:00:00.000Z' WHERE call_id = 2; UPDATE call_facts SET is_live = 0 WHERE call_id = 2",
    );
    const { folder } = await warehouse.export({ targets: [CALLBACKS], format: { format: "json" } });
    expect(JSON.parse(readText(folder, "callbacks.json"))).toMatchObject([{ call_id: 1, missed_calls: 1 }]);
  });
});
