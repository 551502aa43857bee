import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { json, startBadServer, text } from "../support/bad-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";
import { makeFolder, makeSandboxFolder } from "./folder.ts";

const RECENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const readJobs = (folder: string) =>
  readRows(join(folder, "data/calltally.db"), "SELECT * FROM jobs ORDER BY job");

describe("failing job", () => {
  it("is reported by status, doctor and the monitor until it succeeds, even if syncs succeed", async () => {
    await using sandbox = await startSandbox({ calls: 50 });
    await using monitor = await startBadServer(text("OK"));
    const env = { ...settingsFor(sandbox), CALLTALLY_HEARTBEAT_URL: `${monitor.url}ping` };
    using folder = makeFolder(env);
    const run = async (...args: string[]) => (await folder.run(...args)).code;
    let heard = 0;
    const beats = () => {
      const news = monitor.requests.slice(heard).map(({ url }) => url);
      heard += news.length;
      return news;
    };

    expect(await run("job", "sync")).toBe(0);
    expect(await run("job", "export")).toBe(0);
    expect(beats()).toEqual(["/ping/start", "/ping"]);
    const succeeded = { exit_code: 0, error: null, failing_since: null, failed_runs: 0 };
    const times = { started_at: RECENT, finished_at: RECENT, succeeded_at: RECENT };
    expect(readJobs(folder.path)).toEqual([
      { job: "export", ...times, ...succeeded },
      { job: "sync", ...times, ...succeeded },
    ]);
    const { stdout: well } = await folder.run("status");
    expect(well).toMatch(/^Jobs {7}export {2}succeeded just now\n {11}sync {4}succeeded just now$/m);

    rmSync(join(folder.path, "data/exports"), { recursive: true });
    writeFileSync(join(folder.path, "data/exports"), "not a folder");
    expect(await run("job", "export")).toBe(7);
    expect(beats()).toEqual(["/ping/fail"]);
    expect(await run("job", "sync")).toBe(0);
    expect(beats()).toEqual(["/ping/start", "/ping/fail"]);

    const [exported] = z
      .array(z.object({ error: z.string() }).loose())
      .parse(readJobs(folder.path).slice(0, 1));
    expect(exported).toMatchObject({
      exit_code: 7,
      error: expect.stringContaining("data/exports"),
      failing_since: RECENT,
    });
    const status = await folder.run("status");
    expect(status).toMatchObject({ code: 3, stderr: `calltally: export: ${exported?.error}\n` });
    expect(status.stdout).toMatch(
      /^Jobs {7}export {2}failed just now, exit 7; last good just now\n {13}\S.*\n {11}sync {4}succeeded just now$/m,
    );
    const lines = status.stdout.trimEnd().split("\n");
    const widths = lines.filter((line) => !line.startsWith("Warehouse")).map(({ length }) => length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
    expect(JSON.parse((await folder.run("status --json")).stdout).jobs[0]).toEqual(exported);
    const doctor = JSON.parse((await folder.run("doctor --json")).stdout);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({
        name: "job export",
        state: "warn",
        message: `failed just now, and has not succeeded since; exit 7: ${exported?.error}`,
        hint: "Fix that, and run `calltally job export`.",
      }),
    );

    rmSync(join(folder.path, "data/exports"));
    mkdirSync(join(folder.path, "data/exports"));
    expect([await run("job", "export"), await run("job", "sync")]).toEqual([0, 0]);
    expect(beats()).toEqual(["/ping/start", "/ping"]);
    expect(readJobs(folder.path)).toMatchObject([succeeded, succeeded]);
  });

  it("keeps the monitor failing after it was killed, once its maximum duration has passed", async () => {
    await using sandbox = await startSandbox({ calls: 10 });
    await using monitor = await startBadServer(text("OK"));
    const env = { ...settingsFor(sandbox), CALLTALLY_HEARTBEAT_URL: `${monitor.url}ping` };
    using folder = makeFolder(env);
    await folder.run("job sync");
    const sqlite = new Database(folder.database);
    const start = sqlite.prepare("INSERT OR REPLACE INTO jobs (job, started_at) VALUES ('export', ?)");
    start.run(new Date(Date.now() - 59 * 60_000).toISOString());
    await folder.run("job sync");
    start.run("2026-01-01T00:00:00.000Z");
    sqlite.close();
    await folder.run("job sync");
    const ends = monitor.requests.map(({ url }) => url).filter((url) => url !== "/ping/start");
    expect(ends).toEqual(["/ping", "/ping", "/ping/fail"]);
    expect((await folder.run("status")).stdout).toMatch(
      /^Jobs {7}export {2}started \d+ days ago, still running or killed; no success yet$/m,
    );
  });

  it("is recorded without text of the service", async () => {
    using folder = makeTempFolder();
    openWarehouse(join(folder.path, "data/calltally.db"))[Symbol.dispose]();
    await using api = await startBadServer(json({ code: 404, message: "about +15005550006" }, 404));
    const env = { ...settingsFor({ url: api.url.origin, token: "token-417" }), CALLTALLY_INSIGHT_IDS: "7,9" };
    expect((await calltally(["job", "insights"], { cwd: folder.path, env })).code).toBe(8);
    expect(readJobs(folder.path)).toMatchObject([
      {
        job: "insights",
        exit_code: 8,
        error:
          "Cannot read 2 insights: 7: The API returned 404 (43 bytes); 9: The API returned 404 (43 bytes)",
      },
    ]);
  });
});

describe("CALLTALLY_INSIGHT_IDS", () => {
  it("with a deleted id exits with 8 and names it, and refreshes the other insights", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 }, { CALLTALLY_INSIGHT_IDS: "999,101,998,102" });
    const job = await folder.run("job insights");
    expect(job.code).toBe(8);
    expect(job.stderr).toMatch(
      /"msg":"Cannot read 2 insights: 999: The API returned 404: Insight 999 not found .*; 998: The API/,
    );
    const database = folder.database;
    const ids = () => readRows(database, "SELECT insight_id FROM insights ORDER BY 1");
    expect(ids()).toEqual([{ insight_id: 101 }, { insight_id: 102 }]);

    const sync = await folder.run("insight sync 999 103");
    expect(sync.code).toBe(8);
    expect(sync.stderr).toMatch(
      /^calltally: Cannot read insight 999: The API returned 404: Insight 999 not found \(request/,
    );
    expect(sync.stdout).toMatch(/^Insight 103, .*: new\n$/);
    expect(ids()).toContainEqual({ insight_id: 103 });
  });
});

it("sync warns when certificates are not checked", async () => {
  await using service = await startReceiver((response) => response.end("{}"));
  const env = {
    ...settingsFor({ url: service.url, token: "token-417" }),
    CALLTALLY_RETRY_SECONDS: "0",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  };
  using folder = makeFolder(env);
  const { stderr } = await folder.run("sync");
  expect(stderr).toContain("NODE_TLS_REJECT_UNAUTHORIZED");
});
