import { expect, test } from "vitest";
import { SandboxCalls } from "../../../src/sandbox/calls/call-store.ts";

const NOW_MS = Date.parse("2026-11-20T15:00:00.000Z");

function createCalls(options: { calls: number; seed?: number; order?: "newest" | "oldest" | "shuffled" }) {
  return new SandboxCalls({ seed: 1, order: "newest", now: () => NOW_MS, ...options });
}

const readAll = (calls: SandboxCalls) => calls.ids.map((id) => calls.get(id));

test("SandboxCalls generates the same calls for a seed, and different ones for another", () => {
  const once = createCalls({ calls: 300, seed: 7 });
  const again = createCalls({ calls: 300, seed: 7 });
  const other = createCalls({ calls: 300, seed: 8 });

  expect(readAll(again)).toEqual(readAll(once));
  expect(readAll(again)).toEqual(readAll(again));
  expect(other.ids).not.toEqual(once.ids);
  expect(readAll(other)).not.toEqual(readAll(once));
});

test("SandboxCalls.get finds only existing ids", () => {
  const calls = createCalls({ calls: 50 });
  const [newest = 0] = calls.ids;
  const known = new Set(calls.ids);

  const found = Array.from({ length: 1000 }, (_, back) => newest + 100 - back).filter((id) => calls.get(id));

  expect(found).toEqual([...known]);
  expect(calls.get(newest + 0.5)).toBeUndefined();
  expect(calls.get(-1)).toBeUndefined();
});

test("SandboxCalls.insert places a call that starts now in order", () => {
  for (const order of ["newest", "oldest", "shuffled"] as const) {
    const calls = createCalls({ calls: 40, order });
    const before = calls.ids;

    const id = calls.insert();

    const place = calls.ids.indexOf(id);
    expect(calls.size).toBe(41);
    expect(calls.ids.toSpliced(place, 1)).toEqual(before);
    expect(id).toBeGreaterThan(Math.max(...before));
    if (order === "newest") expect(place).toBe(0);
    if (order === "oldest") expect(place).toBe(40);
    expect(calls.get(id)).toMatchObject({ call_id: id, call_started: "2026-11-20T15:00:00.000Z" });
  }
});

test("SandboxCalls.remove removes one call and no other", () => {
  const calls = createCalls({ calls: 20 });
  const before = readAll(calls);
  const gone = calls.ids[4] ?? 0;

  expect(calls.remove(gone)).toBe(true);

  expect(readAll(calls)).toEqual(before.toSpliced(4, 1));
  expect(calls.get(gone)).toBeUndefined();
  expect(calls.remove(gone)).toBe(false);
});

test("SandboxCalls.edit merges members over several edits and removes undefined ones", () => {
  const calls = createCalls({ calls: 5 });
  const [id = 0] = calls.ids;
  const { summary: _summary, ...rest } = { ...calls.get(id) };

  calls.edit(id, { duration: "long", insight_name: "Edited" });
  calls.edit(id, { dni_data: { utm_source: "x" }, summary: undefined });

  expect(calls.get(id)).toStrictEqual({
    ...rest,
    duration: "long",
    insight_name: "Edited",
    dni_data: { utm_source: "x" },
  });
  expect(calls.facets(id)).toMatchObject({ insight_name: "Edited" });
  expect(() => calls.edit(id + 1, {})).toThrow(`Cannot edit call ${id + 1}`);
});

test("SandboxCalls.facets agrees with the whole call", () => {
  const calls = createCalls({ calls: 200 });
  calls.insert();
  for (const id of calls.ids) expect(calls.get(id)).toMatchObject({ ...calls.facets(id) });
});
