import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { applyRules, needsAttribution } from "../../src/warehouse/attribute-all.ts";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { openExistingWarehouse, openWarehouse, type Warehouse } from "../../src/warehouse/open.ts";
import { rules } from "../../src/warehouse/schema.ts";
import { makeCall } from "../calls.ts";
import { makeTempFolder } from "../temp-folder.ts";

const CALLS = [
  makeCall({ call_id: 1, utm_source: "fb", disposition: "GREETED", duration: 90 }),
  makeCall({ call_id: 2, utm_source: "Facebook", disposition: "GREETED", duration: 20 }),
  makeCall({ call_id: 3, utm_source: "x", disposition: "ANSWERED", duration: 20 }),
];
const RULES = {
  ...DEFAULT_RULES,
  answered: ["greeted"],
  qualified_seconds: 20,
  aliases: Object.fromEntries([
    ["fb", "facebook"],
    ["x", ""],
    ["__proto__", "y"],
  ]),
};
const NOW = { nowMs: Date.parse("2026-10-01T00:00:00.000Z") };

function readView({ sqlite }: Warehouse): unknown[] {
  const columns = "utm_source, calls, answered_calls, qualified_calls";
  return sqlite.prepare(`SELECT ${columns} FROM rollup_utm_source`).raw().all();
}

const DEFAULT_VIEW = [
  ["facebook", 1, 0, 0],
  ["fb", 1, 0, 0],
  ["x", 1, 1, 0],
];

describe("applyRules", () => {
  it("makes facts and views follow the rules, and the default ones when they are gone", async () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    prepareUpsertCalls(warehouse, 1)(CALLS);
    expect(readView(warehouse)).toEqual(DEFAULT_VIEW);
    await applyRules(warehouse, RULES, NOW);
    expect(readView(warehouse)).toEqual([
      ["facebook", 2, 2, 2],
      ["(not set)", 1, 0, 0],
    ]);
    await applyRules(warehouse, DEFAULT_RULES, NOW);
    expect(readView(warehouse)).toEqual(DEFAULT_VIEW);
  });

  it("records each change, and the warehouse keeps to it when it is opened again", async () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    {
      using warehouse = openWarehouse(path);
      prepareUpsertCalls(warehouse, 1)(CALLS);
      await applyRules(warehouse, RULES, NOW);
    }
    using warehouse = openExistingWarehouse(path);
    const [first, second, ...others] = warehouse.db.select().from(rules).all();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ rules_id: 1, rules: JSON.stringify(DEFAULT_RULES), calls: 0 });
    expect(second).toEqual({
      rules_id: 2,
      since: "2026-10-01T00:00:00.000Z",
      version: first?.version,
      rules: JSON.stringify(RULES),
      calls: 3,
      caller_key: null,
    });
    prepareUpsertCalls(warehouse, 2)([makeCall({ call_id: 4, utm_source: "FB", disposition: "greeted" })]);
    expect(readView(warehouse)[0]).toEqual(["facebook", 3, 3, 2]);
  });

  it("writes nothing where the rules mean what they meant", async () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"), { rules: RULES });
    const version = () => warehouse.sqlite.prepare("SELECT total_changes()").pluck().get();
    const schema = () => warehouse.sqlite.pragma("schema_version", { simple: true });
    const before = [version(), schema()];
    const same = {
      ...RULES,
      answered: ["GREETED", "greeted"],
      missed: RULES.missed.toReversed(),
      aliases: Object.fromEntries(Object.entries(RULES.aliases).reverse()),
    };
    expect(needsAttribution(warehouse, same)).toBe(false);
    await applyRules(warehouse, same, NOW);
    expect([version(), schema()]).toEqual(before);
  });

  it("says that it is done once it is", async () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openWarehouse(path);
    prepareUpsertCalls(warehouse, 1)(CALLS);
    const seen: unknown[] = [];
    const onAttributed = (progress: unknown) => {
      using other = openExistingWarehouse(path);
      seen.push([progress, needsAttribution(other, RULES)]);
    };
    await applyRules(warehouse, RULES, { ...NOW, onAttributed });
    expect(seen).toEqual([[{ read: 3, total: 3 }, false]]);
  });

  it("leaves everything as it was when it is stopped", async () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const calls = Array.from({ length: 1500 }, (_, index) => makeCall({ ...CALLS[0], call_id: index }));
    prepareUpsertCalls(warehouse, 1)(calls);
    const stop = new AbortController();
    const seen: number[] = [];
    const onAttributed = ({ read }: { read: number }) => {
      seen.push(read);
      stop.abort(new Error("stopped"));
    };
    const applied = applyRules(warehouse, RULES, { ...NOW, signal: stop.signal, onAttributed });
    await expect(applied).rejects.toThrow("stopped");
    expect(seen).toEqual([250]);
    expect(readView(warehouse)).toEqual([["fb", 1500, 0, 0]]);
    expect(needsAttribution(warehouse, RULES)).toBe(true);
  });
});
