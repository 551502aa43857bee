import { hash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { startRowService } from "../sync/row-service.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally, settingsFor, startCalltally } from "./run.ts";

const readTree = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(shm|wal)$/.test(entry.name))
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  );

describe("a warehouse", () => {
  it("takes calls from one address alone, until --rebind", async () => {
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

  it("takes a new token of the account that it has calls of, and not one of another account", async () => {
    using folder = makeTempFolder();
    const sync = (sandbox: { url: string; token: string }, ...args: string[]) =>
      calltally(["sync", ...args], { cwd: folder.path, env: settingsFor(sandbox) });
    let port: number;
    {
      await using sandbox = await startSandbox({ calls: 40, now: new Date("2026-11-01") });
      port = Number(new URL(sandbox.url).port);
      expect(await sync(sandbox)).toMatchObject({ code: 0 });
    }
    {
      await using sandbox = await startSandbox({
        port,
        calls: 40,
        now: new Date("2026-11-01"),
        token: "renewed-token",
      });
      expect(await sync(sandbox)).toMatchObject({ code: 0 });
    }
    await using other = await startSandbox({
      port,
      calls: 40,
      now: new Date("2025-01-01"),
      token: "someone-elses-token",
    });
    const refused = await sync(other);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`none of the 40 calls read from ${other.url} is known`);
    const { stdout } = await calltally(
      [
        "query",
        "SELECT count(*) AS calls, max(call_started) < '2026' AS mixed FROM calls",
        "--format",
        "json",
      ],
      { cwd: folder.path },
    );
    expect(JSON.parse(stdout)).toEqual([{ calls: 40, mixed: 0 }]);
    const insight = await calltally(["insight", "sync", "101"], {
      cwd: folder.path,
      env: settingsFor(other),
    });
    expect(insight).toMatchObject({ code: 2, stderr: expect.stringContaining("Run `calltally sync` first") });
    expect(await sync(other, "--rebind")).toMatchObject({ code: 0 });
  });

  it.each<{ title: string; theirs: { call_id: number }[] }>([
    {
      title: "with a row that cannot be read",
      theirs: [{ call_id: 3, ...{ duration: "12s" } }, { call_id: 4 }],
    },
    { title: "with calls of no time", theirs: [{ call_id: 2, ...{ call_started: null } }, { call_id: 4 }] },
    { title: "without any call", theirs: [] },
  ])("refuses another account that shares its ids, $title", async ({ theirs }) => {
    using folder = makeTempFolder();
    const started = (call_id: number) => new Date(Date.UTC(2026, 10, 20) - call_id * 3_600_000).toISOString();
    const rowsOf = (rows: readonly { call_id: number }[], duration: number) =>
      rows.map((row) => JSON.stringify({ duration, call_started: started(row.call_id + duration), ...row }));
    await using service = await startRowService(
      rowsOf([{ call_id: 1 }, { call_id: 2, ...{ call_started: null } }, { call_id: 3 }], 0),
    );
    const sync = (token: string) =>
      calltally(["sync", "--full"], {
        cwd: folder.path,
        env: { CALLTALLY_BASE_URL: service.url.origin, CALLTALLY_TOKEN: token },
      });
    expect(await sync("token-of-account-0")).toMatchObject({ code: 0 });
    service.rows = rowsOf(theirs, 1);
    const refused = await sync("token-of-account-1");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`none of the ${theirs.length} calls read`);
    const { stdout } = await calltally(
      [
        "query",
        "SELECT sum(duration) AS theirs, count(missing_since) AS missing, count(*) AS calls FROM calls",
        "--format",
        "json",
      ],
      { cwd: folder.path },
    );
    expect(JSON.parse(stdout)).toEqual([{ theirs: 0, missing: 0, calls: 3 }]);
  });

  it("of made-up calls says so in each outlet, and takes no real ones", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 40 });
    await calltally(["demo"], { cwd: folder.path });
    const env = { ...settingsFor(sandbox), CALLTALLY_DATABASE: "data/demo/calltally.db" };
    for (const args of [["sync"], ["sync", "--rebind"]]) {
      const refused = await calltally(args, { cwd: folder.path, env });
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("Cannot mix the made-up calls");
    }
    const madeUp = "These calls are made up: calltally demo made the warehouse.";
    const exported = await calltally(["export", "channel"], { cwd: folder.path, env });
    expect(exported.stdout).toContain(madeUp);
    const manifest: unknown = JSON.parse(
      readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"),
    );
    expect(manifest).toMatchObject({ origin: { made_by_demo: true, account: null } });
    const streamed = await calltally(["export", "channel", "--stdout"], { cwd: folder.path, env });
    expect(streamed.stderr).toContain(madeUp);
    expect((await calltally(["status"], { cwd: folder.path, env })).stdout).toContain("made-up calls");
  });
});

