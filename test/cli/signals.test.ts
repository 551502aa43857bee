import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally, settingsFor, startCalltally } from "./run.ts";

describe("calltally, when it is told to stop", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends sync soon after %s, with the pages it has read kept", async (signal, exitCode) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 3000, latencyMs: 100 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const sync = startCalltally(["sync", "--limit", "100", "--concurrency", "1"], options);
    while (sandbox.requests.length < 5) await new Promise(setImmediate);
    const killedMs = Date.now();
    sync.kill(signal);
    expect(await sync.done).toEqual({
      code: exitCode,
      stdout: "",
      stderr: `calltally: Stopped by ${signal}\n`,
    });
    expect(Date.now() - killedMs).toBeLessThan(5000);

    const status = JSON.parse((await calltally(["status", "--json"], options)).stdout);
    expect(status).toMatchObject({ runs: [{ status: "interrupted", error: `Stopped by ${signal}` }] });
    expect(status.calls.live).toBeGreaterThan(100);
  });

  it("ends schedule cleanly after SIGTERM, after a sync that ran on its time", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 100 });
    const env = { ...settingsFor(sandbox), CALLTALLY_SYNC_CRON: "* * * * * *" };
    const schedule = startCalltally(["schedule"], { cwd: folder.path, env });
    let log = "";
    schedule.stderr?.on("data", (chunk) => {
      log += String(chunk);
    });
    while (!log.includes('"msg":"synced"')) await once(schedule.stderr ?? schedule, "data");
    const killedMs = Date.now();
    schedule.kill("SIGTERM");
    expect(await schedule.done).toMatchObject({ code: 0, stdout: "" });
    expect(Date.now() - killedMs).toBeLessThan(5000);
  });

  it("ends the sandbox after SIGINT", async () => {
    using folder = makeTempFolder();
    const sandbox = startCalltally(["sandbox", "--port", "0", "--calls", "10"], { cwd: folder.path });
    await once(sandbox.stderr ?? sandbox, "data");
    sandbox.kill("SIGINT");
    expect((await sandbox.done).code).toBe(0);
  });
});
