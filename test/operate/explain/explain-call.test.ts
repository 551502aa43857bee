import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { type Explanation, explainCall } from "../../../src/operate/explain/explain-call.ts";
import { addUnsettled } from "../../../src/warehouse/calls/first-load.ts";
import { insertRules } from "../../../src/warehouse/calls/rules.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { draws } from "../../support/draws.ts";
import { clockAt, exportToFolder } from "../../support/figures/produce-files.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { arbitraryCalls, makeCall } from "../../support/warehouses/calls.ts";
import { closedWarehouse, markGone, storeRun } from "../../support/warehouses/warehouse.ts";

const NOW = Date.parse("2026-04-01T00:00:00.000Z");
const STARTED_AT = "2026-03-31T23:00:00.000Z";
const clock = clockAt(NOW);
const rules = {
  ...DEFAULT_RULES,
  aliases: { "face book": "facebook" },
  topics: [{ topic: "greeting", phrase: "hello", speaker: null, qualifies: true, value: null }],
};

function makeWarehouse(folder: string, calls: readonly Call[]): string {
  const database = join(folder, "calls.db");
  using warehouse = openWarehouse(database);
  writeTransaction(warehouse, (tx) =>
    insertRules(tx, rules, { since: "2026-01-01T00:00:00.000Z", calls: 0 }),
  );
  storeRun(warehouse, calls, { startedAt: STARTED_AT, finishedAt: STARTED_AT });
  return database;
}

async function explain(
  calls: readonly Call[],
  callId: number,
  timezone = "UTC",
): Promise<Explanation | undefined> {
  using folder = makeTempFolder();
  const database = makeWarehouse(folder.path, calls);
  return (await explainCall({ database, callId, rules, timezone, clock }))?.data;
}

