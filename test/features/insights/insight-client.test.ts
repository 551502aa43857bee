import { describe, expect, it } from "vitest";
import { getInsight } from "../../../src/features/insights/insight-client.ts";
import { ApiClient } from "../../../src/service/api/client.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { json, startServer } from "../../support/services/server.ts";

const envelope = (data: unknown) => ({
  code: 200,
  message: "Success",
  data,
  request_id: "r-1",
  timestamp: "t",
});

const clientOf = (baseUrl: URL) =>
  new ApiClient({ baseUrl, token: "secret-token-4711", clock: new FakeClock(), random: () => 0 });

const BARE = {
  insight_id: 101,
  insight_name: null,
  insight_type: null,
  insight_help: null,
  indicator_score_type: null,
  insight_status: null,
  indicator_active: null,
  is_custom_ai: null,
  llm_config: null,
  keyword_config: null,
  draft_details: null,
  hit_outcome_by: null,
  hit_keywords: null,
  hit_mention: null,
  miss_outcome_by: null,
  miss_keywords: null,
  miss_mention: null,
  insight_output: null,
  insight_guideline: null,
  insight_description: null,
  insight_example: null,
  group_list: [],
  start_date: null,
  indicator_start_date: null,
  indicator_end_date: null,
  indicator_group_active: null,
  scorecards: null,
  creation_date: null,
  last_updated: null,
  created_at: null,
  updated_at: null,
  created_by: null,
  updated_by: null,
  deleted_at: null,
  deleted_by: null,
  start_date_parsed: null,
  indicator_start_date_parsed: null,
  indicator_end_date_parsed: null,
  extra: {},
};

describe("getInsight", () => {
  it("keeps dates as served, parses dates without a zone, keeps empty strings and unknown members", async () => {
    const data = {
      insight_id: 101,
      insight_name: "Price asked",
      hit_keywords: "",
      group_list: [{ id: 7 }, { id: 8, name: "Munich" }],
      start_date: "2026-01-02 03:04:05",
      indicator_start_date: "0000-00-00 00:00:00",
      indicator_end_date: "",
      created_at: "2026-01-02T03:04:05+02:00",
      updated_at: "2026-01-02T03:04:05.678Z",
      llm_config: { criteria: [{ name: "n", output: "o" }] },
      colour: "red",
    };
    await using server = await startServer(json(envelope(data)));
    await using client = clientOf(server.url);
    expect(await getInsight(client, 101)).toEqual({
      ...BARE,
      insight_name: "Price asked",
      hit_keywords: "",
      group_list: [{ id: 7 }, { id: 8, name: "Munich" }],
      start_date: "2026-01-02 03:04:05",
      start_date_parsed: "2026-01-02T03:04:05",
      indicator_start_date: "0000-00-00 00:00:00",
      indicator_end_date: "",
      created_at: "2026-01-02T03:04:05+02:00",
      updated_at: "2026-01-02T03:04:05.678Z",
      llm_config: { criteria: [{ name: "n", output: "o" }] },
      extra: { colour: "red" },
    });
    expect(server.requests).toMatchObject([{ method: "GET", url: "/v3/insights/101" }]);
  });

  const forms: { served: string; parsed: string | null }[] = [
    { served: "2026-01-02 03:04:05", parsed: "2026-01-02T03:04:05" },
    { served: "2028-02-29T23:59:59", parsed: "2028-02-29T23:59:59" },
    ...[
      "0000-00-00 00:00:00",
      "0000-00-00",
      "2026-01-02",
      "2026-01-02 03:04",
      "2026-01-02 03:04:05.5",
      "2026-01-02 03:04:05Z",
      "2026-01-02T03:04:05+02:00",
      "2026-02-30 00:00:00",
      "2026-01-02 24:00:00",
      "soon",
      " ",
      "",
    ].map((served) => ({ served, parsed: null })),
  ];
  it.each(forms)("keeps the date $served, and parses it as $parsed", async ({ served, parsed }) => {
    const dates = {
      start_date: served,
      indicator_start_date: served,
      indicator_end_date: served,
      creation_date: served,
      last_updated: served,
      created_at: served,
      updated_at: served,
      deleted_at: served,
    };
    await using server = await startServer(json(envelope({ insight_id: 101, ...dates })));
    await using client = clientOf(server.url);
    expect(await getInsight(client, 101)).toEqual({
      ...BARE,
      ...dates,
      start_date_parsed: parsed,
      indicator_start_date_parsed: parsed,
      indicator_end_date_parsed: parsed,
    });
  });

  it.each([
    { member: "scorecards", served: "3", known: null },
    { member: "insight_name", served: 7, known: null },
    { member: "indicator_active", served: "yes", known: null },
    { member: "llm_config", served: "none", known: null },
    { member: "group_list", served: [{ id: "north" }], known: [] },
  ])("keeps $member of another type in extra, and the other members", async ({ member, served, known }) => {
    const data = { insight_id: 101, insight_help: "Help", [member]: served };
    await using server = await startServer(json(envelope(data)));
    await using client = clientOf(server.url);
    const expected = { ...BARE, insight_help: "Help", [member]: known, extra: { [member]: served } };
    expect(await getInsight(client, 101)).toEqual(expected);
  });

  it("keeps integers beyond 2^53 as text", async () => {
    const data = { insight_id: 101, rank: JSON.rawJSON("12345678901234567890") };
    await using server = await startServer(json(envelope(data)));
    await using client = clientOf(server.url);
    expect(await getInsight(client, 101)).toEqual({ ...BARE, extra: { rank: "12345678901234567890" } });
  });

  it("requires only the id", async () => {
    await using server = await startServer(json(envelope({ insight_id: 101 })));
    await using client = clientOf(server.url);
    expect(await getInsight(client, 101)).toEqual(BARE);
  });

  it("throws the service's status and request id for an unknown insight", async () => {
    await using server = await startServer(
      json({ code: 404, message: "No such insight", request_id: "r-9" }, 404),
    );
    await using client = clientOf(server.url);
    await expect(getInsight(client, 999)).rejects.toMatchObject({
      exitCode: 8,
      status: 404,
      requestId: "r-9",
      message: "The API returned 404: No such insight (request r-9)",
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    {
      title: "another insight",
      data: { insight_id: 102 },
      says: "The API responded for insight 102, not 101",
    },
    { title: "an insight without an id", data: { insight_name: "Price asked" }, says: "insight_id: " },
  ])("treats $title as a breach of contract", async ({ data, says }) => {
    await using server = await startServer(json(envelope(data)));
    await using client = clientOf(server.url);
    await expect(getInsight(client, 101)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringContaining(says),
    });
  });
});
