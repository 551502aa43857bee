import { describe, expect, test } from "vitest";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createAsk, judge } from "./judge.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";

const NOW = new Date("2026-11-20T15:00:00.000Z");

function startFor({ needsFailure }: Row): Promise<Sandbox> {
  const faults = needsFailure ? ({ faults: ["500"], faultRate: 1 } as const) : {};
  return startSandbox({ calls: 150, now: NOW, ...faults });
}

/** The verdict on a row; a row about an insight is checked for each seeded one. */
async function verdictsOn(row: Row, sandbox: Sandbox) {
  const insightIds = row.request.path.includes("{insight}") ? sandbox.insights.ids : [0];
  const { url: baseUrl, token } = sandbox;
  return Promise.all(insightIds.map((insightId) => judge(row, createAsk({ baseUrl, token, insightId }))));
}

/** Adds a call, and returns the methods by which it was, or would be, delivered to the webhook. */
async function deliver(sandbox: Sandbox, webhookId: number) {
  sandbox.calls.insert();
  await sandbox.settleDeliveries();
  return sandbox.deliveries.filter(({ webhook_id }) => webhook_id === webhookId).map(({ method }) => method);
}

describe("sandbox conforms to the document", () => {
  test.for(ROWS.map((row) => [row.section, row] as const))("%s", async ([_, row]) => {
    await using sandbox = await startFor(row);
    const { webhook } = row;
    const before = webhook && sandbox.webhooks.get(webhook.id);
    for (let made = 0; made < (row.callsWithoutDni ?? 0); made++)
      sandbox.calls.insert({ dni_data: undefined });
    await sandbox.settleDeliveries();
    const events = sandbox.deliveries.length;

    for (const verdict of await verdictsOn(row, sandbox))
      expect(verdict).toMatchObject({ verdict: "passed" });

    await sandbox.settleDeliveries();
    // "Neither operation in this document emits an event of its own" (§ 6).
    expect(sandbox.deliveries).toHaveLength(events);
    if (webhook === undefined) return;
    const now = { webhook_updated: NOW.toISOString() };
    const expected = webhook.leaves === "unchanged" ? before : { ...before, ...webhook.leaves, ...now };
    expect(sandbox.webhooks.get(webhook.id)).toStrictEqual(expected);
    if (webhook.delivers === undefined) return;
    const methods = webhook.delivers ? [String(expected?.method).toUpperCase()] : [];
    expect(await deliver(sandbox, webhook.id)).toEqual(methods);
  });
});

describe("conformance table", () => {
  const sections = new Set(ROWS.map(({ section }) => section));

  test("names each row once", () => {
    expect(sections.size).toBe(ROWS.length);
  });

  test("covers each field, parameter and status of the OpenAPI document", () => {
    const { Insight, AttributedCall, DniData, WebhookReplacement } = openApi.components.schemas;
    const attribution = openApi.paths["/v3/conversations/attribution-engine"].get;
    const wanted = [
      ...Object.keys(Insight.properties).map((name) => `2.1 ${name}`),
      ...Object.keys(WebhookReplacement.properties).map((name) =>
        name === "webhook_id" ? "2.2 webhook_id never changeable" : `2.2 ${name}`,
      ),
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
