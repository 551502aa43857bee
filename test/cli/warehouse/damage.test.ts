import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { JOBS } from "../../../src/operate/jobs/all.ts";
import { startLogging } from "../../support/logging-program.ts";
import { HAS_PROCESSES } from "../../support/run.ts";
import { damageTable } from "../../support/warehouses/damage-table.ts";
import { makeSandboxFolder } from "../folder.ts";

const NEVER = { CALLTALLY_SYNC_CRON: "0 0 29 2 *", CALLTALLY_EXPORT_CRON: "0 0 29 2 *" };

describe("damage", () => {
  it("damage fails each command after a sync that noticed it, until the backup that they name is restored", async () => {
    await using folder = await makeSandboxFolder({ calls: 50 });
    const { database, path, run, say } = folder;
    await say("job sync --begin");
    const backup = join(path, "backups/a.db");
    await say("backup backups/a.db");
    damageTable(database, "exported_rollups");

    const command = `calltally restore ${backup} --database ${database}`;
    expect(await run("job sync")).toMatchObject({ code: 7, stderr: expect.stringContaining(command) });
    const lines = ["status", "status --max-age 3h", "status --problems", "doctor", "export", "verify"];
    for (const line of [...lines, "backup backups/b.db", "query", "sync", "job export"]) {
      const args = line === "query" ? ["query", "SELECT 1"] : [line];
      const { code, stdout, stderr } = await run(...args);
      expect({ line, code, said: stdout + stderr }).toEqual({
        line,
        code: 7,
        said: expect.stringMatching(/the\s+file\s+is\s+damaged/),
      });
    }
    expect(await run("doctor --deep")).toMatchObject({ code: 7 });

    await say(...command.replace("calltally ", "").split(" "));
    for (const line of ["status --max-age 3h", "status --problems", "doctor", "job sync", "verify"])
      expect({ line, ...(await run(line)) }).toMatchObject({ line, code: 0 });
  });

  it.each([
    { notice: "export", args: ["export"], table: "call_facts" },
    { notice: "query", args: ["query", "SELECT count(duration) FROM calls NOT INDEXED"], table: "calls" },
    { notice: "doctor --deep", args: ["doctor", "--deep"], table: "report_runs" },
    { notice: "backup", args: ["backup", "b.db"], table: "report_runs" },
  ])("a damaged warehouse is remembered when $notice notices it", async ({ args, table }) => {
    await using folder = await makeSandboxFolder({ calls: 50 });
    await folder.say("sync");
    damageTable(folder.database, table);
    const [line = "", ...more] = args;
    expect((await folder.run(line, ...more)).code).toBe(7);
    expect((await folder.run("status")).code).toBe(7);
  });

  it.skipIf(!HAS_PROCESSES)("/healthz fails for a schedule that starts after the damage", async () => {
    await using folder = await makeSandboxFolder({ calls: 50 }, NEVER);
    await folder.say("sync");
    await folder.say("job export");
    damageTable(folder.database, "sync_pages");
    expect((await folder.run("job sync")).code).toBe(7);
    await using schedule = startLogging(["schedule", "--listen", "127.0.0.1:0"], folder.options);
    const address = await schedule.seen(({ msg }) => msg === "listening");
    const { healthz, metrics } = z.looseObject({ healthz: z.url(), metrics: z.url() }).parse(address);
    const health = await fetch(healthz);
    expect({ status: health.status, body: await health.json() }).toMatchObject({
      status: 503,
      body: { reason: expect.stringContaining("the file is damaged") },
    });
    expect(await (await fetch(metrics)).text()).toContain('calltally_job_healthy{name="sync"} 0');
  });
});

describe("a missing warehouse", () => {
  it.each(JOBS.map(({ name }) => `job ${name}`))("%s begins no warehouse, and exits with 7", async (line) => {
    await using folder = await makeSandboxFolder({ calls: 5 }, { CALLTALLY_INSIGHT_IDS: "101" });
    expect(await folder.run(line)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`There is no warehouse at ${folder.database}`),
    });
    expect(folder.sandbox.requests).toEqual([]);
    // Not even a lock, which would be a clue that there was one.
    expect(await folder.run("sync")).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("Began"),
    });
  });

  it("a job begins no warehouse after its disk is lost; a sync by hand does, and says what is left", async () => {
    await using folder = await makeSandboxFolder({ calls: 5 });
    const { database, run } = folder;
    expect((await run("job sync --begin")).code).toBe(0);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    for (const line of ["job sync", "status", "doctor"]) {
      const { code, stdout, stderr } = await run(line);
      expect({ line, code, said: stdout + stderr }).toEqual({
        line,
        code: 7,
        said: expect.stringContaining(
          `There is no warehouse at ${database}, but its calltally.db.lock is there`,
        ),
      });
    }
    expect(await run("sync")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Began a new warehouse, though ${database}.lock shows`),
    });
    rmSync(dirname(database), { recursive: true });
    expect((await run("job sync")).code).toBe(7);
  });
});

it("a sync by hand ends the alarm of a refused job, in status, doctor and the table of jobs", async () => {
  await using folder = await makeSandboxFolder({ calls: 50 });
  const { run, runWith, say } = folder;
  await say("job sync --begin");
  expect((await runWith({ CALLTALLY_TOKEN: "another" }, "job sync")).code).toBe(4);
  const problems = async () => (await run("status --problems")).code;
  expect(await problems()).toBe(3);
  await say("sync");
  expect(await problems()).toBe(0);
  expect((await run("doctor --all")).stdout).not.toContain("job sync");
  expect(folder.read("SELECT exit_code, failing_since, failed_runs FROM jobs")).toEqual([
    { exit_code: 0, failing_since: null, failed_runs: 0 },
  ]);
});

it("the default export by hand ends the alarm of the job, and another export does not", async () => {
  await using folder = await makeSandboxFolder({ calls: 50 });
  const { say, run, path } = folder;
  await say("sync");
  folder.write("data/exports", "not a folder");
  expect((await run("job export")).code).toBe(7);
  rmSync(join(path, "data/exports"));
  const failing = () => folder.read("SELECT job FROM jobs WHERE failing_since IS NOT NULL");
  for (const line of ["export channel", "export --last 7d", "export --out elsewhere"]) {
    await run(line);
    expect({ line, failing: failing() }).toEqual({ line, failing: [{ job: "export" }] });
  }
  await say("export");
  expect(failing()).toEqual([]);
});
