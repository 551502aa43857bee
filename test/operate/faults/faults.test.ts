import { afterAll, beforeAll, expect, it } from "vitest";
import { namesOf, recordOf } from "../../../src/base/records.ts";
import { type Cell, FAULTS, type Plant } from "./faults.ts";
import { FINDERS, type FinderName, finds, isProven, isRight } from "./finders.ts";
import { makeWorld, type World } from "./world.ts";

const NAMES = namesOf(FINDERS);
const OF_THE_PASS = "the pass, or the next sync" satisfies FinderName;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  world.keep("in order");
});
afterAll(() => world[Symbol.dispose]());

/** Plants a fault in the world in order; returns which finders find it. */
async function finding(plant: Plant): Promise<Record<FinderName, boolean>> {
  const { listed } = world;
  world.putBack("in order");
  const found = new Map<FinderName, boolean>();
  try {
    if ("disturb" in plant) {
      await world.sync("full", { hours: 6, disturb: plant.disturb(world) });
      const isDoubted = !isProven(world);
      // A fault that leaves the copy right, and the verdict sure, is none.
      expect(isDoubted || !(await isRight(world))).toBe(true);
      found.set(OF_THE_PASS, isDoubted);
    } else await plant.between(world);
    world.keep("with the fault");
    for (const name of NAMES) {
      if (found.has(name)) continue;
      world.putBack("with the fault");
      found.set(name, await finds(name, world));
    }
    return recordOf(NAMES, (name) => found.get(name) ?? false);
  } finally {
    world.listed = listed;
    world.unlisted = [];
  }
}

const toCell = (found: readonly boolean[]): Cell =>
  found.every(Boolean) ? "found" : found.some(Boolean) ? "sometimes" : "never";

it("finds nothing in a copy that is in order", async () => {
  for (const name of NAMES) {
    world.putBack("in order");
    expect([name, await finds(name, world)]).toEqual([name, false]);
  }
});

it.each(FAULTS)("$fault: each finder finds it, or does not, as listed", async ({ plants, cells }) => {
  const results = await Array.fromAsync(Object.values(plants), finding);
  const of = recordOf(NAMES, (name) =>
    Object.fromEntries(Object.keys(plants).map((plant, at) => [plant, results[at]?.[name]])),
  );
  const actual = recordOf(NAMES, (name) => toCell(results.map((result) => result[name])));
  expect(actual, JSON.stringify(of, undefined, 2)).toEqual(cells);
});
