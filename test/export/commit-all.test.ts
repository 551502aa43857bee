import { expect, it } from "vitest";
import type { Commit } from "../../src/export/output/file-set.ts";
import { commitAll } from "../../src/export/record-export.ts";

/** A commit of one account that notes its steps, and fails at one of them. */
function commitOf(account: string, steps: string[], failsAt?: string): Commit {
  const step = (name: string) => () => {
    steps.push(`${account} ${name}`);
    if (name === failsAt) throw new Error(`${account} cannot ${name}`);
  };
  return {
    isKnown: (file) => file === `${account}.csv`,
    enter: step("enter"),
    undo: step("undo"),
    settle: step("settle"),
  };
}

it("commitAll removes the records of accounts that entered before one that cannot", () => {
  const steps: string[] = [];
  const all = commitAll([
    commitOf("austin", steps),
    commitOf("berlin", steps, "enter"),
    commitOf("kahului", steps),
  ]);
  expect(all.enter).toThrow("berlin cannot enter");
  expect(steps).toEqual(["austin enter", "berlin enter", "austin undo"]);
});

it("commitAll settles the other accounts if one cannot, and throws the first error", () => {
  const steps: string[] = [];
  const all = commitAll([
    commitOf("austin", steps, "settle"),
    commitOf("berlin", steps, "settle"),
    commitOf("kahului", steps),
  ]);
  expect(all.settle).toThrow("austin cannot settle");
  expect(steps).toEqual(["austin settle", "berlin settle", "kahului settle"]);
});

it("commitAll knows a file that one account has recorded", () => {
  const all = commitAll([commitOf("austin", []), commitOf("berlin", [])]);
  expect(["austin.csv", "berlin.csv", "kahului.csv"].map(all.isKnown)).toEqual([true, true, false]);
});
