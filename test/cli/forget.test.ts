import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "../../src/export/manifest.ts";
import { insights, saveInsight } from "../../src/features/insights/insights.ts";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { readDrift, recordDrift } from "../../src/warehouse/calls/drift.ts";
import { openExistingWarehouse, openReader } from "../../src/warehouse/open.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { FULL_CALL } from "../support/calls.ts";
import { findTraces, makePersonal, spell } from "../support/forgettable.ts";
import { calltally, settingsFor, startCalltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse, storeCalls } from "../support/warehouse.ts";
import { makeFolder } from "./folder.ts";

// For larger numbers: CALLTALLY_FORGET_CALLS=10000 CALLTALLY_FORGET_CALLERS=50 and --testTimeout=0.
const CALLS = Number(process.env.CALLTALLY_FORGET_CALLS ?? 150);
const CALLERS = Number(process.env.CALLTALLY_FORGET_CALLERS ?? 4);

/** A folder with a warehouse whose service has changed, and the people in it. */
async function makeWarehouse() {
  await using scope = new AsyncDisposableStack();
  const folder = scope.use(makeTempFolder());
  const sandbox = scope.use(await startSandbox({ calls: CALLS, oddTexts: true }));
  const env = { ...settingsFor(sandbox), TMPDIR: folder.path };
  const run = (...args: string[]) => calltally(args, { cwd: folder.path, env });
  const sync = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("sync", "--json", ...args);
    expect([0, 3], stderr).toContain(code);
    return JSON.parse(stdout);
  };
  // Read before and after they were edited: pages keep earlier versions of rows.
  await sync();
  const people = makePersonal(sandbox, CALLERS);
  await sync("--full");
  expect(findTraces(join(folder.path, "data"), people).length).toBeGreaterThan(people.length * 20);
  const kept = scope.move();
  return {
    folder: folder.path,
    data: join(folder.path, "data"),
    sandbox,
    env,
    people,
    run,
    sync,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const NUMBER = "+12145550123";
const PERSON = { number: NUMBER, callIds: [5, 6], traces: [...spell(NUMBER), "gusher"] };

/** A folder with a warehouse of three calls, two of one caller. */
function makeSmall() {
  const folder = makeTempFolder();
  fillWarehouse(join(folder.path, "data/calltally.db"), [
    { ...FULL_CALL, call_id: 5, caller_id: NUMBER, summary: "A gusher." },
    { ...FULL_CALL, call_id: 6, caller_id: "1 (214) 555-0123" },
    { ...FULL_CALL, call_id: 7, caller_id: "+15550002222", transcription: null },
  ]);
  const run = (...args: string[]) => calltally(args, { cwd: folder.path });
  return { folder: folder.path, run, [Symbol.asyncDispose]: async () => folder.remove() };
}

type Made = Awaited<ReturnType<typeof makeWarehouse>>;

/** Every rollup by one dimension, cell by cell. */
async function readRollups({ run, folder }: Made): Promise<Record<string, string>> {
  const { code, stderr } = await run("export", ...DIMENSIONS, "--out", "rollups");
  expect([0, 3], stderr).toContain(code);
  const files = globSync("*.csv", { cwd: join(folder, "rollups") });
  expect(files).toHaveLength(DIMENSIONS.length);
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, "rollups", file), "utf8")]));
}

