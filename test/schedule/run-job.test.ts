import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT, type ExitCode } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import type { Job } from "../../src/schedule/job-definition.ts";
import { runJob } from "../../src/schedule/run-job.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { keepLines } from "../support/log-lines.ts";
import { startServer, text } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const NEVER = new AbortController().signal;

/** Runs jobs that end with the exit codes; returns what the monitor hears of each. */
async function hear(
  runs: readonly (readonly [job: "sync" | "insights", exitCode: ExitCode])[],
  failures?: string,
) {
  using folder = makeTempFolder();
  await using monitor = await startServer(text("OK"));
  const database = join(folder.path, "calls.db");
  openWarehouse(database)[Symbol.dispose]();
  const settings = loadSettings({
    folder: folder.path,
    env: {
      CALLTALLY_DATABASE: database,
      CALLTALLY_HEARTBEAT_URL: `${monitor.url}ping`,
      ...(failures !== undefined && { CALLTALLY_HEARTBEAT_FAILURES: failures }),
    },
  });
  let next: ExitCode = EXIT.done;
  const jobs = (["sync", "insights"] as const).map(
    (name): Job => ({
      ...{
        name,
        isSync: name === "sync",
        cron: () => "7 * * * *",
        cronSetting: "",
        readLastDone: () => null,
      },
      run: async () => {
        if (next === EXIT.unreachable)
          throw new CalltallyError(next, "The API returned 503", { hint: "Wait." });
        return next;
      },
    }),
  );
  const heard: string[] = [];
  for (const [name, exitCode] of runs) {
    next = exitCode;
    const job = jobs.find((each) => each.name === name);
    if (job === undefined) throw new Error(name);
    const before = monitor.requests.length;
    await runJob(job, jobs, { settings, log: keepLines().log, signal: NEVER });
    const pings = monitor.requests.slice(before).map(({ url = "" }) => url.replace("/ping", ""));
    heard.push(
      pings
        .filter((path) => path !== "/start")
        .map((path) => path || "well")
        .join(" "),
    );
  }
  return heard;
}

const { done, unreachable, refused } = EXIT;

describe("runJob", () => {
  it("reports syncs that find the API unreachable from the third in a row", async () => {
    const syncs = [done, unreachable, unreachable, unreachable, unreachable, done, unreachable] as const;
    expect(await hear(syncs.map((exitCode) => ["sync", exitCode]))).toEqual([
      ...["well", "well", "well", "/fail", "/fail", "well", "well"],
    ]);
  });

  it("reports the first of them if a setting says so, or no sync has succeeded yet", async () => {
    expect(
      await hear(
        [
          ["sync", done],
          ["sync", unreachable],
        ],
        "1",
      ),
    ).toEqual(["well", "/fail"]);
    expect(
      await hear([
        ["sync", unreachable],
        ["sync", done],
      ]),
    ).toEqual(["/fail", "well"]);
  });

  it("reports a failure that no later slot mends at once", async () => {
    expect(
      await hear([
        ["sync", done],
        ["sync", refused],
      ]),
    ).toEqual(["well", "/fail"]);
  });

  it("treats another job alike, whose failure the syncs report until it succeeds", async () => {
    expect(
      await hear([
        ...([
          ["insights", done],
          ["insights", unreachable],
          ["sync", done],
        ] as const),
        ...([
          ["insights", unreachable],
          ["sync", done],
          ["insights", unreachable],
          ["sync", done],
        ] as const),
        ...([
          ["insights", done],
          ["sync", done],
        ] as const),
      ]),
    ).toEqual(["", "", "well", "", "well", "/fail", "/fail", "", "well"]);
  });
});
