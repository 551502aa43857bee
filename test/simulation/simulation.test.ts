import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { LONGEST_MS } from "../support/enough-time.ts";

/** A life replaces the clock and the disk of its process, so it runs in one of its own. */
function live(...args: string[]) {
  const command = ["test/simulation/run.ts", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  const [digest] = /log [\da-f]+/.exec(stdout) ?? [];
  return { status, stdout, stderr, digest };
}

test("run: all invariants hold in two short lives", { timeout: LONGEST_MS }, () => {
  const lived = live("--seeds", "2", "--days", "12");
  expect(lived.stdout).not.toContain("FAILED");
  expect(lived).toMatchObject({ status: 0, stderr: "" });
});

test("run: the same seed produces the same log", { timeout: LONGEST_MS }, () => {
  expect(live("--seed", "5", "--days", "6").digest).toBe(live("--seed", "5", "--days", "6").digest);
});