describe("forget", () => {
  it("leaves no byte of its callers, changes no figure, and lets no sync restore anything", async () => {
    await using made = await makeWarehouse();
    const { folder, data, people, run, sync, sandbox, env } = made;
    const before = await readRollups(made);
    writeFileSync(join(folder, "numbers.txt"), people.map(({ number }) => `${number} # one`).join("\n"));
    const forgotten = await run("forget", "--file", "numbers.txt", "--json");
    expect(forgotten, forgotten.stderr).toMatchObject({ code: 0 });
    const { forgotten: counts } = JSON.parse(forgotten.stdout);
    expect(counts).toMatchObject({ callers: CALLERS, rejected_rows: 2 });
    expect(counts.calls).toBeGreaterThan(CALLERS);
    expect(forgotten.stdout + forgotten.stderr).not.toMatch(/\d{10}/);
    expect(findTraces(data, people)).toEqual([]);
    expect(await readRollups(made)).toEqual(before);

    // A late transcript, and a new call of a forgotten caller.
    const [late] = people[2]?.callIds ?? [];
    expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
    sandbox.calls.edit(late ?? 0, { transcription: `later ${people[2]?.traces[7]} said` });
    expect(await sync()).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect(await readRollups(made)).toEqual(before);
    sandbox.calls.insert({ caller_id: people[2]?.number, transcription: `new ${people[2]?.traces[8]}` });
    const killed = startCalltally(["sync", "--full", "--limit", "50"], { cwd: folder, env });
    const requests = sandbox.requests.length;
    while (sandbox.requests.length < requests + 3 && killed.exitCode === null)
      await new Promise(setImmediate);
    killed.kill("SIGKILL");
    await killed.done;
    expect(findTraces(data, people)).toEqual([]);
    await sync("--full");
    await sync();
    await sync();
    expect(findTraces(data, people)).toEqual([]);
    const callers = await run(
      "query",
      "SELECT count(DISTINCT caller_id) AS n FROM call_facts",
      "--format",
      "json",
    );
    const channels = await run(
      "query",
      "SELECT sum(calls) AS n FROM attributed_callers WHERE caller LIKE 'forgotten%'",
      "--format",
      "json",
    );
    expect([JSON.parse(callers.stdout), JSON.parse(channels.stdout)]).toEqual([
      [{ n: new Set(sandbox.calls.ids.map((id) => sandbox.calls.get(id)?.caller_id ?? null)).size - 1 }],
      [{ n: people.reduce((sum, { callIds }) => sum + callIds.length, 0) + 1 }],
    ]);

    // An unkeyed hash of the served row would allow finding the number.
    const hashed = await run(
      "query",
      "SELECT count(served_hash) AS n FROM calls WHERE caller_id LIKE 'forgotten%'",
      "--format",
      "json",
    );
    expect(JSON.parse(hashed.stdout)).toEqual([{ n: 0 }]);

    const doctor = await run("doctor", "--deep", "--json");
    expect(
      JSON.parse(doctor.stdout).checks.filter((check: { status: string }) => check.status === "error"),
    ).toEqual([]);
    expect(await run("backup", "data/backup.db")).toMatchObject({ code: 0, stderr: "" });
    expect(findTraces(data, people)).toEqual([]);
    const log = await run("privacy", "log", "--json");
    expect(JSON.parse(log.stdout)).toMatchObject([{ act: "forget", counts, erased_at: expect.any(String) }]);
  });

  it("names exported files and copies that still have a caller, and removes the files with --exports", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    await run("export", "calls", "callers", "channel", "--with", "transcription");
    await run("export", "calls", "--format", "parquet", "--out", "data/parquet");
    await run("export", "channel", "calls", "--format", "xlsx", "--out", "data/book");
    await run("export", "channel", "--format", "xlsx", "--out", "data/figures");
    await run("backup", "data/old.db");
    const forgotten = await run("forget", NUMBER, "--json");
    const parquet = globSync("data/parquet/calls/month=*/calls.parquet", { cwd: folder }).map((path) =>
      join(folder, path),
    );
    const found = (removed: boolean) => [
      { path: join(folder, "data/book/calltally.xlsx"), holds: "perhaps", removed },
      ...["data/exports/callers.csv", "data/exports/calls.csv"].map((file) => ({
        path: join(folder, file),
        holds: "yes",
        removed,
      })),
      // Whatever its contents: campaigns may be numbers.
      { path: join(folder, "data/figures/calltally.xlsx"), holds: "perhaps", removed },
      ...parquet.map((path) => ({ path, holds: "perhaps", removed })),
    ];
    expect(JSON.parse(forgotten.stdout)).toMatchObject({
      forgotten: { callers: 1, calls: 2 },
      exported_files: found(false),
      copies: [join(folder, "data/old.db")],
    });
    const again = await run("forget", NUMBER, "--exports", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({
      forgotten: { callers: 0, calls: 0 },
      exported_files: found(true),
    });
    const left = globSync(["data/*/*.*", "data/*/*/*/*"], { cwd: folder });
    expect(left.sort()).toEqual([
      "data/book/manifest.json",
      "data/exports/channel.csv",
      "data/exports/manifest.json",
      "data/figures/manifest.json",
      "data/parquet/manifest.json",
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, "data/exports/manifest.json"), "utf8"));
    expect(manifest.files.map(({ file }: { file: string }) => file)).toEqual(["channel.csv"]);
    expect(manifest.fingerprint).toBe(fingerprintOf(manifest));
    expect(JSON.parse((await run("forget", NUMBER, "--json")).stdout).exported_files).toEqual([]);

    // An older backup does not restore anybody.
    expect(await run("restore", "data/old.db")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("forgotten"),
    });
    const inCopies = findTraces(join(folder, "data"), [PERSON]).map((trace) => trace.split(":")[0]);
    expect(new Set(inCopies)).toEqual(new Set(["old.db"]));
  });

  it("finds files that only manifests name, and removes the number from the filter of a manifest", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    await run("export", "channel", "--campaign", NUMBER, "--allow-empty", "--out", "filtered");
    await run("export", "channel", "--tracking-number", "+49 89 654321", "--out", "called");
    await run("export", "callers", "--out", "data/exports");
    await run("export", "channel", "--format", "parquet", "--out", "rollup");
    {
      // For a user who may only read the warehouse.
      using warehouse = openExistingWarehouse(join(folder, "data/calltally.db"));
      warehouse.sqlite.exec("DELETE FROM exports WHERE path LIKE '%/data/exports/%'");
    }
    writeFileSync(join(folder, "data/outside.csv"), NUMBER);
    const manifest = join(folder, "rollup/manifest.json");
    const text = readFileSync(manifest, "utf8");
    writeFileSync(manifest, text.replace('"files": [', '"files": [{ "file": "../data/outside.csv" },'));
    const expected = (removed: boolean) => [
      { path: join(folder, "rollup/channel.parquet"), holds: "perhaps", removed },
      { path: join(folder, "filtered/manifest.json"), holds: "yes", removed },
      { path: join(folder, "data/exports/callers.csv"), holds: "yes", removed },
    ];
    const found = await run("forget", NUMBER, "--json");
    expect(JSON.parse(found.stdout).exported_files).toEqual(expected(false));
    const removed = await run("forget", NUMBER, "--exports");
    expect(removed.stdout).toContain(
      "2 exported files removed:\n  rollup/channel.parquet\n  data/exports/callers.csv\n1 manifest rewritten without them:\n  filtered/manifest.json\n",
    );
    const left = JSON.parse(readFileSync(join(folder, "filtered/manifest.json"), "utf8"));
    expect(left.filter).toMatchObject({ campaign: ["+99999999999"] });
    expect(left.fingerprint).toBe(fingerprintOf(left));
    expect(
      globSync("{rollup,filtered,called,data/exports,data}/*.{csv,parquet}", { cwd: folder }).sort(),
    ).toEqual(["called/channel.csv", "data/outside.csv", "filtered/channel.csv"]);
    expect(JSON.parse((await run("forget", NUMBER, "--json")).stdout).exported_files).toEqual([]);
  });

  it("accepts a caller_hash, names unknown callers without their numbers, and blocks them on request", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    const unknown = await run("forget", NUMBER, "+15550001111");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toBe(`calltally: Cannot forget number 2: no data found in the warehouse
Nobody was forgotten. Check the country code, or use --allow-empty to block such numbers from now on.
`);
    expect((await run("privacy", "log")).stdout).toBe("No personal data has been removed.\n");
    expect(await run("forget", "12")).toMatchObject({ code: 2, stderr: expect.not.stringContaining("12") });
    expect(await run("forget")).toMatchObject({ code: 2 });

    await run("export", "callers");
    const [, line = ""] = readFileSync(join(folder, "data/exports/callers.csv"), "utf8").split("\r\n");
    const [hash = ""] = line.split(",");
    const byHash = await run("forget", "--caller-hash", hash, "--exports", "--json");
    expect(JSON.parse(byHash.stdout)).toMatchObject({
      forgotten: { callers: 1, calls: 2 },
      exported_files: [{}],
    });
    expect(findTraces(join(folder, "data"), [PERSON])).toEqual([]);
    expect(JSON.parse((await run("forget", "--caller-hash", hash, "--json")).stdout).forgotten.callers).toBe(
      0,
    );
    const early = await run("forget", "+15550001111", "--allow-empty", "--json");
    expect(JSON.parse(early.stdout)).toMatchObject({ forgotten: { callers: 1, calls: 0 }, unknown: 1 });
    {
      using warehouse = openExistingWarehouse(join(folder, "data/calltally.db"));
      storeCalls(
        warehouse,
        [{ ...FULL_CALL, call_id: 9, caller_id: "001 555 000 1111", summary: "A gusher." }],
        { runId: 2 },
      );
    }
    expect(
      findTraces(join(folder, "data"), [{ ...PERSON, traces: [...spell("+15550001111"), "gusher"] }]),
    ).toEqual([]);
  });

  it("exits with 6 while another process reads, and completes when run again", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    {
      using reader = openReader(join(folder, "data/calltally.db"));
      reader.sqlite.exec("BEGIN");
      reader.sqlite.prepare("SELECT count(*) FROM calls").get();
      const held = await run("forget", NUMBER);
      expect(held).toMatchObject({ code: 6, stdout: "" });
      expect(held.stderr).toContain("Run the same command again to erase it from the file");
      expect((await run("privacy", "log")).stdout).toContain("not yet: run the command again");
    }
    expect(await run("forget", NUMBER)).toMatchObject({ code: 0 });
    expect(findTraces(join(folder, "data"), [PERSON])).toEqual([]);
    expect((await run("privacy", "log")).stdout).not.toContain("not yet");
  });

  it("prevents all writing without the key that identifies forgotten callers", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    await run("forget", NUMBER);
    rmSync(join(folder, "data/calltally.db.caller-key"));
    await using sandbox = await startSandbox({ calls: 5 });
    const env = settingsFor(sandbox);
    const sync = await calltally(["sync", "--rebind"], { cwd: folder, env });
    expect(sync).toMatchObject({ code: 7, stderr: expect.stringContaining("caller-key, is missing") });
    expect(await run("export", "calls")).toMatchObject({ code: 0 }); // creates another key
    const other = await calltally(["sync", "--rebind"], { cwd: folder, env });
    expect(other).toMatchObject({ code: 7, stderr: expect.stringContaining("is another one") });
  });

  it("keeps them excluded by filters, and masks what an insight or the name of a member would restore", async () => {
    await using made = makeSmall();
    const { run, folder } = made;
    writeFileSync(join(folder, "own.txt"), NUMBER);
    const read = async () => {
      const { code } = await run("export", "channel", "--exclude-callers", "own.txt");
      return [code, readFileSync(join(folder, "data/exports/channel.csv"), "utf8")];
    };
    const before = await read();
    await run("forget", NUMBER);
    expect(await read()).toEqual(before);
    using warehouse = openExistingWarehouse(join(folder, "data/calltally.db"));
    const member = { kind: "unknown", json_type: "string", first_run_id: 1, first_seen_at: "t" } as const;
    recordDrift(warehouse, [{ ...member, path: `dni_data.${NUMBER}` }], keepingAll(warehouse));
    expect(readDrift(warehouse)).toMatchObject([{ path: "dni_data.[name]" }]);
    const { fetched_at, ...insight } = warehouse.db
      .insert(insights)
      .values({ insight_id: 1, fetched_at: "t" })
      .returning()
      .get();
    writeTransaction(warehouse, (tx) =>
      saveInsight(tx, { ...insight, llm_config: { example: `Call ${NUMBER}` }, group_list: [] }, "u"),
    );
    expect(warehouse.db.select().from(insights).get()?.llm_config).toEqual({ example: "Call +99999999999" });
    expect(findTraces(join(folder, "data"), [PERSON])).toEqual([]);
  });

  it("with --all-accounts forgets callers in every account that has them, and nobody if one is unknown", async () => {
    using folder = makeFolder();
    const account = (name: string) =>
      `  ${name}: { base_url: "http://127.0.0.1:1", token_file: ${name}.token }\n`;
    const NAMES = ["acme", "beta", "gamma"];
    writeFileSync(join(folder.path, "unsynced.token"), "t", { mode: 0o600 });
    writeFileSync(
      join(folder.path, "calltally.yaml"),
      `accounts:\n${[...NAMES, "unsynced"].map(account).join("")}`,
      {
        mode: 0o600,
      },
    );
    const [OTHER, THIRD] = ["+15550002222", "+15550003333"];
    for (const [name, callers] of [
      ["acme", [NUMBER, OTHER]],
      ["beta", [NUMBER]],
      ["gamma", [THIRD]],
    ] as const) {
      writeFileSync(join(folder.path, `${name}.token`), "t", { mode: 0o600 });
      const calls = callers.map((caller_id, index) => ({ ...FULL_CALL, call_id: index + 1, caller_id }));
      fillWarehouse(join(folder.path, `data/${name}/calltally.db`), calls);
    }
    const run = (...args: string[]) => folder.run("forget", ...args);
    const callers = () =>
      NAMES.filter((name) => readFileSync(join(folder.path, `data/${name}/calltally.db`)).length > 100).map(
        (name) => {
          using reader = openReader(join(folder.path, `data/${name}/calltally.db`));
          return reader.sqlite.prepare("SELECT caller_id FROM calls ORDER BY call_id").pluck().all();
        },
      );
    expect(await run(NUMBER)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/works on one account.*\nName one.*, or add --all-accounts/),
    });
    expect(await run("--all-accounts", NUMBER, "+15550009999")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Cannot forget number 2: no data found"),
    });
    expect(callers()).toEqual([[NUMBER, OTHER], [NUMBER], [THIRD]]);
    const { code, stdout } = await run("--all-accounts", "--json", NUMBER, OTHER);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      acme: { forgotten: { callers: 2, calls: 2 } },
      beta: { forgotten: { callers: 1, calls: 1 } },
      gamma: { forgotten: null },
      unsynced: { forgotten: null },
    });
    const forgotten = expect.stringMatching(/^forgotten[0-9a-f]{16}$/);
    expect(callers()).toEqual([[forgotten, forgotten], [forgotten], [THIRD]]);
    writeFileSync(join(folder.path, "data/beta/calltally.db"), "no warehouse");
    expect(await run("--all-accounts", THIRD)).toMatchObject({
      code: 7,
      stdout: expect.stringMatching(/gamma\n1 caller forgotten/),
      stderr: expect.stringMatching(/^beta: .*calltally.db/m),
    });
    expect(callers().at(-1)).toEqual([forgotten]);
  });
});
