import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import "../support/built.ts"; // for the page to explore
import { LONGEST_MS } from "../support/enough-time.ts";

/** Runs a short life; it replaces the clock and the disk of its process, so it runs in one of its own. */
function live(seed: number) {
  const command = ["test/simulation/run.ts", "--seed", String(seed), "--days", "4"];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  const [digest] = /log [\da-f]+/.exec(stdout) ?? [];
  return { status, stdout, stderr, digest };
}

test.each([
  ["of one account", 5],
  ["of an agency", 4],
])(
  "run: all invariants hold in a short life %s, whose log is the same each time",
  {
    timeout: LONGEST_MS,
  },
  (_, seed) => {
    const [first, again] = [live(seed), live(seed)];
    expect(first.stdout).not.toContain("FAILED");
    expect(first).toMatchObject({ status: 0, stderr: "", digest: expect.any(String) });
    expect(again.digest).toBe(first.digest);
  },
);
