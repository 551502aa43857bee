import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeCall } from "../../src/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { toCaller } from "../../src/attribution/call-text.ts";
import { toInstants } from "../../src/calendar/dates.ts";
import type { Call } from "../../src/call/columns.ts";
import { arbitraryCalls, makeCall } from "../support/calls.ts";
import { draws, least } from "../support/draws.ts";
import { makeWarehouse, type Target } from "../support/produce-files.ts";
import { readText } from "../support/temp-folder.ts";

const CALLERS: Target = { kind: "callers" };
const KEY_BYTES = Buffer.alloc(32);
const hmac = (digits: string) => createHmac("sha256", KEY_BYTES).update(digits).digest("hex");

type Warehouse = ReturnType<typeof makeWarehouse>;
type Options = Partial<Parameters<Warehouse["export"]>[0]>;

/** Exports the callers as JSON with the pseudonyms of a known key; returns the rows and their entry in the manifest. */
async function exportCallers(warehouse: Warehouse, options: Options = {}) {
  writeFileSync(`${warehouse.database}.caller-key`, KEY_BYTES.toString("hex"));
  const { folder, manifest } = await warehouse.export({
    targets: [CALLERS],
    format: { format: "json", ...options.format },
    ...options,
  });
  const rows: Record<string, string | number | null>[] = JSON.parse(readText(folder, "callers.json"));
  return { rows, file: manifest.files[0] };
}

/** In the order of time, those of unknown time after the others, then of ids. */
function compareCalls(a: Call, b: Call): number {
  const [startA, startB] = [a.call_started ?? "~", b.call_started ?? "~"];
  return startA === startB ? a.call_id - b.call_id : startA < startB ? -1 : 1;
}

/** The rules of docs/figures.md for callers, in memory. */
function foldCallers(calls: readonly Call[]) {
  const known = calls.toSorted(compareCalls).map((call) => ({ call, ...attributeCall(call, DEFAULT_RULES) }));
  const groups = Map.groupBy(known, ({ caller }) => caller);
  const withoutCaller = groups.get(null)?.length ?? 0;
  groups.delete(null);
  const rows = [...groups].map(([caller, all]) => {
    const timed = all.filter(({ call_started }) => call_started !== null);
    const [first, last] = [timed[0] ?? all[0], timed.at(-1) ?? all.at(-1)];
    const missed = timed.find(({ outcome }) => outcome === "missed")?.call_started ?? null;
    const answered = timed.find(
      ({ outcome, call_started }) =>
        outcome === "answered" && missed !== null && String(call_started) > missed,
    )?.call_started;
    return {
      caller_hash: hmac(String(caller)),
      first_call_at: first?.call_started,
      last_call_at: last?.call_started,
      first_source: first?.source,
      last_source: last?.source,
      first_channel: first?.channel,
      last_channel: last?.channel,
      first_campaign: first?.campaign,
      last_campaign: last?.campaign,
      calls: all.length,
      answered_calls: all.filter(({ outcome }) => outcome === "answered").length,
      missed_calls: all.filter(({ outcome }) => outcome === "missed").length,
      recovered: missed === null ? null : Number(answered != null),
      recovered_after_seconds:
        answered == null || missed === null
          ? null
          : Math.floor((Date.parse(answered) - Date.parse(missed)) / 1000),
    };
  });
  return { rows, withoutCaller };
}

describe("export callers", () => {
  it("agrees with a fold in memory, and with calls left out has as many calls as the rollups", async () => {
    const seen = { byTime: 0, rows: 0, recovered: 0, lost: 0, never: 0, withoutCaller: 0, tied: 0 };
    const range = fc.option(fc.constant({ from: "2026-01-01", to: "2026-03-29" }), { nil: undefined });
    const more = fc.array(
      fc.record({
        caller_id: fc.constantFrom("+491", "+492", "+493"),
        call_started: fc.constantFrom(null, "2026-03-28T23:00:00.000Z", "2026-03-29T01:30:00.500Z"),
        disposition: fc.constantFrom("busy", "answered", "other"),
      }),
      { minLength: 10, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(arbitraryCalls(40), more, range, async (some, more, range) => {
        const calls = [
          ...some,
          ...more.map((members, index) => makeCall({ call_id: 1000 + index, ...members })),
        ];
        using warehouse = makeWarehouse(calls);
        const options = { range, timezone: "Europe/Berlin" };
        const { rows, file } = await exportCallers(warehouse, options);
        const { startsAt = "", endsAt = "~" } = toInstants(range ?? {}, "Europe/Berlin");
        const isIn = ({ call_started }: Call) =>
          range === undefined || (call_started !== null && call_started >= startsAt && call_started < endsAt);
        const expected = foldCallers(calls.filter(isIn));
        expect(rows).toEqual(expected.rows);
        expect(JSON.stringify(rows)).not.toContain("+49");
        expect(file).toMatchObject({
          ...{ contents: "callers", rows: expected.rows.length },
          ...{
            caller_key: expect.stringMatching(/^[0-9a-f]{16}$/),
            excluded: { "no caller": expected.withoutCaller },
          },
        });
        const { manifest } = await warehouse.export({
          targets: [{ kind: "rollup", dimensions: ["weekday"] }],
          ...options,
        });
        expect((file?.sums?.calls ?? 0) + expected.withoutCaller).toBe(manifest.files[0]?.sums?.calls);
        // Callers with a later call that has a lower id than their first one.
        const groups = Map.groupBy(calls.filter(isIn).toSorted(compareCalls), (call) =>
          toCaller(call.caller_id),
        );
        groups.delete(null);
        seen.byTime += [...groups.values()].filter(([first, ...later]) =>
          later.some(
            ({ call_id, call_started }) => call_id < Number(first?.call_id) && call_started !== null,
          ),
        ).length;
        seen.rows += rows.length;
        seen.recovered += rows.filter(({ recovered }) => recovered === 1).length;
        seen.lost += rows.filter(({ recovered }) => recovered === 0).length;
        seen.never += rows.filter(({ recovered }) => recovered === null).length;
        seen.withoutCaller += expected.withoutCaller;
        const starts = rows.map(({ first_call_at }) => first_call_at);
        seen.tied += starts.length - new Set(starts).size;
      }),
      { numRuns: draws(30) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThanOrEqual(least(10));
  });
});
