import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { resolve } from "../../../src/config/request/resolve.ts";
import { folderOutput } from "../../../src/export/output/folder.ts";
import { produceMerged } from "../../../src/reports/accounts/merge-accounts.ts";
import { warehouseSource } from "../../../src/reports/produce/warehouse-source.ts";
import { readLines } from "../../support/figures/tables.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { closedWarehouse } from "../../support/warehouses/warehouse.ts";

const { signal } = new AbortController();
const STARTED = "2026-09-10T12:34:56.000Z";

/** Writes one CSV file for Excel of accounts in these zones, each with one call at the same moment; returns its times. */
async function mergedTimes(zones: readonly string[]): Promise<(string | undefined)[][]> {
  using folder = makeTempFolder();
  using stack = new DisposableStack();
  const accounts = zones.map((timezone, index) => {
    const call = makeCall({ call_id: index + 1, call_started: STARTED });
    const { database } = stack.use(closedWarehouse([call], { at: "2026-10-01T00:00:00.000Z" }));
    const request = { by: [], format: "csv", profile: "excel", figures: ["calls", "first_call_at"] } as const;
    const ask = {
      ...resolve({}, { nowMs: Date.parse("2026-10-01T00:00:00Z"), timezone }),
      contents: [{ kind: "rollup" as const, dimensions: [] }],
      format: { format: request.format, profile: request.profile },
    };
    const source = warehouseSource({ database, lookbackHours: 72, rules: DEFAULT_RULES });
    return { name: `account ${index + 1}`, sources: { env: {}, folder: folder.path }, ask, source };
  });
  await produceMerged(accounts, folderOutput(folder.path, { signal }), { by: ["account"], signal });
  const [header = [], ...rows] = readLines(
    readFileSync(join(folder.path, "account.csv"), "utf8").replace("\uFEFF", ""),
  );
  return rows.map((row) => ["account", "first_call_at"].map((name) => row[header.indexOf(name)]));
}

it.each<[zones: string[], times: string[]]>([
  [
    ["America/Chicago", "Europe/Berlin"],
    ["2026-09-10 12:34:56", "2026-09-10 12:34:56"],
  ],
  [
    ["Europe/Berlin", "UTC", "Europe/Berlin"],
    ["2026-09-10 12:34:56", "2026-09-10 12:34:56", "2026-09-10 12:34:56"],
  ],
  [
    ["America/Chicago", "America/Chicago"],
    ["2026-09-10 07:34:56", "2026-09-10 07:34:56"],
  ],
])("a file of accounts in %j has local times only if they share a zone, else UTC", async (zones, times) => {
  expect(await mergedTimes(zones)).toEqual(times.map((time, index) => [`account ${index + 1}`, time]));
});
