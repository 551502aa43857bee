import { describe, expect, it } from "vitest";
import { paced } from "../../src/base/paced.ts";

const ITEMS = Array.from({ length: 2500 }, (_, index) => index);

describe("paced", () => {
  it("yields all items, and lets others run after each thousand", async () => {
    const seen: number[] = [];
    const others: number[] = [];
    let isDone = false;
    const runOther = () => {
      others.push(seen.length);
      if (!isDone) setImmediate(runOther);
    };
    setImmediate(runOther);
    for await (const item of paced(ITEMS, undefined)) seen.push(item);
    isDone = true;
    expect(seen).toEqual(ITEMS);
    expect(new Set(others)).toEqual(new Set([1000, 2000]));
  });

  it("throws the reason of a signal that aborts meanwhile", async () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error("stopped")));
    let seen = 0;
    const read = async () => {
      for await (const _ of paced(ITEMS, stop.signal)) seen++;
    };
    await expect(read()).rejects.toThrow("stopped");
    expect(seen).toBe(1000);
  });
});
