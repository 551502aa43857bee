import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { JOBS } from "../../../src/operate/jobs/all.ts";
import { startSandbox } from "../../../src/sandbox/server.ts";
import type { Health } from "../../../src/schedule/health.ts";
import { type LogLine, startLogging } from "../../support/logging-program.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeFolder } from "../folder.ts";
import { makeAgencyFolder, writeAccounts } from "./agency.ts";

const addresses = z.looseObject({ healthz: z.url(), metrics: z.url() });
const TOP = "jitter_seconds: 0\nretry_seconds: 0\n";

it("schedule runs the jobs of each account separately, and serves health and metrics by account", async () => {
  const accounts = { acme: { calls: 60 }, beta: { calls: 40 } };
  const yaml = { top: TOP, more: { beta: "timezone: Asia/Tokyo" } };
  await using folder = await makeAgencyFolder(accounts, yaml);
  const { options, say } = folder;
  const listed = JSON.parse(await say("schedule --json"));
  const jobsIn = (timezone: string) =>
    JOBS.map(({ name: job }) => expect.objectContaining({ job, timezone }));
  expect(listed).toEqual({ acme: jobsIn("UTC"), beta: jobsIn("Asia/Tokyo") });
  expect(await say("schedule --list")).toMatch(
    /^acme\njob +cron +last done +next, UTC\nsync (?:.*\n)+\nbeta\njob +cron +last done +next, Asia\/Tokyo\nsync /,
  );

  folder.write("beta.token", "t0ken-of-nobody");
  await using schedule = startLogging(["schedule", "--begin", "--listen", "127.0.0.1:0"], options);
  for (const ended of ["sync", "export"]) {
    for (const name of ["acme", "beta"])
      await schedule.seen((line) => line.account === name && line.job === ended && "seconds" in line);
  }
  const { healthz, metrics } = addresses.parse(await schedule.seen((line) => "healthz" in line));
  const health = await fetch(healthz);
  expect(health.status).toBe(503);
  expect(await health.json()).toMatchObject({
    status: "failing",
    reason: expect.stringMatching(/^beta: no sync has succeeded yet/),
    accounts: { acme: { status: "ok", last_good_sync: { verdict: "exact" } }, beta: { status: "failing" } },
  });
  const page = await (await fetch(metrics)).text();
  expect(page).toContain('calltally_calls{account="acme",state="live"} 60\n');
  expect(page).toContain('calltally_job_healthy{account="beta",name="sync"} 0\n');
  expect(page.match(/^# TYPE calltally_calls /gm)).toHaveLength(1);
  expect((await schedule.stop()).code).toBe(0);

  const synced = schedule
    .lines()
    .filter(({ job, msg }) => job === "sync" && ["done", "failed with exit code 4"].includes(msg));
  expect(synced.map(({ account, exitCode }) => [account, exitCode]).sort()).toEqual([
    ["acme", 0],
    ["beta", 4],
  ]);
});

it("schedule loads a valid edited file, and with an invalid one keeps the previous one and reports as unhealthy", async () => {
  using folder = makeTempFolder();
  await using acme = await startSandbox({ calls: 3, token: "t0ken-of-acme" });
  await using beta = await startSandbox({ calls: 2, token: "t0ken-of-beta" });
  const write = (sandboxes: Parameters<typeof writeAccounts>[1], more = "") => {
    writeAccounts(folder.path, sandboxes, { top: TOP });
    appendFileSync(join(folder.path, "calltally.yaml"), more);
  };
  write({ acme });
  appendFileSync(join(folder.path, "calltally.yaml"), 'sync_cron: "*/5 * * * * *"\n');
  await using schedule = startLogging(["schedule", "--begin", "--listen", "127.0.0.1:0"], {
    cwd: folder.path,
  });
  const next = (isIt: (line: LogLine) => boolean) => schedule.seen(isIt, schedule.lines().length);
  const health = async (line: LogLine) =>
    (await (await fetch(addresses.parse(line).healthz)).json()) as Health;
  const listening = next((line) => "healthz" in line);
  await next(({ account, job, msg }) => account === "acme" && job === "export" && msg === "done");
  expect(await health(await listening)).toMatchObject({ status: "ok", accounts: { acme: { status: "ok" } } });

  const refused = next(({ msg }) => msg.includes("is not used"));
  write({ acme, beta }, "reports: { weekly: { cron: '99 * * * *', contents: [channel] } }\n");
  expect((await refused).msg).toMatch(/^calltally.yaml has changed, and is not used: .*99 \* \* \* \*/);
  expect(await health(await listening)).toMatchObject({
    status: "failing",
    reason: expect.stringMatching(/^calltally.yaml has changed, and is not used/),
    accounts: { acme: { status: "ok" } },
  });

  await next(({ account, job, msg }) => account === "acme" && job === "sync" && msg === "done");
  const again = next((line) => "healthz" in line);
  const synced = next(({ account, job, msg }) => account === "beta" && job === "sync" && msg === "done");
  const planned = next(
    ({ account, job, msg }) => account === "acme" && job === "report:weekly" && msg === "scheduled",
  );
  write({ acme, beta }, "reports: { weekly: { cron: '0 7 * * *', contents: [channel] } }\n");
  await Promise.all([synced, planned]);
  expect(await health(await again)).toMatchObject({ accounts: { acme: {}, beta: {} } });

  const left = next((line) => "healthz" in line && line.msg === "listening");
  write({ beta });
  expect(Object.keys((await health(await left)).accounts ?? {})).toEqual(["beta"]);
  expect((await schedule.stop()).code).toBe(0);
  expect(schedule.lines().at(-1)?.msg).toBe("stopped");
});

it("schedule --list shows long names and expressions completely in 80 columns", async () => {
  using folder = makeFolder();
  writeAccounts(folder.path, { acme: { url: "http://127.0.0.1:1", token: "t0ken" } });
  const long = "a-monthly-summary-for-the-board-of-directors";
  const report = `${long}: { contents: [channel], cron: "*/15 6-18 1,15 * MON-FRI" }`;
  appendFileSync(join(folder.path, "calltally.yaml"), `reports:\n  ${report}\n`);
  const { stdout } = await folder.run("schedule --list");
  const lines = stdout.split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  const first = lines.findIndex((line) => line.startsWith("report:"));
  const column = (from: number, to: number) =>
    lines.slice(first, first + 3).map((line) => line.slice(from, to).trim());
  expect(column(0, 22).join("")).toBe(`report:${long}`);
  expect(column(22, 39).join(" ").trim()).toBe("*/15 6-18 1,15 * MON-FRI");
  expect(lines[first]).toMatch(/ never +\d{4}-\d\d-\d\d \d\d:\d\d,$/);
});

it("schedule warns at the start of an account whose token file is empty", async () => {
  await using folder = await makeAgencyFolder({ acme: { calls: 10 }, beta: { calls: 10 } });
  folder.write("beta.token", "");
  await using schedule = startLogging(["schedule"], folder.options);
  expect(await schedule.seen(({ account }) => account === "beta")).toMatchObject({
    msg: expect.stringMatching(
      /^its syncs will fail: Cannot use calltally.yaml:\d+:17: accounts.beta.token_file: beta.token is empty$/,
    ),
  });
});
