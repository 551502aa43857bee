import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { toTextTable } from "../mutants/text-table.ts";
import { Compiler } from "./compiler.ts";
import { draw, listRooms, roomOf, type Swap } from "./draw.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { type Judged, judge } from "./judge.ts";
import { KINDS } from "./swaps.ts";

const USAGE = `npm run test:confusions -- [--sample N] [--seed TEXT] [--rooms A,B] [--files A,B] [--kinds A,B] [--changed-since REV] [--near] [--floor N]

Swaps what the compiler cannot distinguish: a variable, member or argument for another of its type, a zone for UTC,
a boundary, a unit, a condition, an await. Runs the tests that execute the place, in a copy of the tree. Prints the swaps
that no test noticed, and the share of those noticed by room. Fails if the share is below the floor.

  --sample N       how many swaps to draw, from one room after another (default: 60)
  --seed TEXT      draws the same for the same text (default: the hash of the commit)
  --rooms A,B      only these folders of src, or features
  --files A,B      only these files
  --kinds A,B      only these kinds
  --changed-since  only rooms with files that changed since a revision; all rooms if the clone does not have it
  --near           only test files near the place: two imports away at most, or of the scene
  --floor N        percent that tests must notice (default: 100)

Kinds: ${KINDS.join(", ")}
`;

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "60" },
    seed: { type: "string" },
    rooms: { type: "string" },
    files: { type: "string" },
    kinds: { type: "string" },
    "changed-since": { type: "string" },
    near: { type: "boolean", default: false },
    floor: { type: "string", default: "100" },
    help: { type: "boolean", short: "h", default: false },
  },
});

const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
const print = (text: string) => process.stdout.write(text);
const squash = (text: string) => text.replace(/\s+/g, " ");
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

function toNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max) return value;
  throw new Error(`--${option} ${text} must be a number from ${min} to ${max}`);
}

/** Returns the files to draw from, by room. */
function chooseRooms(): Map<string, string[]> {
  const rooms = listRooms();
  const { rooms: names, files, "changed-since": revision } = values;
  const changed = revision === undefined ? undefined : changedSince(revision);
  const isWanted = (room: string) =>
    (names?.split(",").includes(room) ?? true) && (changed?.has(room) ?? true);
  for (const name of names?.split(",") ?? []) {
    if (!rooms.has(name)) throw new Error(`No room ${name}. Rooms: ${[...rooms.keys()].join(", ")}`);
  }
  const some = files?.split(",");
  const all = [...rooms.values()].flat();
  const unknown = some?.filter((file) => !all.includes(file)) ?? [];
  if (unknown.length > 0)
    throw new Error(`No file of a room: ${unknown.join(", ")}. Name them as src/service/api/client.ts`);
  const chosen = [...rooms]
    .filter(([room]) => isWanted(room))
    .map(([room, all]): [string, string[]] => [room, all.filter((file) => some?.includes(file) ?? true)]);
  return new Map(chosen.filter(([, all]) => all.length > 0));
}

function changedSince(revision: string): Set<string> | undefined {
  try {
    git("rev-parse", "--verify", `${revision}^{commit}`);
  } catch {
    print(`This clone has no ${revision}: all rooms\n`);
    return undefined;
  }
  return new Set(git("diff", "--name-only", revision, "--", "src").split("\n").map(roomOf));
}

function describe({ swap, executedBy }: Judged): string {
  const untested = executedBy === 0 ? ` (no ${values.near ? "near " : ""}test executes it)` : "";
  return `  ${swap.file}:${swap.line} ${swap.kind}${untested}\n    on    ${swap.on}\n    from  ${squash(swap.from)}\n    to    ${squash(swap.to)}\n`;
}

function tabulate(judged: readonly Judged[], by: (swap: Swap) => string, title: string): string {
  const groups = [...Map.groupBy(judged, ({ swap }) => by(swap))].sort(([a], [b]) => (a < b ? -1 : 1));
  return toTextTable([
    [title, "swaps", "noticed", "share"],
    ...[...groups, ["all", judged] as const].map(([name, all]) => {
      const noticed = all.filter(({ noticedBy }) => noticedBy !== undefined).length;
      return [
        name,
        String(all.length),
        String(noticed),
        percent(all.length === 0 ? 1 : noticed / all.length),
      ];
    }),
  ]);
}

async function run(): Promise<void> {
  const seed = values.seed ?? git("rev-parse", "HEAD");
  const count = toNumber("sample", values.sample, 1, 100_000);
  const floor = toNumber("floor", values.floor, 0, 100);
  const rooms = chooseRooms();
  if (rooms.size === 0) {
    print("No room changed: nothing to draw\n");
    return;
  }
  print(`Repeat with --seed ${seed}\n`);
  const names = values.kinds?.split(",");
  const kinds = KINDS.filter((kind) => names?.includes(kind) ?? true);
  if (names && kinds.length < names.length) throw new Error(`No kinds ${names}. Kinds: ${KINDS.join(", ")}`);
  using compiler = new Compiler();
  const { swaps, equivalent } = draw(compiler, rooms, { count, seed, kinds });
  const { judged, failing } = await judge(swaps, values.near, (line) => print(`${line}\n`));
  const unnoticed = judged.filter(({ noticedBy }) => noticedBy === undefined);
  print(`\nNot noticed${values.near ? " by near tests" : ""}:\n${unnoticed.map(describe).join("")}`);
  print(`\n${tabulate(judged, ({ kind }) => kind, "kind")}\n${tabulate(judged, ({ room }) => room, "room")}`);
  if (swaps.length + equivalent.length < count) print(`Only ${swaps.length} places can be swapped there\n`);
  if (equivalent.length > 0)
    print(`${equivalent.length} drawn and left out: they change nothing (equivalents.ts)\n`);
  if (failing.length > 0)
    print(
      `Failed without any swap, so they could notice none:\n${failing.map((file) => `  ${file}\n`).join("")}`,
    );
  const share = judged.length === 0 ? 1 : 1 - unnoticed.length / judged.length;
  const isTooMuchMarked = equivalent.length > Math.ceil(count / 20);
  if (isTooMuchMarked)
    print(`More than one in twenty is marked as equivalent, of ${EQUIVALENTS.length} marked\n`);
  if (100 * share < floor || isTooMuchMarked) process.exitCode = 1;
}

// So that nothing is left of a run that is ended.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
if (values.help) print(USAGE);
else await run();
