import { describe, expect, it } from "vitest";
import { ChildQueue, type Needs } from "../../src/schedule/child-queue.ts";

/** Work that records when it starts, and ends on request. */
function openWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(name, resolve);
    return promise;
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { started, work, end, settle };
}

const sync = (database: string, host = "h", requests = 4): Needs => ({ database, host, requests });
const quiet = (database: string): Needs => ({ database, host: undefined, requests: 4 });

describe("ChildQueue", () => {
  it("keeps within the limit of a host, in order for each host, without delaying other hosts", async () => {
    const queue = new ChildQueue(8);
    const { signal } = new AbortController();
    const { started, work, end, settle } = openWork();
    const all = [
      queue.run(sync("a"), work("a"), signal),
      queue.run(sync("b"), work("b"), signal),
      queue.run(sync("c", "h", 8), work("c"), signal),
      queue.run(sync("d", "h", 1), work("d"), signal),
      queue.run(sync("e", "other"), work("e"), signal),
      queue.run(quiet("f"), work("f"), signal),
    ];
    await settle();
    expect(started).toEqual(["a", "b", "e", "f"]);
    await end("a");
    expect(started).toEqual(["a", "b", "e", "f"]);
    await end("b");
    expect(started).toEqual(["a", "b", "e", "f", "c"]);
    await end("c");
    expect(started.at(-1)).toBe("d");
    for (const name of ["d", "e", "f"]) await end(name);
    await Promise.all(all);
  });

  it("runs at most four, and only one per warehouse", async () => {
    const queue = new ChildQueue(8);
    const { signal } = new AbortController();
    const { started, work, end, settle } = openWork();
    const names = ["a", "a", "b", "c", "d", "e"];
    const all = names.map((name, index) => queue.run(quiet(name), work(`${name}${index}`), signal));
    await settle();
    expect(started).toEqual(["a0", "b2", "c3", "d4"]);
    await end("c3");
    expect(started.at(-1)).toBe("e5");
    await end("a0");
    expect(started.at(-1)).toBe("a1");
    for (const name of ["a1", "b2", "d4", "e5"]) await end(name);
    await Promise.all(all);
  });

  it("starts nothing more after the signal has aborted", async () => {
    const queue = new ChildQueue(1);
    const stop = new AbortController();
    const { started, work, end, settle } = openWork();
    const all = ["a", "b"].map((name) => queue.run(sync(name), work(name), stop.signal));
    await settle();
    stop.abort();
    await end("a");
    await Promise.all(all);
    expect(started).toEqual(["a"]);
    await queue.run(sync("c"), work("c"), stop.signal);
    expect(started).toEqual(["a"]);
  });

  it("immediately releases a waiting run whose signal aborts, and gives it no turn", async () => {
    const queue = new ChildQueue(1);
    const { signal } = new AbortController();
    const stop = new AbortController();
    const { started, work, end, settle } = openWork();
    const left: string[] = [];
    const first = queue.run(quiet("a"), work("first"), signal);
    void queue.run(quiet("a"), work("stopped"), stop.signal).then(() => left.push("stopped"));
    void queue.run(quiet("a"), work("late"), AbortSignal.abort()).then(() => left.push("late"));
    await settle();
    expect(left).toEqual(["late"]);
    stop.abort();
    await settle();
    expect(left).toEqual(["late", "stopped"]);
    await end("first");
    await first;
    const next = queue.run(quiet("a"), work("next"), signal);
    await settle();
    expect(started).toEqual(["first", "next"]);
    await end("next");
    await next;
  });
});
