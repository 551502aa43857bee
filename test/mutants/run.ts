import { hash } from "node:crypto";
import { globSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { EQUIVALENT } from "./equivalent.ts";
import { type Part, ROOMS, type Room } from "./rooms.ts";

const USAGE = `npm run test:mutants -- [--sample N [--day YYYY-MM-DD]] [--incremental] [room | file]...

Changes the program at one place after another, and looks whether a test notices. Says the score of each room,
lists what no test noticed, and fails where a room is below its floor.

  room         ${Object.keys(ROOMS).join(", ")}  (default: all)
  file         one of a room's files alone, as src/paging/chain.ts, or a part of it, as src/paging/chain.ts:80-120
  --sample N   one room of the day, in N places of ten lines each
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

/** Lines of one place of a sample: what changes more than these is only tested by whole files. */
const PLACE_LINES = 10;

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

interface Task {
  name: string;
  room: Room;
  /** What is changed there, as Stryker takes it: files, or `file:first-last`. */
  places: string[];
  isWhole: boolean;
}

const filesOf = ({ files }: Part) => files.flatMap((pattern) => globSync(pattern).sort());
const fileOf = (place: string) => place.replace(/:.*/, "");

/** Puts things in an order that is the same for the same day. */
function shuffle<T>(things: readonly T[], day: string): T[] {
  const keyed = things.map((thing) => ({ thing, key: hash("sha256", `${day} ${thing}`) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ thing }) => thing);
}

function planSample(places: number, day: string): Task[] {
  const [drawn] = shuffle(
    Object.keys(ROOMS).filter((name) => ROOMS[name]?.floor !== undefined),
    day,
  );
  return Object.entries(ROOMS)
    .filter(([name]) => name === (positionals[0] ?? drawn))
    .map(([name, room]) => {
      const all = room.parts.flatMap(filesOf).flatMap((file) => {
        const lines = readFileSync(file, "utf8").split("\n").length;
        const starts = Array.from(
          { length: Math.ceil(lines / PLACE_LINES) },
          (_, at) => at * PLACE_LINES + 1,
        );
        return starts.map((start) => `${file}:${start}-${start + PLACE_LINES - 1}`);
      });
      return { name, room, places: shuffle(all, day).slice(0, places), isWhole: false };
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
    // Not by Stryker's own `testFiles`: with it, what is changed as a module is loaded is never switched on (10.1.1).
    process.env.CALLTALLY_MUTANT_TESTS = part.tests.join(" ");
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

/** What a mutant changes, wherever it stands by now: the line that it begins in, the text, and what that becomes. */
function describe({ fileName, location: { start, end }, replacement }: Mutant) {
  const file = relative(process.cwd(), fileName);
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const on = squash(lines[0] ?? "");
  lines[lines.length - 1] = (lines.at(-1) ?? "").slice(0, end.column - 1);
  lines[0] = (lines[0] ?? "").slice(start.column - 1);
  return { file, line: start.line, on, from: squash(lines.join("\n")), to: squash(replacement ?? "") };
}

const squash = (text: string) => text.replace(/\s+/g, " ").trim();

/** A room at its floor has so few of a small sample noticed, by chance alone, on one day of 700. */
const ofSample = (floor: number, mutants: number) =>
  floor - 3 * Math.sqrt((floor * (100 - floor)) / Math.max(1, mutants));

/** Says what became of a room's mutants; returns whether they are above its floor. */
function judge({ name, room, isWhole }: Task, mutants: readonly Mutant[]): boolean {
  const used = new Set<unknown>();
  const counts = { noticed: 0, late: 0, equivalent: 0, survived: 0 };
  const survivors: string[] = [];
  for (const mutant of mutants) {
    if (mutant.status === "Killed" || mutant.status === "Timeout") counts.noticed++;
    // A loop without end; or a machine with too much else to do.
    if (mutant.status === "Timeout") counts.late++;
    if (mutant.status !== "Survived" && mutant.status !== "NoCoverage") continue;
    const { file, line, on, from, to } = describe(mutant);
    const same = EQUIVALENT[file]?.find((each) => each.on === on && each.from === from && each.to === to);
    if (same !== undefined) {
      counts.equivalent++;
      used.add(same);
      continue;
    }
    counts.survived++;
    const untested = mutant.status === "NoCoverage" ? " (no test comes here)" : "";
    survivors.push(`  ${file}:${line}${untested}\n    on    ${on}\n    from  ${from}\n    to    ${to}\n`);
  }
  const judged = counts.noticed + counts.survived;
  const score = judged === 0 ? 100 : (100 * counts.noticed) / judged;
  const floor = room.floor === undefined ? undefined : isWhole ? room.floor : ofSample(room.floor, judged);
  const isGood = floor === undefined || score >= floor;
  const bound = floor === undefined ? "no floor yet" : `floor ${floor.toFixed(1)} %`;
  process.stdout.write(
    `${survivors.join("")}${name}: ${judged + counts.equivalent} mutants, ${counts.noticed} noticed (${counts.late} by never ending), ` +
      `${counts.equivalent} equivalent, score ${score.toFixed(1)} % (${bound})${isGood ? "" : " TOO LOW"}\n`,
  );
  if (!isWhole) return isGood;
  const stale = room.parts
    .flatMap(filesOf)
    .flatMap((file) => (EQUIVALENT[file] ?? []).filter((each) => !used.has(each)));
  for (const { on, to } of stale)
    process.stdout.write(`  no longer equivalent, or no longer there: ${on} → ${to}\n`);
  return isGood && stale.length === 0;
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
  // Made as tests first run without a mutant, and read for each mutant.
  process.env.CALLTALLY_MUTANT_ACCOUNTS = accounts.path;
  for (const task of tasks) {
    const isGood = judge(task, await findMutants(task));
    if (!isGood) process.exitCode = 1;
  }
}
