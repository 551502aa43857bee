import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fingerprintOf } from "../../../src/export/manifest.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import { readText } from "../../support/temp-folder.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { findTraces, spell } from "../../support/warehouses/forgettable.ts";
import { fillWarehouse, readColumn } from "../../support/warehouses/warehouse.ts";
import { writeAccounts } from "../accounts/agency.ts";
import { type Folder, makeCallsFolder, makeFolder } from "../folder.ts";
import { makePersonalFolder } from "./personal-folder.ts";

// For larger numbers: CALLTALLY_FORGET_CALLS=10000 CALLTALLY_FORGET_CALLERS=50 and --testTimeout=0.
const CALLS = Number(process.env.CALLTALLY_FORGET_CALLS ?? 150);
const CALLERS = Number(process.env.CALLTALLY_FORGET_CALLERS ?? 4);

const NUMBER = "+12145550123";
const PERSON = { number: NUMBER, callIds: [5, 6], traces: [...spell(NUMBER), "gusher"] };
/** Three calls, two of one caller. */
const THREE_CALLS = [
  { ...FULL_CALL, call_id: 5, caller_id: NUMBER, summary: "A gusher." },
  { ...FULL_CALL, call_id: 6, caller_id: "1 (214) 555-0123" },
  { ...FULL_CALL, call_id: 7, caller_id: "+15550002222", transcription: null },
];
const makeSmall = () => makeCallsFolder(THREE_CALLS);

const forgetIn = async ({ run }: Folder, ...args: string[]) =>
  JSON.parse((await run("forget --json", ...args)).stdout);

it("forget leaves no byte of its callers, changes no figure, and lets no sync restore anything", async () => {
  await using folder = await makePersonalFolder({ calls: CALLS, oddTexts: true }, CALLERS);
  const { data, people, run, sync, sandbox, read, readRollups } = folder;
  expect(findTraces(data, people).length).toBeGreaterThan(people.length * 20);
  const before = await readRollups();
  folder.write("numbers.txt", people.map(({ number }) => `${number} # one`).join("\n"));
  const forgotten = await run("forget --file numbers.txt --json");
  expect(forgotten, forgotten.stderr).toMatchObject({ code: 0 });
  const { forgotten: counts } = JSON.parse(forgotten.stdout);
  expect(counts).toMatchObject({ callers: CALLERS, rejected_rows: 2 });
  expect(counts.calls).toBeGreaterThan(CALLERS);
  expect(forgotten.stdout + forgotten.stderr).not.toMatch(/\d{10}/);
  expect(findTraces(data, people)).toEqual([]);
  expect(await readRollups()).toEqual(before);

  // A late transcript, and a new call of a forgotten caller.
  const [late] = people[2]?.callIds ?? [];
  sandbox.calls.edit(late ?? 0, { transcription: `later ${people[2]?.traces[7]} said` });
  expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
  sandbox.calls.insert({ caller_id: people[2]?.number, transcription: `new ${people[2]?.traces[8]}` });
  await folder.killSync();
  expect(findTraces(data, people)).toEqual([]);
  await sync("--full");
  await sync();
  expect(findTraces(data, people)).toEqual([]);
  const served = new Set(sandbox.calls.ids.map((id) => sandbox.calls.get(id)?.caller_id ?? null));
  // An unkeyed hash of the served row would allow finding the number.
  expect(
    read(`SELECT (SELECT count(DISTINCT caller_id) FROM call_facts) AS callers,
        (SELECT sum(calls) FROM attributed_callers WHERE caller LIKE 'forgotten%') AS of_forgotten,
        (SELECT count(served_hash) FROM calls WHERE caller_id LIKE 'forgotten%') AS hashes`),
  ).toEqual([
    {
      callers: served.size - 1,
      of_forgotten: people.reduce((sum, { callIds }) => sum + callIds.length, 0) + 1,
      hashes: 0,
    },
  ]);
  await folder.expectSound();
  expect(findTraces(data, people)).toEqual([]);
  const log = await run("privacy log --json");
  expect(JSON.parse(log.stdout)).toMatchObject([{ act: "forget", counts, erased_at: expect.any(String) }]);
});

