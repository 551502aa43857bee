import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** A life takes over the clock and the disk of its process, so that it has one of its own. */
function live(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["test/simulation/run.ts", ...args], { encoding: "utf8" });
  return { status, stdout: stdout.replace(/, [\d.]+ s:/g, ":"), stderr };
}

test("run: two short lives, in which all invariants hold", { timeout: 300_000 }, () => {
  expect(live("--from", "1", "--seeds", "2", "--days", "15")).toMatchObject({ status: 0, stderr: "" });
});
