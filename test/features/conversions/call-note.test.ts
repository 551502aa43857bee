import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { explainCall } from "../../../src/operate/explain/explain-call.ts";
import { draws } from "../../support/draws.ts";
import { clockAt, makeWarehouse } from "../../support/figures/produce-files.ts";
import { arbitraryCalls, makeCall } from "../../support/warehouses/calls.ts";

const NOW = Date.parse("2026-04-01T00:00:00.000Z");
const clock = clockAt(NOW);

async function explain(database: string, callId: number) {
  const explained = await explainCall({ database, callId, rules: DEFAULT_RULES, timezone: "UTC", clock });
  if (explained === undefined) throw new Error(`There is no call ${callId}`);
  const minuteOf = (time: string) => time.slice(0, 16);
  return {
    data: explained.data,
    lines: explained.notes.flatMap((note) => note.toLines({ minuteOf, folder: "/" })),
  };
}

const CALL = makeCall({
  call_id: 7,
  caller_id: "+491",
  call_started: "2026-03-29T01:30:00.000Z",
  duration: 61,
  disposition: "ANSWERED",
  gclid: "CjABC",
});

it("an explanation names the reason against each kind of conversion, and the files with the call", async () => {
  using warehouse = makeWarehouse([CALL]);
  const conversions = {
    "google-ads": null,
    "google-leads": "malformed",
    "google-data-manager": null,
    "microsoft-ads": "no msclkid",
    "ga4-events": "no client id",
  };
  const before = await explain(warehouse.database, 7);
  expect(before.data).toMatchObject({ conversions, uploads: [] });
  const reasons = [
    { name: "google-ads", text: "suitable for upload" },
    { name: "google-leads", text: "left out: malformed" },
    { name: "google-data-manager", text: "suitable for upload" },
    { name: "microsoft-ads", text: "left out: no msclkid" },
    { name: "ga4-events", text: "left out: no client id" },
  ];
  expect(before.lines).toEqual(reasons);

  const conversion = { name: "Qualified call", every: false, value: "25", currency: "EUR" };
  const { folder } = await warehouse.export({ targets: [{ kind: "google-ads", conversion }], clock });
  const after = await explain(warehouse.database, 7);
  expect(after.data).toMatchObject({ conversions, uploads: [{ action: "convert", value: "25" }] });
  const path = join(folder, "google-ads.csv").slice(1);
  expect(after.lines).toEqual([
    ...reasons,
    {
      name: "uploads",
      text: `2026-04-01T00:00 ${path}: Qualified call 25 EUR`,
      isWhole: true,
    },
  ]);
});

it("an explanation agrees with the exported conversions of any call", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCalls(12), async (calls) => {
      using warehouse = makeWarehouse(calls);
      const conversion = { name: "Call", every: false };
      const { folder } = await warehouse.export({ targets: [{ kind: "google-ads", conversion }], clock });
      const rows: Record<string, string>[] = parse(readFileSync(join(folder, "google-ads.excluded.csv")), {
        columns: true,
        record_delimiter: "\r\n",
      });
      const excluded = new Map(rows.map((row) => [Number(row.call_id), row.reason]));
      for (const { call_id } of calls) {
        const { data } = await explain(warehouse.database, call_id);
        expect(data).toMatchObject({ conversions: { "google-ads": excluded.get(call_id) ?? null } });
      }
    }),
    { numRuns: draws(20) },
  );
});
