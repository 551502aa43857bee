import { describe, expect, test } from "vitest";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createAsk, judge } from "./judge.ts";
import type { Row, WebhookEffect } from "./row.ts";
import { ROWS } from "./rows.ts";

const NOW = new Date("2026-11-20T15:00:00.000Z");

function startFor({ needsFailure }: Row): Promise<Sandbox> {
  const faults = needsFailure ? ({ faults: ["500"], faultRate: 1 } as const) : {};
  return startSandbox({ calls: 150, now: NOW, ...faults });
}

/** The verdict on a row; a row about an insight is asked of each that is seeded. */
async function verdictsOn(row: Row, sandbox: Sandbox) {
  const insightIds = row.request.path.includes("{insight}") ? sandbox.insights.ids : [0];
  const { url: baseUrl, token } = sandbox;
  return Promise.all(insightIds.map((insightId) => judge(row, createAsk({ baseUrl, token, insightId }))));
}

/** Adds a call, and tells whether the webhook got an event for it. */
async function delivers(sandbox: Sandbox, { id }: WebhookEffect): Promise<boolean> {
  const before = sandbox.deliveries.length;
  sandbox.calls.insert();
  await sandbox.settleDeliveries();
  return sandbox.deliveries.slice(before).some(({ webhook_id }) => webhook_id === id);
}

describe("The sandbox keeps", () => {
  test.for(ROWS.map((row) => [row.section, row] as const))("%s", async ([_, row]) => {
    await using sandbox = await startFor(row);
    const { webhook } = row;
    const before = webhook && sandbox.webhooks.get(webhook.id);

    for (const verdict of await verdictsOn(row, sandbox))
      expect(verdict).toMatchObject({ verdict: "passed" });

    if (webhook === undefined) return;
    const changes = { ...before, ...(webhook.leaves !== "unchanged" && webhook.leaves) };
    const expected =
      webhook.leaves === "unchanged" ? before : { ...changes, webhook_updated: NOW.toISOString() };
    expect(sandbox.webhooks.get(webhook.id)).toStrictEqual(expected);
    if (webhook.delivers !== undefined) expect(await delivers(sandbox, webhook)).toBe(webhook.delivers);
  });
});

describe("The table", () => {
  const sections = new Set(ROWS.map(({ section }) => section));

  test("names each of its rows differently", () => {
    expect(sections.size).toBe(ROWS.length);
  });

  test("has a row for each field, parameter and status of the OpenAPI document", () => {
    const { Insight, AttributedCall, DniData, WebhookReplacement } = openApi.components.schemas;
    const attribution = openApi.paths["/v3/conversations/attribution-engine"].get;
    const wanted = [
      ...Object.keys(Insight.properties).map((name) => `2.1 ${name}`),
      ...Object.keys(WebhookReplacement.properties).map((name) => `2.2 ${name}`),
      ...Object.keys(AttributedCall.properties).map((name) => `2.3 ${name}`),
      ...Object.keys(DniData.properties).map((name) => `2.3 dni_data.${name}`),
    ];
    expect(wanted.filter((section) => !sections.has(section))).toEqual([]);
    for (const { name } of attribution.parameters)
      expect([...sections].some((section) => section.startsWith(`4.2 ${name} `))).toBe(true);

    const statuses = Object.values(openApi.paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => Object.keys(operation.responses)),
    );
    const rows = ROWS.filter(({ section }) => section.startsWith("7 ") && !section.includes("wrong token"));
    expect(rows.map(({ section }) => section.slice(2, 5)).toSorted()).toEqual(statuses.toSorted());
  });
});