describe("explainCall", () => {
  it("shows every step for a call after a Google Ads click", async () => {
    const call = makeCall({
      call_id: 7,
      caller_id: "+491",
      call_started: "2026-03-29T01:30:00.000Z",
      duration: 61,
      disposition: "TRANSFERRED",
      utm_medium: " Organic ",
      utm_term: "{keyword}",
      gclid: "CjABC",
      campaign_name: "Autumn",
      campaign_id: "9",
      referring_url: "https://www.google.com/search",
    });
    const earlier = makeCall({ call_id: 6, caller_id: "+491", call_started: "2026-03-01T00:00:00.000Z" });
    const explanation = await explain([call, earlier], 7, "Europe/Berlin");
    expect(explanation).not.toHaveProperty("rules_differ");
    expect(explanation).not.toHaveProperty("is_first_load");
    expect(explanation).toMatchObject({
      call_id: 7,
      call_started: "2026-03-29T01:30:00.000Z",
      local_time: "2026-03-29 03:30:00 +02:00",
      gone_at: null,
      unlisted_since: null,
      dni: { utm_medium: " Organic ", utm_term: "{keyword}", gclid: "CjABC", campaign_id: "9" },
      utm: { utm_medium: { folded: "organic", tallied_as: "organic" } },
      click: { platform: "google", by: "gclid", gclsrc: null },
      is_assistant: false,
      source_rule: "click id",
      referrer_kind: "search",
      channel: "Paid Search",
      campaign: "Autumn",
      campaign_from: "campaign_name",
      channel_line: null,
      disposition: "TRANSFERRED",
      outcome: "answered",
      duration: 61,
      duration_unit: "seconds",
      qualified_seconds: 60,
      qualified: true,
      in_hours: null,
      topic: null,
      topic_match: null,
      topic_qualifies: null,
      is_topic_kept: false,
      first_time_caller: false,
      first_call: { call_id: 6, call_started: "2026-03-01T00:00:00.000Z" },
    });
  });

  it("says that rules differ, that the first load is running, and that a call is gone", async () => {
    using folder = makeTempFolder();
    const gone = makeCall({ call_id: 6, call_started: "2026-03-02T00:00:00.000Z" });
    const database = makeWarehouse(folder.path, [makeCall({ call_id: 7 }), gone]);
    {
      using warehouse = openWarehouse(database);
      markGone(warehouse, [6], "2026-03-30T00:00:00.000Z");
      writeTransaction(warehouse, (tx) => addUnsettled(tx, 2));
      warehouse.sqlite.exec("UPDATE calls SET unlisted_since = '2026-03-29T00:00:00.000Z' WHERE call_id = 6");
    }
    const others = { ...rules, qualified_seconds: 30 };
    const explained = async (callId: number) =>
      (await explainCall({ database, callId, rules: others, timezone: "Europe/Berlin", clock }))?.data;
    expect(await explained(7)).toMatchObject({
      ...{ rules_differ: true, is_first_load: true, qualified_seconds: 60 },
      ...{ call_started: null, local_time: null, gone_at: null, unlisted_since: null },
    });
    expect(await explained(6)).toMatchObject({
      gone_at: "2026-03-30T00:00:00.000Z",
      unlisted_since: "2026-03-29T00:00:00.000Z",
    });
  });

  it("returns undefined for an unknown call", async () => {
    expect(await explain([], 1)).toBeUndefined();
  });

  it("shows the transcript, or that the topic dates from before the transcript was removed", async () => {
    using folder = makeTempFolder();
    const said = "I am calling about the sink. Well, HELLO first of all, dear plumbers.";
    const database = makeWarehouse(folder.path, [makeCall({ call_id: 7, transcription: said })]);
    const explained = async () =>
      (await explainCall({ database, callId: 7, rules, timezone: "UTC", clock }))?.data;
    expect(await explained()).toMatchObject({
      topic: "greeting",
      is_topic_kept: false,
      topic_match: {
        line: 2,
        phrase: "hello",
        speaker: null,
        words: "… the sink. well, [hello] first of all, dear …",
      },
      topic_qualifies: true,
    });
    {
      using warehouse = openWarehouse(database);
      warehouse.sqlite.exec("DELETE FROM transcripts; UPDATE calls SET withheld = 'transcripts'");
    }
    expect(await explained()).toMatchObject({ topic: "greeting", is_topic_kept: true, topic_match: null });
  });

  it("names the campaign as rollups do, and as the call is tagged", async () => {
    const named = ["Autumn", "Autumn", "Herbst", null].map((campaign_name, index) =>
      makeCall({ call_id: index + 1, campaign_id: "71", campaign_name }),
    );
    using warehouse = closedWarehouse(named);
    const { database } = warehouse;
    const names: unknown[] = [];
    for (const { call_id } of named) {
      const options = { database, callId: call_id, rules: DEFAULT_RULES, timezone: "UTC" };
      const { campaign, campaign_as_tagged } = (await explainCall(options))?.data ?? {};
      names.push([campaign, campaign_as_tagged]);
    }
    expect(names).toEqual([
      ["Autumn", "Autumn"],
      ["Autumn", "Autumn"],
      ["Autumn", "Herbst"],
      ["Autumn", null],
    ]);
  });

  it("agrees with the exported line of any call", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls(12), async (calls) => {
        using folder = makeTempFolder();
        const database = makeWarehouse(folder.path, calls);
        await exportToFolder({
          database,
          folder: folder.path,
          targets: [{ kind: "calls", with: [] }],
          rules,
          timezone: "Asia/Kathmandu",
          lookbackHours: 0,
          format: { format: "csv", profile: "machine" },
          clock,
        });
        const read = (file: string): Record<string, string>[] =>
          parse(readFileSync(join(folder.path, file)), { columns: true, record_delimiter: "\r\n" });
        for (const row of read("calls.csv")) {
          const explained = await explainCall({
            database,
            callId: Number(row.call_id),
            rules,
            timezone: "Asia/Kathmandu",
            clock,
          });
          const explanation = explained?.data;
          expect({
            call_started_local: `${row.call_started_local} ${row.utc_offset}`.trim() || null,
            channel: row.channel,
            source: row.source || null,
            medium: row.medium || null,
            campaign: row.campaign || null,
            referring_host: row.referring_host || null,
            outcome: row.outcome,
            topic: row.topic || null,
            qualified: row.qualified === "1",
            first: row.first_time_caller === "1",
          }).toEqual({
            call_started_local: explanation?.local_time,
            channel: explanation?.channel,
            source: explanation?.source,
            medium: explanation?.medium,
            campaign: explanation?.campaign,
            referring_host: explanation?.referring_host,
            outcome: explanation?.outcome,
            topic: explanation?.topic,
            qualified: explanation?.qualified,
            first: explanation?.first_time_caller,
          });
        }
      }),
      { numRuns: draws(20) },
    );
  });
});
