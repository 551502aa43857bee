import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/server.ts";
import { compareDumps, dumpWarehouse } from "../../crash/dump.ts";
import { clearAddresses, findTraces, type Person } from "../../support/warehouses/forgettable.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";
import { makePersonalFolder } from "./personal-folder.ts";

const DAY_MS = 86_400_000;

/** Removes from the service what may be kept: recent words of others about these people, and addresses. */
function clear(sandbox: Sandbox, people: readonly Person[]): void {
  clearAddresses(sandbox, people);
  const named = new Set(people.flatMap(({ callIds }) => callIds));
  for (const id of sandbox.calls.ids) {
    const { call_started, transcription, summary } = sandbox.calls.get(id) ?? {};
    const isLate = Date.parse(String(call_started)) > Date.now() - 21 * DAY_MS;
    const words = JSON.stringify([transcription, summary]);
    if (!named.has(id) && isLate && people.some(({ number }) => words.includes(number)))
      sandbox.calls.edit(id, { transcription: "", summary: "" });
  }
}

const COUNT =
  "SELECT (SELECT count(*) FROM transcripts) + count(calls.caller_id) + count(recording_url) AS left_over, count(DISTINCT call_facts.caller_id) AS callers, sum(is_first_call) AS firsts FROM calls JOIN call_facts USING (call_id)";

describe("prune", () => {
  it("leaves no byte, changes no figure, and no sync restores data", async () => {
    await using folder = await makePersonalFolder({ calls: 200 }, 6, clear);
    const { data, run, sync, sandbox, database, env, readRollups } = folder;
    const cutoff = Date.now() - 20 * DAY_MS;
    const isBefore = (id: number) => Date.parse(String(sandbox.calls.get(id)?.call_started)) < cutoff;
    const people = folder.people.filter(({ callIds }) => callIds.every(isBefore));
    expect(people.length).toBeGreaterThan(1);
    expect(findTraces(data, people).length).toBeGreaterThan(people.length * 20);
    const before = await readRollups();
    const stored = dumpWarehouse(database);

    for (const kind of ["TRANSCRIPTS", "SUMMARIES", "CALLER_NUMBERS", "RECORDING_URLS"])
      env[`CALLTALLY_KEEP_${kind}`] = "20d";
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
    expect(await readRollups()).toEqual(before);
    expect(dumpWarehouse(database).contradictions).toEqual([]);
    const [counts] = readRows(database, COUNT) as { left_over: number }[];

    expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect(await sync()).toMatchObject({ calls_new: 0, calls_changed: 0 });
    await folder.killSync();
    expect(findTraces(data, people)).toEqual([]);
    const after = [await sync("--full"), await sync()];
    for (const syncRun of after) expect(syncRun).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect(findTraces(data, people)).toEqual([]);
    expect(readRows(database, COUNT)).toEqual([counts]);
    expect(readRows(database, "SELECT DISTINCT path FROM schema_drift")).toEqual([{ path: "callback" }]);
    expect(await readRollups()).toEqual(before);

    await folder.expectSound();
    expect(findTraces(data, people)).toEqual([]);
    const log = await run("privacy", "log", "--json");
    expect(JSON.parse(log.stdout)).toMatchObject([
      { act: "prune", counts: removed, erased_at: expect.any(String) },
    ]);
  });
});