it("forget names exported files and copies that still have a caller, and removes the files with --exports", async () => {
  using folder = makeSmall();
  const { run, say, path } = folder;
  await say("export calls callers channel --with transcription");
  await say("export calls --format parquet --out data/parquet");
  await say("export channel calls --format xlsx --out data/book");
  // Whatever its contents: campaigns may be numbers.
  await say("export channel --format xlsx --out data/figures");
  await say("backup data/old.db");
  const parquet = globSync("data/parquet/calls/month=*/calls.parquet", { cwd: path });
  const csv = ["data/exports/callers.csv", "data/exports/calls.csv"];
  const files = ["data/book/calltally.xlsx", ...csv, "data/figures/calltally.xlsx", ...parquet];
  const found = (removed: boolean) =>
    files.map((file) => ({ path: join(path, file), holds: csv.includes(file) ? "yes" : "perhaps", removed }));
  expect(await forgetIn(folder, NUMBER)).toMatchObject({
    forgotten: { callers: 1, calls: 2 },
    exported_files: found(false),
    copies: [join(path, "data/old.db")],
  });
  expect(await forgetIn(folder, NUMBER, "--exports")).toMatchObject({
    forgotten: { callers: 0, calls: 0 },
    exported_files: found(true),
  });
  expect(globSync(["data/*/*.{csv,xlsx}", "data/*/*/*/*"], { cwd: path })).toEqual([
    "data/exports/channel.csv",
  ]);
  const manifest = JSON.parse(readText(path, "data/exports/manifest.json"));
  expect(manifest.files).toMatchObject([{ file: "channel.csv" }]);
  expect(manifest.fingerprint).toBe(fingerprintOf(manifest));
  expect((await forgetIn(folder, NUMBER)).exported_files).toEqual([]);

  // An older backup does not restore anybody.
  expect((await run("restore data/old.db")).stderr).toContain("forgotten");
  const inCopies = findTraces(join(path, "data"), [PERSON]).map((trace) => trace.split(":")[0]);
  expect(new Set(inCopies)).toEqual(new Set(["old.db"]));
});

it("forget finds files that only manifests name, and removes the number from the filter of a manifest", async () => {
  using folder = makeSmall();
  const { say, path } = folder;
  await say("export channel --allow-empty --out filtered --campaign", NUMBER);
  await say("export channel --out called --tracking-number", "+49 89 654321");
  await say("export callers --out data/exports");
  await say("export channel --format parquet --out rollup");
  // As by a user who may only read the warehouse.
  folder.execute("DELETE FROM exports WHERE path LIKE '%/data/exports/%'");
  folder.write("data/outside.csv", NUMBER);
  const text = readText(path, "rollup/manifest.json");
  const outside = text.replace('"files": [', '"files": [{ "file": "../data/outside.csv" },');
  folder.write("rollup/manifest.json", outside);
  expect((await forgetIn(folder, NUMBER)).exported_files).toEqual([
    { path: join(path, "rollup/channel.parquet"), holds: "perhaps", removed: false },
    { path: join(path, "filtered/manifest.json"), holds: "yes", removed: false },
    { path: join(path, "data/exports/callers.csv"), holds: "yes", removed: false },
  ]);
  expect(await say("forget --exports", NUMBER)).toContain(
    "2 exported files removed:\n  rollup/channel.parquet\n  data/exports/callers.csv\n1 manifest rewritten without them:\n  filtered/manifest.json\n",
  );
  const left = JSON.parse(readText(path, "filtered/manifest.json"));
  expect(left.filter).toMatchObject({ campaign: ["+99999999999"] });
  expect(left.fingerprint).toBe(fingerprintOf(left));
  expect(
    globSync("{rollup,filtered,called,data/exports,data}/*.{csv,parquet}", { cwd: path }).sort(),
  ).toEqual(["called/channel.csv", "data/outside.csv", "filtered/channel.csv"]);
  expect((await forgetIn(folder, NUMBER)).exported_files).toEqual([]);
});

