import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { compareDumps, dumpWarehouse } from "../crash/dump.ts";
import { clearAddresses, findTraces, makePersonal, type Person } from "../support/forgettable.ts";
import { calltally, settingsFor, startCalltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";
import { makeSandboxFolder } from "./folder.ts";

// For larger numbers: CALLTALLY_PRUNE_CALLS=10000 --testTimeout=0 -t never: of many calls, few callers have no recent ones.
const CALLS = Number(process.env.CALLTALLY_PRUNE_CALLS ?? 200);
const DAY_MS = 86_400_000;

const keepAll = (keepFor: string) => ({
  CALLTALLY_KEEP_TRANSCRIPTS: keepFor,
  CALLTALLY_KEEP_SUMMARIES: keepFor,
  CALLTALLY_KEEP_CALLER_NUMBERS: keepFor,
  CALLTALLY_KEEP_RECORDING_URLS: keepFor,
});

/** A folder with a warehouse that has kept everything of a changed service, and the people in it. */
async function makeWarehouse() {
  await using scope = new AsyncDisposableStack();
  const folder = scope.use(makeTempFolder());
  const sandbox = scope.use(await startSandbox({ calls: CALLS }));
  const bare = { ...settingsFor(sandbox), TMPDIR: folder.path };
  const made = { keep: {} };
  const env = () => ({ ...bare, ...made.keep });
  const run = (...args: string[]) => calltally(args, { cwd: folder.path, env: env() });
  const sync = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("sync", "--json", ...args);
    expect([0, 3], stderr).toContain(code);
    return JSON.parse(stdout);
  };
  await sync();
  const people = makePersonal(sandbox, 6);
  clearAddresses(sandbox, people);
  // Recent words of others about them may be kept.
  const named = new Set(people.flatMap(({ callIds }) => callIds));
  for (const id of sandbox.calls.ids) {
    const { call_started, transcription, summary } = sandbox.calls.get(id) ?? {};
    const isLate = Date.parse(String(call_started)) > Date.now() - 21 * DAY_MS;
    if (!named.has(id) && isLate && findMentions(people, [transcription, summary]))
      sandbox.calls.edit(id, { transcription: "", summary: "" });
  }
  await sync("--full");
  const kept = scope.move();
  return Object.assign(made, {
    folder: folder.path,
    data: join(folder.path, "data"),
    database: join(folder.path, "data/calltally.db"),
    sandbox,
    env,
    people,
    run,
    sync,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  });
}

function findMentions(people: readonly Person[], texts: unknown): boolean {
  const json = JSON.stringify(texts);
  return people.some(({ number }) => json.includes(number));
}

type Made = Awaited<ReturnType<typeof makeWarehouse>>;

/** Every rollup by one dimension, cell by cell, and the changes that an export over the last one reports. */
async function readRollups({ run, folder }: Made): Promise<Record<string, string>> {
  const { code, stderr } = await run("export", ...DIMENSIONS, "--out", "rollups");
  expect([0, 3], stderr).toContain(code);
  expect(stderr).not.toContain("restate");
  const { restatements } = JSON.parse(readFileSync(join(folder, "rollups/manifest.json"), "utf8"));
  expect(restatements?.cells ?? 0).toBe(0);
  const files = globSync("*.csv", { cwd: join(folder, "rollups") });
  expect(files).toHaveLength(DIMENSIONS.length);
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, "rollups", file), "utf8")]));
}

/** People except those who have called within some days. */
function peopleBefore({ sandbox, people }: Made, ms: number): Person[] {
  const isBefore = (id: number) => Date.parse(String(sandbox.calls.get(id)?.call_started)) < ms;
  return people.filter(({ callIds }) => callIds.every(isBefore));
}

const COUNT =
  "SELECT (SELECT count(*) FROM transcripts) + count(calls.caller_id) + count(recording_url) AS left_over, count(DISTINCT call_facts.caller_id) AS callers, sum(is_first_call) AS firsts FROM calls JOIN call_facts USING (call_id)";

