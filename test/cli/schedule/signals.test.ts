import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startCalltally } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeSandboxFolder } from "../folder.ts";
import { until } from "../until.ts";

describe("signals to calltally", () => {
  it("end a sync between two pages after SIGINT and keep the pages it read", async () => {
    await using folder = await makeSandboxFolder({ calls: 3000, latencyMs: 100 });
    const { sandbox, options, run } = folder;
    const sync = startCalltally(["sync", "--limit", "100", "--concurrency", "1"], options);
    await until(() => sandbox.requests.length >= 5);
    sync.kill("SIGINT");
    expect(await sync.done).toEqual({
      code: 130,
      stdout: "",
      stderr: "calltally: Stopped by SIGINT\nRun it again; a sync resumes where it stopped.\n",
    });

    const status = JSON.parse((await run("status --json")).stdout);
    expect(status).toMatchObject({ runs: [{ status: "interrupted", error: "Stopped by SIGINT" }] });
    expect(status.calls.live).toBeGreaterThan(100);
  });

  it("end schedule after many signals as after one, in the middle of a sync", async () => {
    await using folder = await makeSandboxFolder(
      { calls: 3000, latencyMs: 300 },
      {
        CALLTALLY_SYNC_CRON: "* * * * * *",
        CALLTALLY_EXPORT_CRON: "0 0 29 2 *",
        CALLTALLY_JITTER_SECONDS: "0",
        CALLTALLY_LIMIT: "100",
      },
    );
    const { sandbox, options } = folder;
    const schedule = startCalltally(["schedule", "--begin"], options);
    let log = "";
    schedule.stderr?.on("data", (chunk) => {
      log += String(chunk);
    });
    await until(() => sandbox.requests.length >= 2);
    // Until it is gone: the last ones arrive while Node shuts down.
    const signals = ["SIGTERM", "SIGINT"] as const;
    const senders = signals.map((signal) => setInterval(() => schedule.kill(signal), 3));
    const { code, stdout } = await schedule.done;
    for (const sender of senders) clearInterval(sender);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(log).toContain('"started"');
    expect(log).not.toContain('"synced"');
  });

  it("end the sandbox after SIGINT", async () => {
    using folder = makeTempFolder();
    const sandbox = startCalltally(["sandbox", "--port", "0", "--calls", "10"], { cwd: folder.path });
    await once(sandbox.stderr ?? sandbox, "data");
    sandbox.kill("SIGINT");
    expect((await sandbox.done).code).toBe(0);
  });
});
