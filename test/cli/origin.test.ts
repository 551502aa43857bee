import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { readCommands } from "../../src/reference/command-tree.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { makeCall } from "../support/calls.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse } from "../support/warehouse.ts";
import { writeAccounts } from "./agency.ts";
import { makeFolder, makeSandboxFolder } from "./folder.ts";

const readTree = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(shm|wal)$/.test(entry.name))
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  );

describe("origin of a warehouse", () => {
  it("allows calls from only one address, until --rebind", async () => {
    using folder = makeTempFolder();
    await using first = await startSandbox({ calls: 40 });
    await using second = await startSandbox({ calls: 40, seed: 2 });
    const at = (sandbox: typeof first, ...args: string[]) =>
      calltally(args, { cwd: folder.path, env: settingsFor(sandbox) });
    expect(await at(first, "sync")).toMatchObject({ code: 0 });
    const before = await at(first, "query", "SELECT * FROM calls", "--format", "json");

    for (const args of [
      ["sync"],
      ["insight", "sync", "101"],
      ["webhook", "patch", "44", "--status", "inactive"],
    ]) {
      const refused = await at(second, ...args);
      expect(refused, args.join(" ")).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain(`with ${second.url}: it is a copy of ${first.url}`);
      expect(refused.stderr).toContain("calltally sync --rebind");
    }
    expect((await at(second, "query", "SELECT * FROM calls", "--format", "json")).stdout).toBe(before.stdout);
    expect(second.webhooks.get(44)?.webhook_status).not.toBe("inactive");
    const doctor = await at(second, "doctor");
    expect(doctor).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^fail {2}origin .*is a copy of/m),
    });

    expect((await at(second, "sync", "--rebind")).stdout).toContain("read");
    expect(await at(second, "insight", "sync", "101")).toMatchObject({ code: 0 });
    expect((await at(second, "status")).stdout).toContain(`a copy of ${second.url}\n`);
    expect(await at(first, "sync")).toMatchObject({ code: 2 });
  });

  it("of generated calls is named in each outlet, and excludes real calls", async () => {
    await using folder = await makeSandboxFolder({ calls: 40 });
    const database = folder.database;
    fillWarehouse(database, [makeCall()]);
    new Database(database).exec("UPDATE origin SET is_demo = 1").close();
    for (const args of [["sync"], ["sync", "--rebind"]]) {
      const refused = await folder.run(...args);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("Cannot mix the made-up calls");
    }
    const madeUp = "These calls are made up: calltally demo made the warehouse.";
    const exported = await folder.run("export channel");
    expect(exported.stdout).toContain(madeUp);
    const manifest: unknown = JSON.parse(
      readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"),
    );
    expect(manifest).toMatchObject({ origin: { made_by_demo: true, account: null } });
    const streamed = await folder.run("export channel --stdout");
    expect(streamed.stderr).toContain(madeUp);
    expect((await folder.run("status")).stdout).toContain("made-up calls");
  });
});

