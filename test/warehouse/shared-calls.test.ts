import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/columns.ts";
import { openExistingWarehouse, openReader } from "../../src/warehouse/file/open.ts";
import { findSharedCalls } from "../../src/warehouse/shared-calls.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse } from "../support/warehouses/warehouse.ts";

const folder = makeTempFolder();
afterAll(() => folder.remove());

const NEWEST_MS = Date.parse("2026-11-20T10:00:00.000Z");

/** Calls in descending order of their starts, an hour apart. */
const callsOf = (change: (call: Call, index: number) => Partial<Call> = () => ({}), length = 120): Call[] =>
  Array.from({ length }, (_, index) => {
    const call = makeCall({
      call_id: 900 - index,
      caller_id: `+4930123${1000 + index}`,
      call_started: new Date(NEWEST_MS - index * 3_600_000).toISOString(),
    });
    return { ...call, ...change(call, index) };
  });

interface Kept {
  calls: readonly Call[];
  at?: string;
  origin?: string;
  unit?: string;
}

let made = 0;
function store({ calls, at = "2026-11-20T11:00:00.000Z", origin = "https://a.example", unit }: Kept): string {
  const path = join(folder.path, `${made++}.db`);
  fillWarehouse(path, calls, { at });
  using warehouse = openExistingWarehouse(path);
  warehouse.sqlite.prepare("UPDATE origin SET base_url = ?, org_unit_id = ?").run(origin, unit ?? null);
  return path;
}

/** Returns what is found of the second warehouse, compared with the first. */
function find(first: Kept, second: Kept) {
  const [austin, dallas] = [store(first), store(second)];
  using reader = openReader(dallas);
  return findSharedCalls(reader, [
    { account: "austin", database: austin },
    { account: "gone", database: join(folder.path, "missing.db") },
    { account: "dallas", database: dallas },
  ]);
}

const shift = ({ call_started }: Call) => ({
  call_started: new Date(Date.parse(call_started ?? "") + 1000).toISOString(),
});

describe("findSharedCalls", () => {
  it.each<[string, Call[]]>([
    ["all calls", callsOf()],
    ["one of the latest calls", callsOf((call, index) => (index === 7 ? {} : shift(call)))],
    ["calls of a copy that ended 100 calls ago", callsOf().slice(100)],
    ["calls without a caller", callsOf((_, index) => (index === 3 ? { caller_id: null } : {}))],
  ])("finds %s in the warehouse of another account", (_, calls) => {
    const austin = { calls: callsOf((_, index) => (index === 3 ? { caller_id: null } : {})) };
    expect(find(austin, { calls })).toEqual({ account: "austin" });
    expect(find({ calls }, austin)).toEqual({ account: "austin" });
  });

  it.each<[string, Partial<Kept>]>([
    ["the ids alone are equal", { calls: callsOf(shift) }],
    [
      "ids and starts are equal",
      { calls: callsOf((_, index) => ({ caller_id: `+1512555${1000 + index}` })) },
    ],
    ["ids and callers are equal, in a copy of long ago", { calls: callsOf(shift).slice(100) }],
    ["no start is known", { calls: callsOf(() => ({ call_started: null })) }],
    ["there are no calls", { calls: [] }],
    ["the service differs", { origin: "https://b.example" }],
    ["the unit differs", { unit: "18" }],
    ["the other account began two days later", { at: "2026-11-18T11:00:00.000Z" }],
  ])("finds nothing where %s", (_, other) => {
    expect(find({ calls: callsOf() }, { calls: callsOf(), ...other })).toBeUndefined();
  });

  it("doubts both of two warehouses that began within a day, and only the later one of others", () => {
    const [early, late] = [
      { calls: callsOf(), at: "2026-11-19T12:00:00.000Z" },
      { calls: callsOf(), at: "2026-11-20T11:00:00.000Z" },
    ];
    expect([find(early, late), find(late, early)]).toEqual([{ account: "austin" }, { account: "austin" }]);
    const year = { ...early, at: "2025-11-19T12:00:00.000Z" };
    expect([find(year, late), find(late, year)]).toEqual([{ account: "austin" }, undefined]);
  });

  it("notices that the other warehouse has changed", () => {
    const [austin, dallas] = [store({ calls: callsOf(shift) }), store({ calls: callsOf() })];
    using reader = openReader(dallas);
    const accounts = [austin, dallas].map((database) => ({ account: database, database }));
    expect(findSharedCalls(reader, accounts)).toBeUndefined();
    fillWarehouse(austin, callsOf(), { at: "2026-11-20T11:00:00.000Z" });
    using changed = openExistingWarehouse(austin);
    changed.sqlite.prepare("UPDATE origin SET base_url = ?").run("https://a.example");
    expect(findSharedCalls(reader, accounts)).toEqual({ account: austin });
  });
});
