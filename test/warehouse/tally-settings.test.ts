import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/rollup/rules.ts";
import { prepareUpsertCalls } from "../../src/warehouse/calls.ts";
import { openExistingWarehouse, openWarehouse, type Warehouse } from "../../src/warehouse/open.ts";
import { applyTallySettings } from "../../src/warehouse/tally-settings.ts";
import { makeCall } from "../calls.ts";
import { makeTempFolder } from "../temp-folder.ts";

const CALLS = [
  makeCall({ call_id: 1, utm_source: "fb", disposition: "GREETED", duration: 90 }),
  makeCall({ call_id: 2, utm_source: "Facebook", disposition: "GREETED", duration: 20 }),
  makeCall({ call_id: 3, utm_source: "x", disposition: "ANSWERED", duration: 20 }),
];
const RULES = { ...DEFAULT_RULES, answered: ["greeted"], qualified_seconds: 20 };
const ALIASES = [
  { raw: "fb", value: "facebook" },
  { raw: "x", value: "" },
];

function readView({ sqlite }: Warehouse): unknown[] {
  const columns = "utm_source, calls, answered_calls, qualified_calls";
  return sqlite.prepare(`SELECT ${columns} FROM rollup_utm_source`).raw().all();
}

describe("applyTallySettings", () => {
  it("makes the views follow rules and aliases, and the default ones when they are gone", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    prepareUpsertCalls(warehouse, 1)(CALLS);
    applyTallySettings(warehouse, { rules: RULES, aliases: ALIASES });
    expect(readView(warehouse)).toEqual([
      ["facebook", 2, 2, 2],
      ["(not set)", 1, 0, 0],
    ]);
    applyTallySettings(warehouse, { rules: DEFAULT_RULES, aliases: [] });
    expect(readView(warehouse)).toEqual([
      ["facebook", 1, 0, 0],
      ["fb", 1, 0, 0],
      ["x", 1, 1, 0],
    ]);
  });

  it("stays when the warehouse is opened again", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    {
      using warehouse = openWarehouse(path);
      prepareUpsertCalls(warehouse, 1)(CALLS);
      applyTallySettings(warehouse, { rules: RULES, aliases: ALIASES });
    }
    using warehouse = openExistingWarehouse(path);
    expect(readView(warehouse)).toHaveLength(2);
  });

  it("writes nothing where nothing has changed", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    applyTallySettings(warehouse, { rules: RULES, aliases: ALIASES });
    const version = () => warehouse.sqlite.prepare("SELECT total_changes()").pluck().get();
    const schema = () => warehouse.sqlite.pragma("schema_version", { simple: true });
    const before = [version(), schema()];
    applyTallySettings(warehouse, { rules: { ...RULES }, aliases: ALIASES.toReversed() });
    expect([version(), schema()]).toEqual(before);
  });
});
