import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { clockAt, makeWarehouse } from "../../support/figures/produce-files.ts";
import { readLines } from "../../support/figures/tables.ts";
import { CALLER, SPELLINGS } from "../../support/phone-spellings.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

it("a lead is reported once, by the hash of the number in E.164", async () => {
  const calls = SPELLINGS.map((caller_id, index) =>
    makeCall({
      ...{ call_id: index + 1, caller_id, disposition: "answered", duration: 90, utm_source: "google" },
      call_started: new Date(Date.parse("2026-09-20T10:00:00.000Z") + index * 60_000).toISOString(),
    }),
  );
  using warehouse = makeWarehouse(calls);
  const { folder } = await warehouse.export({
    targets: [{ kind: "google-leads", conversion: { name: "Lead", every: false } }],
    clock: clockAt(Date.parse("2026-09-25T00:00:00.000Z")),
  });
  const text = readText(folder, "google-leads.csv");
  const hashes = [...text.matchAll(/[\da-f]{64}/g)].map(([hash]) => hash);
  expect(hashes).toEqual([createHash("sha256").update(CALLER).digest("hex")]);
  expect(readLines(readText(folder, "google-leads.excluded.csv")).length - 1).toBe(SPELLINGS.length - 1);
});