describe("calltally demo", () => {
  it.each<{ title: string; make: (folder: string, real: string) => void; says: string }>([
    {
      title: "a warehouse of real calls",
      make: (demo, real) => cpSync(real, join(demo, "calltally.db")),
      says: "calltally.db is there",
    },
    {
      title: "somebody's file",
      make: (demo) => writeFileSync(join(demo, "gclid.csv"), "mine"),
      says: "gclid.csv is there",
    },
    {
      title: "the manifest of another program",
      make: (demo) => writeFileSync(join(demo, "manifest.json"), "{}"),
      says: "manifest.json is not one of calltally",
    },
  ])("leaves $title as it is", async ({ make, says }) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 40 });
    await calltally(["sync"], { cwd: folder.path, env: settingsFor(sandbox) });
    mkdirSync(join(folder.path, "data/demo"));
    make(join(folder.path, "data/demo"), join(folder.path, "data/calltally.db"));
    const before = readTree(folder.path);
    const { code, stdout, stderr } = await calltally(["demo"], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(readTree(folder.path)).toEqual(before);
  });
});

test("calltally demo leaves a file that was changed since it made it", async () => {
  using folder = makeTempFolder();
  await calltally(["demo"], { cwd: folder.path });
  const file = join(folder.path, "data/demo/gclid.csv");
  writeFileSync(file, "edited");
  const { code, stderr } = await calltally(["demo"], { cwd: folder.path });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} is there`) });
  expect(readFileSync(file, "utf8")).toBe("edited");
});

describe("calltally export", () => {
  it("refuses a folder with the files of another warehouse or program, until --replace", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 40 });
    const run = (database: string, ...args: string[]) =>
      calltally([...args, "--database", database], { cwd: folder.path, env: settingsFor(sandbox) });
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
    // What the other's manifest listed is gone, and what it did not is not.
    expect(readdirSync(join(folder.path, "data/exports")).sort()).toEqual([
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "utm_source.csv",
    ]);
    expect(await run("b.db", "export")).toMatchObject({ code: 0 });
    expect(await run("a.db", "export")).toMatchObject({ code: 2 });
    // A copy is of the same warehouse.
    await run("b.db", "backup", "c.db");
    await run("d.db", "restore", "c.db");
    expect(await run("d.db", "export")).toMatchObject({ code: 0 });

    const manifest = join(folder.path, "data/exports/manifest.json");
    writeFileSync(manifest, '{"name":"a web app"}');
    expect(await run("b.db", "export")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not one of calltally"),
    });
    expect(readFileSync(manifest, "utf8")).toBe('{"name":"a web app"}');
  });

  it("takes turns with others to the same folder, so that the manifest fits the files", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 3000 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const start = (...args: string[]) => startCalltally(args, options);
    await calltally(["sync"], options);
    const flags = [["--raw"], ["--channel", "paid search"], ["--has-gclid"], []];
    const ended = await Promise.all(
      flags.map((given) => start("export", "utm_source", "calls", ...given).done),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const exports = join(folder.path, "data/exports");
    const manifest = JSON.parse(readFileSync(join(exports, "manifest.json"), "utf8"));
    for (const { file, sha256 } of manifest.files) {
      expect(hash("sha256", readFileSync(join(exports, file))), file).toBe(sha256);
    }
    expect(readdirSync(exports).sort()).toEqual(["calls.csv", "manifest.json", "utm_source.csv"]);
  });
});
