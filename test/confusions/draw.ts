import { globSync } from "node:fs";
import { shuffle } from "../mutants/shuffle.ts";
import { type Compiler, readSource } from "./compiler.ts";
import { EQUIVALENTS } from "./equivalents.ts";
import { findSites, KINDS, type Kind, type Site } from "./swaps.ts";

export interface Swap {
  room: string;
  kind: Kind;
  file: string;
  start: number;
  end: number;
  /** Of the place, from 1. */
  line: number;
  /** Its line of source, trimmed. */
  on: string;
  from: string;
  to: string;
}

/** Tools, not the program. */
const NO_ROOMS = ["tooling", "sandbox"];

/** Returns the room of a file: a folder of `src`, or a feature. */
export function roomOf(file: string): string {
  const [, folder = "", feature = ""] = file.split("/");
  return folder === "features" && /^\w[^.]*$/.test(feature) ? feature : folder;
}

export function listRooms(): Map<string, string[]> {
  const files = globSync("src/**/*.ts", { exclude: ["src/**/*.d.ts", "src/warehouse/migrations/**"] });
  const rooms = Map.groupBy(files.toSorted(), roomOf);
  for (const name of [...rooms.keys()]) {
    if (NO_ROOMS.includes(name) || name.endsWith(".ts")) rooms.delete(name);
  }
  return rooms;
}

export interface Drawn {
  swaps: Swap[];
  /** Known to change nothing. */
  equivalent: Swap[];
}

export interface DrawOptions {
  count: number;
  seed: string;
  /** @default all */
  kinds?: readonly Kind[];
}

/** Draws swaps: a room after the other, in each a kind after the other; the same for the same seed. */
export function draw(
  compiler: Compiler,
  rooms: Map<string, string[]>,
  { count, seed, kinds = KINDS }: DrawOptions,
): Drawn {
  const queues = shuffle([...rooms.keys()], seed).map((room) =>
    drawRoom(compiler, room, rooms.get(room) ?? [], { seed, kinds }),
  );
  const drawn: Drawn = { swaps: [], equivalent: [] };
  while (queues.length > 0 && drawn.swaps.length + drawn.equivalent.length < count) {
    const queue = queues.shift();
    const next = queue?.next();
    if (queue === undefined || next === undefined || next.done) continue;
    drawn[isEquivalent(next.value) ? "equivalent" : "swaps"].push(next.value);
    queues.push(queue);
  }
  return drawn;
}

/** Draws no place twice, nor one in another. */
function* drawRoom(
  compiler: Compiler,
  room: string,
  files: readonly string[],
  { seed, kinds }: { seed: string; kinds: readonly Kind[] },
): Generator<Swap> {
  const places = files
    .filter((file) => compiler.has(file))
    .flatMap((file) => {
      const { source, checker } = compiler.open(file);
      return findSites(source, checker).map((site) => ({ file, site }));
    });
  const ofKind = Map.groupBy(places, ({ site }) => site.kind);
  const queues = shuffle(kinds, `${seed} ${room}`).map((kind) =>
    shuffle(
      ofKind.get(kind) ?? [],
      `${seed} ${kind}`,
      ({ file, site }) => `${file} ${site.node.getStart()}`,
    ).values(),
  );
  const swaps: Swap[] = [];
  while (queues.length > 0) {
    const queue = queues.shift();
    const swap = queue && nextSwap(compiler, room, queue, swaps, seed);
    if (queue === undefined || swap === undefined) continue;
    swaps.push(swap);
    yield swap;
    queues.push(queue);
  }
}

function nextSwap(
  compiler: Compiler,
  room: string,
  places: IterableIterator<{ file: string; site: Site }>,
  earlier: readonly Swap[],
  seed: string,
): Swap | undefined {
  for (const { file, site } of places) {
    const [start, end] = [site.node.getStart(), site.node.getEnd()];
    if (earlier.some((each) => each.file === file && each.start < end && start < each.end)) continue;
    const text = readSource(file);
    const to = shuffle(site.replacements(), seed).find((each) =>
      compiler.compiles(file, text.slice(0, start) + each + text.slice(end)),
    );
    if (to === undefined) continue;
    const before = text.slice(0, start);
    const line = before.split("\n").length;
    const on = text.split("\n")[line - 1]?.trim() ?? "";
    const from = text.slice(start, end);
    return { room, kind: site.kind, file, start, end, line, on, from, to };
  }
  return undefined;
}

function isEquivalent(swap: Swap): boolean {
  return EQUIVALENTS.some(
    ({ file, on, from, to }) => file === swap.file && on === swap.on && from === swap.from && to === swap.to,
  );
}
