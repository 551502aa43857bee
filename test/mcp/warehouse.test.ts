import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { updateRun } from "../../src/warehouse/runs/runs.ts";
import { answering, connect } from "../support/services/mcp.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { damageTable } from "../support/warehouses/damage-table.ts";
import { fillWarehouse, openNewWarehouse, setRules, storeRun } from "../support/warehouses/warehouse.ts";

const AT = "2026-10-05T06:00:00.000Z";
const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => makeCall({ call_id: index + 1 }));
const COUNT = { by: [], columns: ["calls"] };
const QUESTIONS = [
  ["figures", COUNT],
  ["compare", { range: { last: "4w" } }],
  ["explain_call", { call_id: 1 }],
  ["what_changed", {}],
  ["status", {}],
] as const;

describe("warehouse of calltally mcp", () => {
  it("the server runs without a warehouse or calls, and responds once there are calls", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const assistant = answering(folder.path, { env: { CALLTALLY_DATABASE: database } });
    for (const [name, args] of QUESTIONS) {
      const missing = `There is no warehouse at ${database}\nRun \`calltally sync\` by hand, which begins one, or set CALLTALLY_DATABASE. If there was one, its disk may not be mounted.`;
      expect(await assistant.ask(name, args)).toBe(missing);
    }
    openNewWarehouse(database)[Symbol.dispose]();
    const basis = {
      run: null,
      verdict: null,
      verdict_reason: null,
      finished_at: null,
      timezone: "UTC",
      provisional: true,
      statements: [expect.objectContaining({ id: "no_finished_sync", level: "doubt" })],
    };
    const statements = expect.arrayContaining(basis.statements);
    expect(await assistant.ask("figures", COUNT)).toMatchObject({
      basis: { ...basis, statements },
      rows: [{ calls: 0 }],
    });
    expect(await assistant.ask("compare", { range: { last: "4w" } })).toMatchObject({ rows: [] });
    expect(await assistant.ask("what_changed")).toMatchObject({ basis });
    expect(await assistant.ask("status")).toMatchObject({ basis, failures: [] });
    writeFileSync(database, "not a database");
    expect(await assistant.ask("status")).toMatch(/^Cannot use .*calls\.db as the warehouse: /);
  });

  it("names a damaged file in each response that reads it", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    fillWarehouse(database, calls(3));
    damageTable(database, "call_facts");
    const assistant = answering(folder.path, { env: { CALLTALLY_DATABASE: database } });
    for (const [name, args] of QUESTIONS.slice(0, 3))
      expect(await assistant.ask(name, args)).toMatch(/^Cannot use .*calls\.db: the file is damaged: /);
  });

  it("states doubts and cautions in every response", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    {
      using warehouse = openNewWarehouse(database);
      storeRun(warehouse, calls(3), { startedAt: AT, finishedAt: AT });
      updateRun(warehouse, 1, { verdict: "unverified", verdict_reason: "1,234,567 of 1,234,568 calls read" });
      setRules(warehouse, { ...DEFAULT_RULES, qualified_seconds: 30 });
    }
    const assistant = answering(folder.path, { env: { CALLTALLY_DATABASE: database } });
    const basis = {
      run: 1,
      verdict: "unverified",
      verdict_reason: "1,234,567 of 1,234,568 calls read",
      finished_at: AT,
      statements: expect.arrayContaining([
        expect.objectContaining({
          level: "doubt",
          text: "Run 1, the last sync, is unverified, so calls may be missing: 1,234,567 of 1,234,568 calls read.",
        }),
        expect.objectContaining({ id: "rules_changed", level: "caution" }),
      ]),
    };
    for (const [name, args] of QUESTIONS) expect(await assistant.ask(name, args)).toMatchObject({ basis });
  });

  it("belongs to the account that the flag names", async () => {
    using folder = makeTempFolder();
    const accounts = [1, 2].map((count) => {
      fillWarehouse(join(folder.path, `data/${count}.db`), calls(count));
      return `  a${count}: { base_url: "https://a${count}.example.com", token_file: token, database: data/${count}.db }\n`;
    });
    writeFileSync(join(folder.path, "token"), "token", { mode: 0o600 });
    writeFileSync(join(folder.path, "calltally.yaml"), `accounts:\n${accounts.join("")}`, { mode: 0o600 });
    await using assistant = await connect(["--account", "a2"], { cwd: folder.path });
    expect(await assistant.ask("figures", COUNT)).toMatchObject({
      basis: { account: "a2" },
      rows: [{ calls: 2 }],
    });
  });

  it("the server refuses a warehouse of another account", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    {
      using warehouse = openNewWarehouse(database);
      warehouse.sqlite.exec("UPDATE origin SET base_url = 'https://other.example.com'");
    }
    const env = { CALLTALLY_BASE_URL: "https://api.example.com", CALLTALLY_DATABASE: database };
    const assistant = answering(folder.path, { env });
    for (const [name, args] of QUESTIONS)
      expect(await assistant.ask(name, args)).toMatch(/^Cannot use .*: it is a copy of https:\/\/other\./);
  });

  it("the next call after a replacement reads the new warehouse", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const assistant = answering(folder.path, { env: { CALLTALLY_DATABASE: database } });
    for (const size of [3, 5]) {
      const next = join(folder.path, `${size}.db`);
      {
        using warehouse = openNewWarehouse(next);
        storeRun(warehouse, calls(size), { startedAt: AT, finishedAt: AT });
        warehouse.sqlite.pragma("journal_mode = DELETE");
      }
      renameSync(next, database);
      expect(await assistant.ask("figures", COUNT)).toMatchObject({ rows: [{ calls: size }] });
    }
  });

  it("the server keeps running with unreadable settings", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const file = join(folder.path, "calltally.yaml");
    fillWarehouse(database, calls(2));
    await using assistant = await connect(["--database", database], { cwd: folder.path });
    writeFileSync(file, "reports: 5\n");
    const ended = "The process of this call ended by code 2: see the server's standard error";
    expect(await assistant.ask("status")).toBe(ended);
    rmSync(file);
    expect(await assistant.ask("status")).toMatchObject({ calls: 2 });
  });
});
