import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/warehouse/file/acquire-lock.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { updateJobEnd } from "../../src/warehouse/runs/job-table.ts";
import { startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { type Folder, makeFolder, makeSandboxFolder } from "./folder.ts";

/** Moves all times of the ledger back. */
const age = ({ execute }: Folder, hours: number) =>
  execute(
    `UPDATE sync_runs SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', finished_at, '${-hours} hours')`,
  );

describe("calltally status", () => {
  it("shows the state in 80 columns and 24 lines, whatever went wrong", async () => {
    await using folder = await makeSandboxFolder({ calls: 300 });
    const { sandbox } = folder;
    for (const id of sandbox.calls.ids.slice(0, 9)) {
      sandbox.calls.edit(id, { duration: "long, and longer than a line of the terminal can hold" });
    }
    const [, , , , , , , , , , id = 0] = sandbox.calls.ids;
    sandbox.calls.edit(
      id,
      Object.fromEntries(["a", "b", "c", "d"].map((name) => [`unknown_member_${name}`, 1])),
    );
    for (let run = 0; run < 7; run++) expect((await folder.run("sync")).code).toBe(3);

    const { code, stdout, stderr } = await folder.run("status");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(
      Math.max(...lines.filter((text) => !text.startsWith("Warehouse")).map((text) => text.length)),
    ).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^Working {4}yes: run 7 was (exact|probable|verified), just now$/m);
    expect(stdout).toMatch(/^Fresh {6}last good run just now; newest call \d{4}-\d\d-\d\d \d\d:\d\d$/m);
    expect(stdout).toMatch(/^Complete {3}run \d+ read every call, (just now|\d minutes ago|1 minute ago)/m);
    expect(stdout).toMatch(/^Calls {6}291; the service counted 300: 9 of its rows could not be read$/m);
    expect(stdout).toMatch(
      /^Rejected {3}9 rows, in the table rejected_calls\n {11}id:\d+ {2}duration: .*\n.*\n {11}and 7 more$/m,
    );
    expect(stdout).toMatch(
      /^Drift {6}4 members not as documented, in schema_drift\n {11}unknown_member_a: not documented/m,
    );
    expect(stdout).toMatch(
      /^Next {7}an incremental sync; a full pass is due at [-0-9]+ [0-9:]+\n {11}if scheduled: sync [-0-9]+ \d\d:07, export [-0-9]+ 05:30$/m,
    );

    const history = await folder.run("status --runs 6");
    expect(history.stdout.trimEnd().split("\n")).toHaveLength(7);
    expect(history.stdout).toMatch(
      /^run +started, UTC +took +read +new +changed +rejected +ended +mode +because$/m,
    );
    expect(history.stdout).toMatch(/^7 .* {2}incremental {2}/m);
    const json = JSON.parse((await folder.run("status --json --runs 6")).stdout);
    expect(json.runs.map((run: { run_id: number }) => run.run_id)).toEqual([7, 6, 5, 4, 3, 2]);
    expect(json).toMatchObject({
      next: { plan: "incremental", not_before: null },
      last_good_run: { run_id: 7 },
    });
  });

  it("exits with 3 under --max-age if the last good run is older or missing", async () => {
    await using folder = await makeSandboxFolder({ calls: 10 });
    const { run } = folder;
    const code = async (maxAge: string) => (await run("status --max-age", maxAge)).code;
    openWarehouse(folder.database)[Symbol.dispose]();
    expect(await code("1d")).toBe(3);
    await run("sync");
    expect([await code("1m"), await code("2h")]).toEqual([0, 0]);
    age(folder, 3);
    expect([await code("179m"), await code("2h"), await code("4h"), await code("1d")]).toEqual([3, 3, 0, 0]);
    const late = await run("status --max-age 2h");
    expect(late.stderr).toBe("calltally: The last good run is older than 2h\n");
    expect(late.stdout).toMatch(/^Working/);

    age(folder, -24);
    const ahead = await run("status --max-age 1d");
    expect(ahead).toMatchObject({ code: 3, stderr: expect.stringContaining("is dated in the future: 20") });
    expect(ahead.stdout).toMatch(/^Fresh {6}last good run dated in the future; newest call/m);
    const doctor = await run("doctor --json");
    expect(doctor.stdout).toMatch(/run 1 of .+ \(UTC\) is dated in the future/);

    // A failed run does not count as good.
    await folder.runWith({ CALLTALLY_TOKEN: "wrong" }, "sync");
    expect(await code("2h")).toBe(3);
    expect((await run("status")).stdout).toMatch(
      /^Working {4}no: run 2 failed just now: The API refused the token, status 401/m,
    );
  });

  it("exits with 3 while a job fails, and shows the whole error", async () => {
    await using folder = await makeSandboxFolder({ calls: 10 });
    const { run, database: file } = folder;
    const status = async () => {
      const { code, stderr } = await run("status");
      return { code, stderr };
    };
    const fine = { code: 0, stderr: "" };
    openWarehouse(file)[Symbol.dispose]();
    expect(await status()).toEqual({
      code: 3,
      stderr: "calltally: No sync has finished yet: only the calls read so far are here.\n",
    });
    await run("sync");
    expect(await status()).toEqual(fine);

    const { stderr } = await folder.runWith({ CALLTALLY_TOKEN: "wrong" }, "sync");
    const [error = ""] = stderr.replace("calltally: ", "").split("\n");
    expect(error.length).toBeGreaterThan(80);
    expect(await status()).toEqual({ code: 3, stderr: `calltally: ${error}\n` });
    await run("sync");
    expect(await status()).toEqual(fine);

    const record = (job: string) => {
      using warehouse = openWarehouse(file);
      const times = { startedAt: "2026-11-20T05:30:00.000Z", finishedAt: "2026-11-20T05:31:00.000Z" };
      writeTransaction(warehouse, (tx) =>
        updateJobEnd(tx, { job, ...times, exitCode: 7, result: "failure", error: `${error} again` }),
      );
    };
    record("report:removed"); // calltally.yaml no longer has such a report
    expect(await status()).toEqual(fine);
    record("export");
    expect(await status()).toEqual({ code: 3, stderr: `calltally: export: ${error} again\n` });
  });

  it("shows what a warehouse without a run needs, what is running, and the pause that the API requested", async () => {
    using folder = makeFolder();
    const { run, database: file } = folder;
    openWarehouse(file)[Symbol.dispose]();
    const fresh = (await run("status")).stdout;
    expect(fresh).toMatch(/^Working {4}not yet: run `calltally sync`$/m);
    expect(fresh).toMatch(/^Next {7}a full pass: no full pass has been verified yet$/m);
    expect((await run("status --runs 3")).stdout).toBe("No run yet.\n");

    {
      using warehouse = openWarehouse(file);
      const started_at = "2026-11-20T11:00:00.000Z";
      const id = startRun(warehouse, { started_at, mode: "full", plan_reason: "requested", pid: 1 });
      {
        using _held = acquireLock(file);
        const running = (await run("status")).stdout;
        expect(running).toMatch(/^Working {4}run 1 has been running since 2026-11-20 11:00$/m);
      }
      const killed = await run("status");
      expect(killed.code).toBe(3);
      expect(killed.stdout).toMatch(/^Working {4}no: run 1 interrupted .* ago: The process was killed$/m);
      const { stdout } = await run("doctor --all");
      expect(stdout).toMatch(/^warn {2}last run .* run 1 of .* interrupted: The process was killed$/m);
      updateRun(warehouse, id, { status: "failed", error: "busy", not_before: "2999-01-01T00:00:00.000Z" });
    }
    expect((await run("status")).stdout).toMatch(
      /^Working {4}waiting: the API asked for a pause until 2999-01-01 00:00$/m,
    );
  });
});
