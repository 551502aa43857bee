import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { readCommands } from "../../../src/tooling/reference/command-tree.ts";
import { hasCommand } from "../../support/commands.ts";
import { settingsFor } from "../../support/run.ts";
import { listFiles } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { fillWarehouse } from "../../support/warehouses/warehouse.ts";
import { makeFolder, makeSandboxFolder } from "../folder.ts";
import { writeAccounts } from "./agency.ts";

const readTree = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(shm|wal)$/.test(entry.name))
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  );

describe("origin of a warehouse", () => {
  it("of generated calls is named in each outlet, and excludes real calls", async () => {
    await using folder = await makeSandboxFolder({ calls: 40 });
    fillWarehouse(folder.database, [makeCall()]);
    folder.execute("UPDATE origin SET is_demo = 1");
    for (const command of ["sync", "sync --rebind"]) {
      const refused = await folder.run(command);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("Cannot mix the made-up calls");
    }
    const madeUp = "These calls are made up: calltally demo made the warehouse.";
    expect((await folder.run("export channel --stdout")).stderr).toContain(madeUp);
    expect(await folder.say("status")).toContain("made-up calls");
  });
});

describe("warehouse of another account", () => {
  /**
   * The commands that refuse another account's warehouse, with arguments. For an assistant, each call is refused: see
   * test/mcp/warehouse.test.ts.
   */
  const REFUSED: Record<string, string> = {
    sync: "",
    export: "channel",
    report: "",
    topics: "",
    channels: "",
    hygiene: "",
    "uploads list": "",
    "uploads forget": "1",
    "spend import": "spend.csv --source google --medium cpc --currency USD",
    "spend list": "",
    "spend remove": "1",
    "outcome import": "jobs.csv",
    "outcome list": "",
    "outcome remove": "1",
    verify: "",
    publish: "--to clickhouse://127.0.0.1:9/calls",
    reconcile: "calls.csv",
    restatements: "",
    explain: "1",
    forget: "+49301234567",
    "privacy log": "",
    prune: "",
    restore: "alpha.backup",
    "insight sync": "101",
    "webhook patch": "44 --status inactive",
    "webhook replace": "44 --file webhook.json",
  };
  /** Commands about the file, which name both. */
  const REMARKED: Record<string, string[]> = {
    status: [],
    doctor: [],
    query: ["SELECT 1"],
    backup: ["copy.db"],
  };
  /** Refused, too: they have no --database. */
  const OTHERS = [
    "run weekly --deliver",
    "job export",
    "job report:weekly",
    "export --by account,channel",
    "export channel --stdout",
    "report --stdout",
    "prune --dry-run",
  ];

  it("commands that work for an account refuse another account's warehouse; commands about the file remark on it", async () => {
    const { commands } = await readCommands();
    const ofFile = commands.filter(({ groups }) =>
      groups.some(({ terms }) => terms.some(({ term }) => term.startsWith("--database"))),
    );
    const known = [...Object.keys(REFUSED), ...Object.keys(REMARKED), "mcp"].filter(hasCommand);
    expect(known.sort()).toEqual(ofFile.map(({ name }) => name.replace("calltally ", "")).sort());

    using folder = makeFolder();
    const { run } = folder;
    await using alpha = await startSandbox({ calls: 40 });
    await using beta = await startSandbox({ calls: 40, seed: 2 });
    for (const command of ["sync", "backup alpha.backup"]) await folder.runWith(settingsFor(alpha), command);
    writeAccounts(folder.path, { beta }, { more: { beta: "database: data/calltally.db" } });
    appendFileSync(
      join(folder.path, "calltally.yaml"),
      'reports:\n  weekly: { contents: [channel], cron: "0 7 * * 1", deliver: [{ command: [touch, sent] }] }\n',
    );
    folder.write("spend.csv", "Day,Campaign,Cost\n2026-11-01,brand,12.50\n");
    const webhook = Object.entries(beta.webhooks.get(44) ?? {}).filter(
      ([name]) => !/_(id|created|updated)$/.test(name),
    );
    folder.write("webhook.json", JSON.stringify(Object.fromEntries(webhook)));
    const before = readdirSync(folder.path);
    const refused = Object.entries(REFUSED)
      .map(([name, args]) => `${name} ${args}`.trimEnd())
      .filter(hasCommand);
    for (const command of [...refused, ...OTHERS]) {
      const { code, stdout, stderr } = await run(command);
      expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: "" });
      for (const word of [alpha.url, beta.url, "--rebind"]) expect(stderr, command).toContain(word);
    }
    expect(readdirSync(folder.path)).toEqual(before);
    expect(folder.read("SELECT * FROM report_runs")).toEqual([]);

    for (const [name, args] of Object.entries(REMARKED)) {
      const { stdout, stderr } = await run(name, ...args);
      for (const { url } of [alpha, beta]) expect(stdout + stderr, name).toContain(url);
    }
    expect(existsSync(join(folder.path, "copy.db"))).toBe(true);
  });

  it("commands accept it if no address is configured, and after --rebind", async () => {
    using folder = makeFolder();
    await using alpha = await startSandbox({ calls: 40 });
    await folder.runWith(settingsFor(alpha), "sync");
    await folder.say("export channel");
    await using moved = await startSandbox({ calls: 40 });
    Object.assign(folder.env, settingsFor(moved));
    expect(await folder.run("export channel")).toMatchObject({ code: 2 });
    for (const command of ["sync --rebind", "export channel"]) await folder.say(command);
    const other = await folder.runWith({ CALLTALLY_ORG_UNIT_ID: "17" }, "export channel");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`${moved.url}, org_unit_id 17`) });
  });
});

describe("calltally export", () => {
  it("refuses a folder with the files of another warehouse or program, until --replace", async () => {
    await using folder = await makeSandboxFolder({ calls: 40 });
    const run = (database: string, command: string) => folder.run(`${command} --database ${database}`);
    for (const database of ["a.db", "b.db"]) await run(database, "sync");
    expect(await run("a.db", "export channel")).toMatchObject({ code: 0 });
    const before = readTree(join(folder.path, "data"));
    const refused = await run("b.db", "export");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("it holds the files of another warehouse");
    expect(readTree(join(folder.path, "data"))).toEqual(before);
    folder.write("data/exports/gclid.csv", "mine");
    expect(await run("b.db", "export utm_source --replace")).toMatchObject({ code: 0 });
    // Files listed by the other's manifest are removed, and others are not.
    const left = ["gclid.csv", "manifest.json", "utm_source.csv"];
    expect(listFiles(join(folder.path, "data/exports"))).toEqual(left);
    // A copy counts as the same warehouse.
    await run("b.db", "backup c.db");
    await run("d.db", "restore c.db");
    expect(await run("d.db", "export")).toMatchObject({ code: 0 });

    const manifest = join(folder.path, "data/exports/manifest.json");
    writeFileSync(manifest, '{"files":[]}');
    expect(await run("b.db", "export")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("calltally did not write its manifest.json"),
    });
    expect(readFileSync(manifest, "utf8")).toBe('{"files":[]}');
  });
});