describe("prune", () => {
  it.each(["never", "20d"])(
    "with retention %s leaves no byte, changes no figure, and no sync restores data",
    async (keepFor) => {
      await using made = await makeWarehouse();
      const { data, folder, run, sync, sandbox, database } = made;
      const cutoff = keepFor === "never" ? Number.POSITIVE_INFINITY : Date.now() - 20 * DAY_MS;
      const people = peopleBefore(made, cutoff);
      expect(people.length).toBeGreaterThan(1);
      expect(findTraces(data, people).length).toBeGreaterThan(people.length * 20);
      const before = await readRollups(made);
      const stored = dumpWarehouse(database);

      made.keep = keepAll(keepFor);
      const dry = await run("prune", "--dry-run", "--json");
      expect(dry).toMatchObject({ code: 0, stderr: "" });
      expect(compareDumps(stored, dumpWarehouse(database))).toEqual([]);
      expect(readRows(database, "SELECT * FROM privacy_acts")).toEqual([]);
      const pruned = await run("prune", "--json");
      expect(pruned, pruned.stderr).toMatchObject({ code: 0 });
      const { removed } = JSON.parse(pruned.stdout);
      expect(JSON.parse(dry.stdout)).toEqual({ dry_run: true, removed });
      expect(removed.transcripts).toBeGreaterThan(people.length);
      expect(findTraces(data, people)).toEqual([]);
      expect(await readRollups(made)).toEqual(before);
      expect(dumpWarehouse(database).contradictions).toEqual([]);
      const [counts] = readRows(database, COUNT) as { left_over: number }[];

      expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
      expect(await sync()).toMatchObject({ calls_new: 0, calls_changed: 0 });
      const killed = startCalltally(["sync", "--full", "--limit", "50"], { cwd: folder, env: made.env() });
      const requests = sandbox.requests.length;
      while (sandbox.requests.length < requests + 3 && killed.exitCode === null)
        await new Promise(setImmediate);
      killed.kill("SIGKILL");
      await killed.done;
      expect(findTraces(data, people)).toEqual([]);
      const after = [await sync("--full"), await sync(), await sync()];
      for (const syncRun of after) expect(syncRun).toMatchObject({ calls_new: 0, calls_changed: 0 });
      expect(findTraces(data, people)).toEqual([]);
      expect(readRows(database, COUNT)).toEqual([counts]);
      expect(readRows(database, "SELECT DISTINCT path FROM schema_drift")).toEqual([{ path: "callback" }]);
      expect(await readRollups(made)).toEqual(before);

      const doctor = await run("doctor", "--deep", "--json");
      const errors = JSON.parse(doctor.stdout).checks.filter(
        ({ status }: { status: string }) => status === "error",
      );
      expect(errors).toEqual([]);
      expect(await run("backup", "data/backup.db")).toMatchObject({ code: 0, stderr: "" });
      expect(findTraces(data, people)).toEqual([]);
      const log = await run("privacy", "log", "--json");
      expect(JSON.parse(log.stdout)).toMatchObject([
        { act: "prune", counts: removed, erased_at: expect.any(String) },
      ]);
    },
  );

  it("erases what the service had replaced before anything had to be removed", async () => {
    await using folder = await makeSandboxFolder({ calls: 100 });
    const { sandbox, options, run } = folder;
    const people = makePersonal(sandbox, 3).map((person) => ({
      ...person,
      traces: person.traces.filter((trace) => trace.startsWith("q")),
    }));
    clearAddresses(sandbox, people);
    const keeping = { cwd: folder.path, env: { ...options.env, CALLTALLY_KEEP_TRANSCRIPTS: "400d" } };
    await run("sync");
    const members = [
      "transcription",
      "transcription_details",
      "summary",
      "callback",
      "recording_url",
      "disposition",
    ];
    const none = Object.fromEntries(members.map((member) => [member, null]));
    for (const id of sandbox.calls.ids) sandbox.calls.edit(id, none);
    await run("sync --full");
    const data = join(folder.path, "data");
    expect(findTraces(data, people)).not.toEqual([]);
    expect((await calltally(["prune", "--dry-run"], keeping)).stdout).toBe("Nothing to remove\n");
    expect((await calltally(["prune"], keeping)).stdout).toContain(
      "erased previously removed data from the file",
    );
    expect(findTraces(data, people)).toEqual([]);
    expect((await calltally(["privacy", "log"], keeping)).stdout).toMatch(/prune +nothing +20/);
    expect((await calltally(["prune"], keeping)).stdout).toBe("Nothing to remove\n");
  });
});
