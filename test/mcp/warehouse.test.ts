import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { updateRun } from "../../src/warehouse/runs/runs.ts";
import { makeCall } from "../support/calls.ts";
import { answering, connect } from "../support/mcp.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse, openNewWarehouse, setRules, storeRun } from "../support/warehouse.ts";

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
  it("may be missing or empty: the server runs, and responds once there are calls", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const assistant = answering(folder.path, { env: { CALLTALLY_DATABASE: database } });
    for (const [name, args] of QUESTIONS) {
      const missing = `There is no warehouse at ${database}\nRun \`calltally sync\` first, or set CALLTALLY_DATABASE.`;
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
    expect(await assistant.ask("what_changed")).toEqual({ basis, restatements: [], notices: [] });
    expect(await assistant.ask("status")).toMatchObject({ basis, failures: [] });
    writeFileSync(database, "not a database");
    expect(await assistant.ask("status")).toMatch(/^Cannot use .*calls\.db as the warehouse: /);
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

  it("is one of several accounts, which a call names", async () => {
    using folder = makeTempFolder();
    for (const [name, count] of [
      ["one", 1],
      ["two", 2],
    ] as const) {
      fillWarehouse(join(folder.path, `data/${name}.db`), calls(count));
      writeFileSync(join(folder.path, `${name}.token`), "token", { mode: 0o600 });
    }
    const yaml = ["one", "two"].map(
      (name) =>
        `  ${name}:\n    base_url: https://api.example.com\n    token_file: ${name}.token\n    database: data/${name}.db\n`,
    );
    writeFileSync(join(folder.path, "calltally.yaml"), `accounts:\n${yaml.join("")}`, { mode: 0o600 });
    await using assistant = await connect([], { cwd: folder.path });
    const { tools } = await assistant.client.listTools();
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ properties: { account: { enum: ["one", "two"] } } });
    const ask = (account: string) => assistant.ask("figures", { ...COUNT, account });
    expect(await ask("one")).toMatchObject({ basis: { account: "one" }, rows: [{ calls: 1 }] });
    expect(await ask("two")).toMatchObject({ basis: { account: "two" }, rows: [{ calls: 2 }] });
    expect(await ask("three")).toMatch(/^Cannot use account: "three" .*one, two/s);
    expect(await assistant.ask("figures", COUNT)).toMatch(/^Whose calls\? There are 2 accounts: one, two/);

    await using second = await connect(["--account", "two"], { cwd: folder.path });
    expect(await second.ask("figures", COUNT)).toMatchObject({
      basis: { account: "two" },
      rows: [{ calls: 2 }],
    });
  });

  it("is refused if it belongs to another account", async () => {
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

  it("may be replaced: a call reads the old or the new one, and the next call the new one", async () => {
    using folder = makeTempFolder();
    const path = (name: string) => join(folder.path, name);
    for (const size of SIZES) makeBackup(path(`${size}.db`), size);
    const database = path("calls.db");
    const replaceBy = (size: number) => {
      copyFileSync(path(`${size}.db`), path("new.db"));
      renameSync(path("new.db"), database);
    };
    replaceBy(3);
    await using assistant = await connect(["--database", database], { cwd: folder.path });
    const ask = async () => {
      const { basis, rows } = counted.parse(await assistant.ask("figures", COUNT));
      return [basis.finished_at, rows[0]?.calls];
    };
    for (const size of [5, 3]) {
      replaceBy(size);
      expect(await ask()).toEqual([finishedAt(size), size]);
    }
    for (let round = 0; round < 3; round++) {
      let isDone = false;
      // No more than run at the same time: a waiting one may expire on a busy machine.
      const asking = Promise.all([ask(), ask()]).finally(() => {
        isDone = true;
      });
      for (let turn = 0; !isDone; turn++) {
        replaceBy(turn % 2 === 0 ? 5 : 3);
        await sleep(5);
      }
      for (const answer of await asking)
        expect(SIZES.map((size) => [finishedAt(size), size])).toContainEqual(answer);
    }
  });

  it("may have unreadable settings: the server keeps running", async () => {
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

const SIZES = [3, 5];
const finishedAt = (size: number) => `2026-10-0${size}T06:00:00.000Z`;
const counted = z.object({
  basis: z.object({ finished_at: z.string() }),
  rows: z.array(z.object({ calls: z.number() })),
});

/** Makes a warehouse of that many calls without a log, like a backup. */
function makeBackup(file: string, size: number): void {
  using warehouse = openNewWarehouse(file);
  storeRun(warehouse, calls(size), { startedAt: finishedAt(size), finishedAt: finishedAt(size) });
  warehouse.sqlite.pragma("journal_mode = DELETE");
}
