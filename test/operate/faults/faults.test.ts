import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { namesOf, recordOf } from "../../../src/base/records.ts";
import { type Cell, FAULTS, type Plant } from "./faults.ts";
import { COPY_FINDERS, FINDERS, type FinderName, finds, isProven, isRight } from "./finders.ts";
import { makeWorld, type World } from "./world.ts";

const NAMES = namesOf(FINDERS);
const OF_THE_PASS = "the pass, or the next sync" satisfies FinderName;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  world.keep("in order");
});
afterAll(() => world[Symbol.dispose]());

/** What each finder says of a fault; undefined where there is nothing to find. */
type Findings = Map<FinderName, boolean | undefined>;

async function plantAndFind(plant: Plant): Promise<Findings> {
  const { listed } = world;
  world.putBack("in order");
  const findings: Findings = new Map();
  try {
    if ("disturb" in plant) {
      if (plant.isFirst) world.empty();
      await world.sync("full", { hours: 6, disturb: plant.disturb(world) });
      const isDoubted = !isProven(world);
      const isHarmless = await isRight(world);
      expect(isDoubted || !isHarmless, "a fault that does no harm, and is in no verdict, is none").toBe(true);
      findings.set(OF_THE_PASS, isDoubted);
      if (isHarmless) for (const name of COPY_FINDERS) findings.set(name, undefined);
    } else await plant.between(world);
    world.keep("with the fault");
    for (const name of NAMES) {
      if (findings.has(name)) continue;
      world.putBack("with the fault");
      findings.set(name, await finds(name, world));
    }
    return findings;
  } finally {
    world.listed = listed;
    world.unlisted = [];
  }
}

function toCell(findings: readonly (boolean | undefined)[]): Cell {
  const known = findings.filter((each) => each !== undefined);
  if (known.length === 0) return "—";
  return known.every(Boolean) ? "found" : known.some(Boolean) ? "sometimes" : "never";
}

it("finds nothing in a copy that is in order", async () => {
  for (const name of NAMES) {
    world.putBack("in order");
    expect([name, await finds(name, world)]).toEqual([name, false]);
  }
});

it.each(FAULTS)("$fault: each check finds it, or does not, as listed", async ({ plants, cells }) => {
  const findings: [plant: string, Findings][] = [];
  for (const [name, plant] of Object.entries(plants)) findings.push([name, await plantAndFind(plant)]);
  const actual = recordOf(NAMES, (name) => toCell(findings.map(([, each]) => each.get(name))));
  const details = findings.map(([name, each]) => `${name}: ${JSON.stringify(Object.fromEntries(each))}`);
  expect(actual, details.join("\n")).toEqual(cells);
});

it("docs/completeness.md has the table of faults, cell by cell", () => {
  const page = readFileSync("docs/completeness.md", "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const from = rows.findIndex(([first]) => first === "fault");
  expect(rows.slice(from, from + FAULTS.length + 1)).toEqual([
    ["fault", ...NAMES.map((name) => (COMMANDS.has(name) ? `\`${name}\`` : name))],
    ...FAULTS.map(({ fault, cells }) => [fault, ...NAMES.map((name) => cells[name])]),
  ]);
});

const COMMANDS: ReadonlySet<string> = new Set(COPY_FINDERS);
