import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { LONGEST_MS } from "../support/enough-time.ts";

/** Runs a short life; it replaces the clock and the disk of its process, so it runs in one of its own. */
function live() {
  const command = ["test/simulation/run.ts", "--seed", "5", "--days", "4"];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  const [digest] = /log [\da-f]+/.exec(stdout) ?? [];
  return { status, stdout, stderr, digest };
}

test("run: all invariants hold in a short life, whose log is the same each time", {
  timeout: LONGEST_MS,
}, () => {
  const [first, again] = [live(), live()];
  expect(first.stdout).not.toContain("FAILED");
  expect(first).toMatchObject({ status: 0, stderr: "", digest: expect.any(String) });
  expect(again.digest).toBe(first.digest);
});
