import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import type { Job } from "../../src/schedule/job-definition.ts";
import { type JobJournal, openJournal } from "../../src/schedule/job-journal.ts";
import { runJob } from "../../src/schedule/run-job.ts";
import { keepLines } from "../support/log-lines.ts";
import { startServer, text } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openNewWarehouse } from "../support/warehouses/warehouse.ts";

const NEVER = new AbortController().signal;

/** Runs jobs, such as "sync unreachable", by how they end; returns what the monitor hears of each. */
async function hear(
  runs: readonly `${"sync" | "insights"} ${keyof typeof EXIT}`[],
  failures = "3",
  {
    more = {},
    before: prepare,
  }: { more?: Record<string, string>; before?: (journal: JobJournal) => void } = {},
) {
  using folder = makeTempFolder();
  await using monitor = await startServer(text("OK"));
  const database = join(folder.path, "calls.db");
  openNewWarehouse(database)[Symbol.dispose]();
  const settings = loadSettings({
    folder: folder.path,
    env: {
      CALLTALLY_DATABASE: database,
      CALLTALLY_HEARTBEAT_URL: `${monitor.url}ping`,
      ...(failures !== "3" && { CALLTALLY_HEARTBEAT_FAILURES: failures }),
      ...more,
    },
  });
  prepare?.(openJournal(database, keepLines().log));
  const heard: string[] = [];
  for (const run of runs) {
    const [, name = "", end = ""] = /^(\w+) (\w+)$/.exec(run) ?? [];
    const exitCode = Object.entries(EXIT).find(([key]) => key === end)?.[1] ?? EXIT.failed;
    const jobs = ["sync", "insights"].map(
      (each): Job => ({
        name: each,
        isSync: each === "sync",
        cron: () => "7 * * * *",
        cronSetting: "",
        readLastDone: () => null,
        run: async () => {
          if (exitCode !== EXIT.unreachable) return exitCode;
          throw new CalltallyError(exitCode, "The API returned 503", { hint: "Wait." });
        },
      }),
    );
    const job = jobs.find((each) => each.name === name);
    if (job === undefined) throw new Error(name);
    const before = monitor.requests.length;
    await runJob(job, jobs, { settings, log: keepLines().log, signal: NEVER });
    const pings = monitor.requests.slice(before).map(({ url = "" }) => url.replace("/ping", ""));
    heard.push(pings.filter((path) => path !== "/start").join() || (pings.length > 0 ? "well" : ""));
  }
  return heard;
}

describe("runJob", () => {
  it("reports syncs that find the API unreachable from the third in a row", async () => {
    const heard = await hear([
      ...(["sync done", "sync unreachable", "sync unreachable", "sync unreachable"] as const),
      ...(["sync unreachable", "sync done", "sync unreachable"] as const),
    ]);
    expect(heard).toEqual(["well", "well", "well", "/fail", "/fail", "well", "well"]);
  });

  it("reports the first of them if a setting says so, or no sync has succeeded yet", async () => {
    expect(await hear(["sync done", "sync unreachable"], "1")).toEqual(["well", "/fail"]);
    expect(await hear(["sync unreachable", "sync done"])).toEqual(["/fail", "well"]);
  });

  it("reports a failure that no later slot mends at once", async () => {
    expect(await hear(["sync done", "sync refused"])).toEqual(["well", "/fail"]);
  });

  it("treats another job alike, whose failure the syncs report until it succeeds", async () => {
    const heard = await hear([
      ...(["insights done", "insights unreachable", "sync done"] as const),
      ...(["insights unreachable", "sync done", "insights unreachable", "sync done"] as const),
      ...(["insights done", "sync done"] as const),
    ]);
    expect(heard).toEqual(["", "", "well", "", "well", "/fail", "/fail", "", "well"]);
  });

  it.each([
    { minutes: undefined, startedMinutesAgo: 59, says: "well" },
    { minutes: undefined, startedMinutesAgo: 61, says: "/fail" },
    { minutes: "3", startedMinutesAgo: 2, says: "well" },
    { minutes: "3", startedMinutesAgo: 4, says: "/fail" },
    { minutes: "90", startedMinutesAgo: 61, says: "well" },
  ])(
    "a sync reports $says while another job has been running for $startedMinutesAgo of $minutes minutes, as if it was killed",
    async ({ minutes, startedMinutesAgo, says }) => {
      const started = new Date(Date.now() - startedMinutesAgo * 60_000).toISOString();
      const more = minutes === undefined ? {} : { CALLTALLY_JOB_MINUTES: minutes };
      expect(
        await hear(["sync done"], "3", { more, before: (journal) => journal.start("insights", started) }),
      ).toEqual([says]);
    },
  );
});