describe("warehouse of another account", () => {
  /**
   * Whether each command that reads or writes a warehouse refuses another account's, or only remarks it. For an
   * assistant, each call is refused: see test/mcp/warehouse.test.ts.
   */
  const COMMANDS: Record<string, { args: string[]; is: "refused" | "said" | "refused when asked" }> = {
    sync: { args: [], is: "refused" },
    export: { args: ["channel"], is: "refused" },
    report: { args: [], is: "refused" },
    topics: { args: [], is: "refused" },
    channels: { args: [], is: "refused" },
    hygiene: { args: [], is: "refused" },
    "uploads list": { args: [], is: "refused" },
    "uploads forget": { args: ["1"], is: "refused" },
    "spend import": {
      args: ["spend.csv", "--source", "google", "--medium", "cpc", "--currency", "USD"],
      is: "refused",
    },
    "spend list": { args: [], is: "refused" },
    "spend remove": { args: ["1"], is: "refused" },
    "outcome import": { args: ["jobs.csv"], is: "refused" },
    "outcome list": { args: [], is: "refused" },
    "outcome remove": { args: ["1"], is: "refused" },
    verify: { args: [], is: "refused" },
    publish: { args: ["--to", "clickhouse://127.0.0.1:9/calls"], is: "refused" },
    restatements: { args: [], is: "refused" },
    explain: { args: ["1"], is: "refused" },
    forget: { args: ["+49301234567"], is: "refused" },
    "privacy log": { args: [], is: "refused" },
    prune: { args: [], is: "refused" },
    restore: { args: ["alpha.backup"], is: "refused" },
    "insight sync": { args: ["101"], is: "refused" },
    "webhook patch": { args: ["44", "--status", "inactive"], is: "refused" },
    "webhook replace": { args: ["44", "--file", "webhook.json"], is: "refused" },
    status: { args: [], is: "said" },
    doctor: { args: [], is: "said" },
    query: { args: ["SELECT 1"], is: "said" },
    backup: { args: ["copy.db"], is: "said" },
    mcp: { args: [], is: "refused when asked" },
  };
  /** The same for commands that have no --database. */
  const OTHERS: [string, ...string[]][] = [
    ["run", "weekly", "--deliver"],
    ["job", "export"],
    ["job", "report:weekly"],
    ["export", "--by", "account,channel"],
    ["export", "channel", "--stdout"],
    ["report", "--stdout"],
    ["prune", "--dry-run"],
  ];

  it("is refused by each command that works for an account, and remarked by those about the file", async () => {
    const { commands } = await readCommands();
    const ofFile = commands.filter(({ groups }) =>
      groups.some(({ terms }) => terms.some(({ term }) => term.startsWith("--database"))),
    );
    expect(Object.keys(COMMANDS).sort()).toEqual(
      ofFile.map(({ name }) => name.replace("calltally ", "")).sort(),
    );

    using folder = makeFolder();
    const { options, run } = folder;
    await using alpha = await startSandbox({ calls: 40 });
    await using beta = await startSandbox({ calls: 40, seed: 2 });
    await calltally(["sync"], { ...options, env: settingsFor(alpha) });
    await calltally(["backup", "alpha.backup"], { ...options, env: settingsFor(alpha) });
    writeAccounts(folder.path, { beta }, { more: { beta: "database: data/calltally.db" } });
    appendFileSync(
      join(folder.path, "calltally.yaml"),
      'reports:\n  weekly: { contents: [channel], cron: "0 7 * * 1", deliver: [{ command: [touch, sent] }] }\n',
    );
    writeFileSync(join(folder.path, "spend.csv"), "Day,Campaign,Cost\n2026-11-01,brand,12.50\n");
    const webhook = Object.entries(beta.webhooks.get(44) ?? {}).filter(
      ([name]) => !/_(id|created|updated)$/.test(name),
    );
    writeFileSync(join(folder.path, "webhook.json"), JSON.stringify(Object.fromEntries(webhook)));
    const before = readdirSync(folder.path);
    const refused = async (args: string[]) => {
      const { code, stdout, stderr } = await run(...args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      for (const word of [alpha.url, beta.url, "--rebind"]) expect(stderr, args.join(" ")).toContain(word);
    };
    for (const [name, { args, is }] of Object.entries(COMMANDS)) {
      if (is === "refused") await refused([...name.split(" "), ...args]);
    }
    for (const args of OTHERS) await refused(args);
    expect(readdirSync(folder.path)).toEqual(before);
    const ledger = await run("query", "SELECT count(*) AS runs FROM report_runs", "--format", "csv");
    expect(ledger.stdout).toBe("runs\r\n0\r\n");

    for (const [name, { args, is }] of Object.entries(COMMANDS)) {
      if (is !== "said") continue;
      const { stdout, stderr } = await run(...name.split(" "), ...args);
      for (const { url } of [alpha, beta]) expect(stdout + stderr, name).toContain(url);
    }
    expect(existsSync(join(folder.path, "copy.db"))).toBe(true);
  });

  it("is delivered nowhere by an account at the same address with another token until a sync", async () => {
    using folder = makeFolder();
    const { options, run } = folder;
    await using service = await startSandbox({ calls: 40 });
    await calltally(["sync"], { ...options, env: settingsFor(service) });
    const runAs = (token: string, ...args: string[]) => {
      const beta = { url: service.url, token };
      writeAccounts(folder.path, { beta }, { more: { beta: "database: data/calltally.db" } });
      appendFileSync(
        join(folder.path, "calltally.yaml"),
        "reports:\n  weekly: { contents: [channel], deliver: [{ command: [touch, sent] }] }\n",
      );
      return run("run weekly", ...args);
    };
    const refused = await runAs("another-token", "--deliver");
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the token changed since the last sync"),
    });
    expect(existsSync(join(folder.path, "sent"))).toBe(false);
    expect(await runAs("another-token")).toMatchObject({ code: 0 });
    expect(await runAs(service.token, "--deliver")).toMatchObject({ code: 0 });
    expect(existsSync(join(folder.path, "sent"))).toBe(true);
  });

  it("is accepted if no address is configured, and after --rebind", async () => {
    using folder = makeTempFolder();
    await using alpha = await startSandbox({ calls: 40 });
    const run = (env: Record<string, string>, ...args: string[]) =>
      calltally(args, { cwd: folder.path, env });
    await run(settingsFor(alpha), "sync");
    expect(await run({}, "export", "channel")).toMatchObject({ code: 0 });
    await using moved = await startSandbox({ calls: 40 });
    expect(await run(settingsFor(moved), "export", "channel")).toMatchObject({ code: 2 });
    expect(await run(settingsFor(moved), "sync", "--rebind")).toMatchObject({ code: 0 });
    expect(await run(settingsFor(moved), "export", "channel")).toMatchObject({ code: 0 });
    const ofUnit = { ...settingsFor(moved), CALLTALLY_ORG_UNIT_ID: "17" };
    const other = await run(ofUnit, "export", "channel");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`${moved.url}, org_unit_id 17`) });
  });
});

