import { globSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { drawingRule, toVariables } from "../support/draws.ts";
import { type Part, ROOMS, type Room } from "./rooms.ts";
import { shuffle } from "./shuffle.ts";
import { toTextTable } from "./text-table.ts";

const USAGE = `npm run test:mutants -- [--sample N [--day YYYY-MM-DD]] [--incremental] [room | file]...

Changes the program at one place after another, and looks whether a test notices. Says the score of each room,
lists what no test noticed, and fails where a room is below its floor.

  room         ${Object.keys(ROOMS).join(", ")}  (default: all)
  file         one of a room's files alone, as src/service/paging/chain.ts, or a part of it, as src/service/paging/chain.ts:80-120
  --sample N   one room of the day, in N places of ten lines each that the same tests are about
  --day        the day that chooses them (default: today, UTC)
  --incremental   keeps what was found where neither file nor test file changed; in reports/mutants
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    day: { type: "string" },
    incremental: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** Lines of one place of a sample: changes across more lines are only tested with whole files. */
const PLACE_LINES = 10;

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

interface Task {
  name: string;
  room: Room;
  /** The mutated places in Stryker's notation: files, or `file:first-last`. */
  places: string[];
  isWhole: boolean;
}

/** @throws Error for a pattern without files, which would otherwise pass unmeasured after a move */
function findFiles(pattern: string): string[] {
  const files = globSync(pattern).sort();
  if (files.length === 0) throw new Error(`Cannot find ${pattern}: rooms.ts has an old path`);
  return files;
}

const filesOf = ({ files }: Part) => files.flatMap(findFiles);
const fileOf = (place: string) => place.replace(/:.*/, "");

/** Places of one part of a room, so that only its tests run; a part is drawn in proportion to its length. */
function planSample(count: number, day: string): Task[] {
  const [drawn] = shuffle(
    Object.keys(ROOMS).filter((name) => ROOMS[name]?.floor !== undefined),
    day,
  );
  return Object.entries(ROOMS)
    .filter(([name]) => name === (positionals[0] ?? drawn))
    .map(([name, room]) => {
      const parts = room.parts.map((part) => filesOf(part).flatMap(placesOf));
      const [first = ""] = shuffle(parts.flat(), day);
      const places = parts.find((part) => part.includes(first)) ?? [];
      return { name, room, places: shuffle(places, day).slice(0, count), isWhole: false };
    });
}

function placesOf(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n").length;
  return Array.from({ length: Math.ceil(lines / PLACE_LINES) }, (_, at) => {
    const start = at * PLACE_LINES + 1;
    return `${file}:${start}-${start + PLACE_LINES - 1}`;
  });
}

function planAll(): Task[] {
  return Object.entries(ROOMS).flatMap(([name, room]): Task[] => {
    const files = room.parts.flatMap(filesOf);
    if (positionals.length === 0 || positionals.includes(name)) {
      return [{ name, room, places: files, isWhole: true }];
    }
    const places = positionals.filter((each) => files.includes(fileOf(each)));
    return places.length === 0 ? [] : [{ name, room, places, isWhole: false }];
  });
}

async function findMutants({ name, room, places }: Task): Promise<Mutant[]> {
  const found: Mutant[] = [];
  for (const [index, part] of room.parts.entries()) {
    const files = filesOf(part);
    const mutate = places.filter((place) => files.includes(fileOf(place)));
    if (mutate.length === 0) continue;
    // Not by Stryker's own `testFiles`: with it, code that runs while a module is loaded is never mutated (10.1.1).
    process.env.CALLTALLY_MUTANT_TESTS = part.tests.flatMap(findFiles).join(" ");
    const stryker = new Stryker({
      configFile: "test/mutants/stryker.json",
      mutate,
      incremental: values.incremental,
      incrementalFile: `reports/mutants/${name}-${index}.json`,
    });
    const mutants = await stryker.runMutationTest();
    found.push(...mutants.filter(({ fileName }) => files.includes(relative(process.cwd(), fileName))));
  }
  return found;
}

/** Returns the change of a mutant: the line where it begins, the text, and its replacement. */
function describe({ fileName, location: { start, end }, replacement, status }: Mutant): string {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const on = squash(lines[0] ?? "");
  lines[lines.length - 1] = (lines.at(-1) ?? "").slice(0, end.column - 1);
  lines[0] = (lines[0] ?? "").slice(start.column - 1);
  const place = `${relative(process.cwd(), fileName)}:${start.line}`;
  const untested = status === "NoCoverage" ? " (no test comes here)" : "";
  return `  ${place}${untested}\n    on    ${on}\n    from  ${squash(lines.join("\n"))}\n    to    ${squash(replacement ?? "")}\n`;
}

const squash = (text: string) => text.replace(/\s+/g, " ").trim();

/**
 * Returns the minimum that a sample of a room at its floor has, except on one day of 700. Survivors lie together: mutants of one
 * place count as one.
 */
const ofSample = (floor: number, places: number) =>
  Math.max(0, floor - 3 * Math.sqrt((floor * (100 - floor)) / Math.max(1, places)));

interface Result {
  name: string;
  mutants: number;
  noticed: number;
  /** In percent. */
  score: number;
  floor: number | undefined;
  isGood: boolean;
}

/** Prints the surviving mutants of a room; returns how many survived, and whether the score suffices. */
function judge({ name, room, isWhole }: Task, mutants: readonly Mutant[]): Result {
  const withStatus = (...statuses: Mutant["status"][]) =>
    mutants.filter(({ status }) => statuses.includes(status));
  const survivors = withStatus("Survived", "NoCoverage");
  // A late one is an endless loop; or the machine is too busy.
  const late = withStatus("Timeout").length;
  const noticed = withStatus("Killed").length + late;
  const judged = noticed + survivors.length;
  const score = judged === 0 ? 100 : (100 * noticed) / judged;
  const spread = new Set(
    mutants.map(({ fileName, location }) => `${fileName} ${Math.ceil(location.start.line / PLACE_LINES)}`),
  ).size;
  const floor = room.floor === undefined || isWhole ? room.floor : ofSample(room.floor, spread);
  const unjudged = mutants.length - judged;
  process.stdout.write(`${survivors.map(describe).join("")}${name}: ${late} noticed by never ending`);
  process.stdout.write(
    `${unjudged === 0 ? "" : `; ${unjudged} not judged, since a hook or a whole file failed`}\n`,
  );
  return { name, mutants: judged, noticed, score, floor, isGood: floor === undefined || score >= floor };
}

function tabulate(results: readonly Result[]): string {
  const percent = (share: number | undefined) => (share === undefined ? "none yet" : `${share.toFixed(1)} %`);
  return toTextTable([
    ["room", "mutants", "noticed", "score", "floor", ""],
    ...results.map(({ name, mutants, noticed, score, floor, isGood }) => [
      name,
      String(mutants),
      String(noticed),
      percent(score),
      percent(floor),
      isGood ? "" : "FAILED",
    ]),
  ]);
}

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const { sample, day = new Date().toISOString().slice(0, 10) } = values;
  const tasks = sample === undefined ? planAll() : planSample(Number(sample), day);
  if (tasks.length === 0)
    throw new Error(`No room and no file of one: ${positionals.join(", ")}\n\n${USAGE}`);
  if (sample !== undefined) {
    process.stdout.write(
      `Sample of ${day}, again with --sample ${sample} --day ${day}: ${tasks.flatMap(({ places }) => places).join(" ")}\n`,
    );
  }
  using accounts = mkdtempDisposableSync(join(tmpdir(), "calltally-mutants-"));
  // A mutant must meet the same cases as the program without it, in CI too.
  Object.assign(process.env, toVariables(drawingRule({})));
  // Created when tests first run without a mutant, and read for each mutant.
  process.env.CALLTALLY_MUTANT_ACCOUNTS = accounts.path;
  const results: Result[] = [];
  for (const task of tasks) results.push(judge(task, await findMutants(task)));
  process.stdout.write(`\n${tabulate(results)}`);
  if (results.some(({ isGood }) => !isGood)) process.exitCode = 1;
}
