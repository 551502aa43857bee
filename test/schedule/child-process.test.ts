import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ChildOptions, runChild } from "../../src/schedule/child-process.ts";
import { withEnoughTime } from "../support/enough-time.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Runs a script in a process of its own. */
function run(script: string, options: Partial<ChildOptions> = {}) {
  const { signal } = new AbortController();
  return runChild(["--eval", script], {
    deadlineMs: 60_000,
    graceMs: 5000,
    stopMs: 4000,
    signal,
    stdio: ["pipe", "ignore", "inherit"],
    ...options,
  });
}

const WAIT = "setInterval(() => {}, 1000);";
const DEAF = `process.on("SIGTERM", () => {});`;

describe("runChild", () => {
  it.each([
    { script: "process.exit(6)", exitCode: 6, signal: null },
    { script: `process.kill(process.pid, "SIGKILL"); ${WAIT}`, exitCode: null, signal: "SIGKILL" },
  ])("returns the exit code or the signal that ended the process: $script", async ({ script, ...end }) => {
    expect(await run(script)).toEqual({ ...end, isLate: false, error: null });
  });

  it("asks the process to stop at its deadline", async () => {
    using folder = makeTempFolder();
    const ready = join(folder.path, "ready");
    const script = `process.on("SIGTERM", () => process.exit(143));
      require("node:fs").writeFileSync(${JSON.stringify(ready)}, ""); ${WAIT}`;
    const outcome = await withEnoughTime(500, async (deadlineMs) => {
      const ended = await run(script, { deadlineMs, graceMs: 60_000 });
      return existsSync(ready) ? ended : undefined;
    });
    expect(outcome).toMatchObject({ exitCode: 143, isLate: true });
  });

  it("kills a process that does not stop at its deadline, even a busy one", async () => {
    for (const rest of [WAIT, "for (;;);"]) {
      using folder = makeTempFolder();
      const ready = join(folder.path, "ready");
      const script = `${DEAF} require("node:fs").writeFileSync(${JSON.stringify(ready)}, ""); ${rest}`;
      const outcome = await withEnoughTime(500, async (deadlineMs) => {
        const ended = await run(script, { deadlineMs, graceMs: 200 });
        return existsSync(ready) ? ended : undefined;
      });
      expect(outcome).toEqual({ exitCode: null, signal: "SIGKILL", isLate: true, error: null });
    }
  });

  it("asks the process to stop when the signal aborts, and kills it if it does not", async () => {
    using folder = makeTempFolder();
    const ready = join(folder.path, "ready");
    const stop = new AbortController();
    const script = `${DEAF} ${WAIT} require("node:fs").writeFileSync(${JSON.stringify(ready)}, "");`;
    const running = run(script, { signal: stop.signal, stopMs: 200 });
    while (!existsSync(ready)) await sleep(10);
    stop.abort();
    expect(await running).toEqual({ exitCode: null, signal: "SIGKILL", isLate: false, error: null });
    expect(await run(WAIT, { signal: stop.signal })).toMatchObject({ signal: "SIGTERM" });
  });
});
