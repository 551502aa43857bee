import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeStaleFiles, findStaleFiles } from "../../../src/features/restatements/stale-files.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { type ExportOptions, makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const AUGUST = { from: "2026-08-01", to: "2026-08-31" };
const JULY = { from: "2026-07-01", to: "2026-07-31" };
const rollups = (...names: ("channel" | "source" | "campaign")[]) =>
  names.map((name) => ({ kind: "rollup", dimensions: [name] }) as const);
const CALLS = [makeCall({ call_id: 1, call_started: "2026-08-12T12:00:00.000Z", utm_source: "google" })];

/** Makes exports into folders of their own, and returns what is stale, in words. */
async function makeExports(exports: Record<string, Partial<ExportOptions> & Pick<ExportOptions, "targets">>) {
  const warehouse = makeWarehouse(CALLS);
  const write = (name: string) =>
    warehouse.export({
      range: AUGUST,
      ...exports[name],
      targets: [],
      ...exports[name],
      folder: join(warehouse.folder, name),
    });
  for (const name of Object.keys(exports)) await write(name);
  return {
    ...warehouse,
    write,
    describe: (areRulesOther = false, reports: Record<string, string> = {}) => {
      using reader = openWarehouse(warehouse.database);
      return describeStaleFiles(findStaleFiles(reader, areRulesOther), {
        timezone: "America/Denver",
        workingFolder: warehouse.folder,
        account: undefined,
        database: undefined,
        reportOf: (folder) => reports[folder],
      });
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

const HEAD = (count: string) =>
  `${count} not compared since calls, costs or rules changed. To compare, repeat:`;
const AT = "exported 2026-09-30 18:01";

it("names files whose calls changed, with the command that compares them, until it is repeated", async () => {
  using made = await makeExports({
    two: { targets: rollups("channel", "source"), timezone: "America/Denver", total: true },
    fine: {
      targets: [{ kind: "rollup", dimensions: ["source", "medium"] }],
      filter: { source: ["google", "o'hara"], min_duration_seconds: 5, exclude_callers: ["+15125550100"] },
      isEmptyAllowed: true,
      grain: "week",
      compare: "days",
      columns: ["calls", "answer_rate"],
      format: { format: "csv", delimiter: "\t" },
    },
    "in json": { targets: rollups("campaign"), format: { format: "json" } },
    rates: { targets: rollups("source"), compare: ["previous", "year"], chance: true, versus: "google" },
    july: { targets: rollups("campaign"), range: JULY },
    deleted: { targets: rollups("campaign") },
    listed: { targets: [{ kind: "calls" }] },
  });
  expect(made.describe()).toEqual([]);
  rmSync(join(made.folder, "deleted"), { recursive: true });
  made.execute("UPDATE call_facts SET outcome = 'missed'");
  expect(made.describe()).toEqual([
    HEAD("5 exported files were"),
    `  two: channel.csv, source.csv, ${AT}`,
    "    calltally export channel source --from 2026-08-01 --to 2026-08-31 --total --out two",
    `  fine: source-medium.csv, ${AT}`,
    "    calltally export --from 2026-08-01 --to 2026-08-31 --grain week --compare previous --source google --source 'o'\\''hara' --min-duration 5 --exclude-callers FILE --allow-empty --by source,medium --columns calls,answer_rate --delimiter tab --timezone UTC --out fine",
    `  in json: campaign.json, ${AT}`,
    "    calltally export campaign --from 2026-08-01 --to 2026-08-31 --format json --timezone UTC --out 'in json'",
    `  rates: source.csv, ${AT}`,
    "    calltally export source --from 2026-08-01 --to 2026-08-31 --compare previous --compare year --chance --versus google --timezone UTC --out rates",
  ]);
  for (const name of ["two", "fine", "rates"]) await made.write(name);
  expect(made.describe(false, { [join(made.folder, "in json")]: "weekly" })).toEqual([
    HEAD("1 exported file was"),
    `  in json: campaign.json, ${AT}`,
    "    calltally run weekly",
  ]);
});

it("names all compared files if the rules are other ones than those of the facts", async () => {
  using made = await makeExports({ july: { targets: rollups("campaign"), range: JULY } });
  expect(made.describe(true).slice(0, 2)).toEqual([
    HEAD("1 exported file was"),
    `  july: campaign.csv, ${AT}`,
  ]);
});

it("names files with costs whose spend was imported since, for their days", async () => {
  using made = await makeExports({
    costs: { targets: rollups("campaign"), spend: true },
    calls: { targets: rollups("campaign") },
    july: { targets: rollups("campaign"), range: JULY, spend: true },
  });
  const spend = (day: string, source: string) =>
    made.execute(`INSERT INTO spend (day, source, medium, campaign, cost_micros, clicks, impressions, currency, file, imported_at)
      VALUES ('${day}', '${source}', 'cpc', 'Ghost', 5000000, 0, 100, 'USD', 'a.csv', '2026-10-03T00:00:00.000Z')`);
  spend("2026-08-09", "google");
  expect(made.describe()).toContain(`  costs: campaign.csv, ${AT}`);
  expect(made.describe()[0]).toBe(HEAD("1 exported file was"));
});
