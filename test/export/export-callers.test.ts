import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const KEY_BYTES = Buffer.alloc(32);
const hmac = (digits: string) => createHmac("sha256", KEY_BYTES).update(digits).digest("hex");

const callOf = (
  caller_id: string | null,
  time: string,
  disposition: string,
  utm_source: string | null = null,
) => makeCall({ caller_id, call_started: `2026-03-${time}Z`, disposition, utm_source });

/** In and around 1 and 2 March in Berlin. */
const CALLS = [
  { ...callOf("+491", "02T22:59:59.999", "answered", "bing"), campaign_name: "B" },
  { ...callOf("+49 1", "01T10:00:00.500", "busy", "google"), campaign_name: "A" },
  callOf("+491", "01T10:01:01.400", "answered"),
  callOf("+492", "01T11:00:00.000", "answered"),
  callOf("+492", "01T12:00:00.000", "busy"),
  callOf("+493", "02T10:00:00.000", "other"),
  callOf("+493", "02T23:00:00.000", "busy"),
  callOf(null, "02T10:00:00.000", "busy"),
  callOf("anonymous", "02T10:00:00.000", "busy"),
].map((call, index) => ({ ...call, call_id: index + 1 }));

it("an export of callers has them under keyed hashes, with what became of a missed call, and as many calls as rollups", async () => {
  using warehouse = makeWarehouse(CALLS);
  writeFileSync(`${warehouse.database}.caller-key`, KEY_BYTES.toString("hex"));
  const targets: Target[] = [{ kind: "callers" }, { kind: "rollup", dimensions: ["weekday"] }];
  const range = { from: "2026-03-01", to: "2026-03-02" };
  const { folder, manifest } = await warehouse.export({
    targets,
    range,
    timezone: "Europe/Berlin",
    format: { format: "json" },
  });
  const rows: Record<string, unknown>[] = JSON.parse(readText(folder, "callers.json"));
  const common = {
    ...{ first_campaign: null, last_campaign: null },
    ...{ first_campaign_as_tagged: null, last_campaign_as_tagged: null },
    recovered_after_seconds: null,
  };
  const direct = { source: "(direct)", channel: "Direct" };
  const ends = (first: object, last: object) =>
    Object.fromEntries(
      Object.entries({ first, last }).flatMap(([end, values]) =>
        Object.entries(values).map(([name, value]) => [`${end}_${name}`, value]),
      ),
    );
  expect(rows).toEqual([
    {
      ...common,
      ...ends(
        {
          call_at: "2026-03-01T10:00:00.500Z",
          source: "google",
          channel: "Organic Search",
          campaign: "A",
          campaign_as_tagged: "A",
        },
        {
          call_at: "2026-03-02T22:59:59.999Z",
          source: "bing",
          channel: "Organic Search",
          campaign: "B",
          campaign_as_tagged: "B",
        },
      ),
      caller_hash: hmac("+491"),
      calls: 3,
      answered_calls: 2,
      missed_calls: 1,
      recovered: 1,
      recovered_after_seconds: 60,
    },
    {
      ...common,
      ...ends(
        { call_at: "2026-03-01T11:00:00.000Z", ...direct },
        { call_at: "2026-03-01T12:00:00.000Z", ...direct },
      ),
      caller_hash: hmac("+492"),
      calls: 2,
      answered_calls: 1,
      missed_calls: 1,
      recovered: 0,
    },
    {
      ...common,
      ...ends(
        { call_at: "2026-03-02T10:00:00.000Z", ...direct },
        { call_at: "2026-03-02T10:00:00.000Z", ...direct },
      ),
      caller_hash: hmac("+493"),
      calls: 1,
      answered_calls: 0,
      missed_calls: 0,
      recovered: null,
    },
  ]);
  const sums = { calls: 6, answered_calls: 3, missed_calls: 2 };
  expect(manifest.files).toMatchObject([
    {
      contents: "callers",
      rows: 3,
      sums,
      excluded: { "no caller": 2 },
      caller_key: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
    { sums: { calls: 8 } },
  ]);
});