it("forget accepts a caller_hash, and names unknown callers without their numbers", async () => {
  using folder = makeSmall();
  const { run, say, path } = folder;
  expect(await run("forget", NUMBER, "+15550001111")).toEqual({
    code: 2,
    stdout: "",
    stderr: `calltally: Cannot forget number 2: no data found in the warehouse
Nobody was forgotten. Check the country code, or use --allow-empty to block such numbers from now on.
`,
  });
  expect(await say("privacy log")).toBe("No personal data has been removed.\n");
  expect(await run("forget")).toMatchObject({ code: 2 });
  await say("export callers");
  const [hash = ""] = /\b[\da-f]{64}\b/.exec(readText(path, "data/exports/callers.csv")) ?? [];
  expect(await forgetIn(folder, "--caller-hash", hash, "--exports")).toMatchObject({
    forgotten: { callers: 1, calls: 2 },
    exported_files: [{}],
  });
  expect(findTraces(join(path, "data"), [PERSON])).toEqual([]);
  expect(await forgetIn(folder, "+15550001111", "--allow-empty")).toMatchObject({ unknown: 1 });
});

it("forget exits with 6 while another process reads, and completes when run again", async () => {
  using folder = makeSmall();
  const { run, say, path, database } = folder;
  {
    using reader = openReader(database);
    reader.sqlite.exec("BEGIN; SELECT count(*) FROM calls");
    expect(await run("forget", NUMBER)).toMatchObject({
      code: 6,
      stdout: "",
      stderr: expect.stringContaining("Run the same command again to erase it from the file"),
    });
    expect(await say("privacy log")).toContain("not yet: run the command again");
  }
  await say("forget", NUMBER);
  expect(findTraces(join(path, "data"), [PERSON])).toEqual([]);
  expect(await say("privacy log")).not.toContain("not yet");
});

it("forget with --all-accounts forgets callers in every account that has them, and nobody if one is unknown", async () => {
  using folder = makeFolder();
  const [OTHER, THIRD] = ["+15550002222", "+15550003333"];
  const callers = { acme: [NUMBER, OTHER], beta: [NUMBER], gamma: [THIRD] };
  const nowhere = (name: string) => ({ url: "http://127.0.0.1:1", token: `t0ken-of-${name}` });
  const names = ["acme", "beta", "gamma", "unsynced"];
  writeAccounts(folder.path, Object.fromEntries(names.map((name) => [name, nowhere(name)])));
  const databaseOf = (name: string) => join(folder.path, `data/${name}/calltally.db`);
  for (const [name, numbers] of Object.entries(callers)) {
    const calls = numbers.map((caller_id, index) => ({ ...FULL_CALL, call_id: index + 1, caller_id }));
    fillWarehouse(databaseOf(name), calls);
  }
  const run = (...args: string[]) => folder.run("forget", ...args);
  const read = () =>
    Object.keys(callers).map((name) =>
      readColumn(databaseOf(name), "SELECT caller_id FROM calls ORDER BY call_id"),
    );
  expect(await run(NUMBER)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/works on one account.*\nName one.*, or add --all-accounts/),
  });
  expect(await run("--all-accounts", NUMBER, "+15550009999")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Cannot forget number 2: no data found"),
  });
  expect(read()).toEqual(Object.values(callers));
  expect(JSON.parse((await run("--all-accounts", "--json", NUMBER, OTHER)).stdout)).toMatchObject({
    acme: { forgotten: { callers: 2, calls: 2 } },
    beta: { forgotten: { callers: 1, calls: 1 } },
    gamma: { forgotten: null },
    unsynced: { forgotten: null },
  });
  const forgotten = expect.stringMatching(/^forgotten[0-9a-f]{16}$/);
  expect(read()).toEqual([[forgotten, forgotten], [forgotten], [THIRD]]);
  folder.write("data/beta/calltally.db", "no warehouse");
  expect(await run("--all-accounts", THIRD)).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/gamma\n1 caller forgotten/),
    stderr: expect.stringMatching(/^beta: .*calltally.db/m),
  });
});