describe("calltally export", () => {
  it("refuses a folder with the files of another warehouse or program, until --replace", async () => {
    await using folder = await makeSandboxFolder({ calls: 40 });
    const run = (database: string, ...args: string[]) => folder.run(...args, "--database", database);
    for (const database of ["a.db", "b.db"]) await run(database, "sync");
    expect(await run("a.db", "export")).toMatchObject({ code: 0 });
    const before = readTree(join(folder.path, "data"));
    const refused = await run("b.db", "export");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("it holds the files of another warehouse");
    expect(readTree(join(folder.path, "data"))).toEqual(before);
    expect(await run("a.db", "export")).toMatchObject({ code: 0 });
    await run("a.db", "export", "utm_source", "channel");
    writeFileSync(join(folder.path, "data/exports/gclid.csv"), "mine");
    expect(await run("b.db", "export", "utm_source", "--replace")).toMatchObject({ code: 0 });
    // Files listed by the other's manifest are removed, and others are not.
    expect(readdirSync(join(folder.path, "data/exports")).sort()).toEqual([
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "utm_source.csv",
    ]);
    expect(await run("b.db", "export")).toMatchObject({ code: 0 });
    expect(await run("a.db", "export")).toMatchObject({ code: 2 });
    // A copy counts as the same warehouse.
    await run("b.db", "backup", "c.db");
    await run("d.db", "restore", "c.db");
    expect(await run("d.db", "export")).toMatchObject({ code: 0 });

    const manifest = join(folder.path, "data/exports/manifest.json");
    for (const other of ['{"name":"a web app"}', '{"files":[]}']) {
      writeFileSync(manifest, other);
      expect(await run("b.db", "export")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("calltally did not write its manifest.json"),
      });
      expect(readFileSync(manifest, "utf8")).toBe(other);
    }
  });
});
