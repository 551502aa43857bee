import type { Slice } from "../../src/paging/slice.ts";
import { type Options, ProgramRun, type Request, type Step } from "./program-run.ts";

/*
 * Every order in which the requests of one pass and the changes of its list can follow each other. Histories of a service
 * that give the walk the same responses are one interleaving, because the walk cannot distinguish them.
 */

export interface Call {
  id: number;
  start: number;
}

/** A service at one moment of a pass. */
export interface Moment {
  /** In the order in which they are listed. */
  calls: readonly Call[];
  nextId: number;
  /** Ids of the calls that were listed in each response of the pass. */
  throughout: readonly number[];
  /** Ids of the calls that have changed their place. */
  moved: readonly number[];
  /** Whether only kills have happened. */
  isQuiet: boolean;
  /** How many more things may happen. */
  left: number;
}

/** What can happen at a service. */
export type Change = (moment: Moment) => Moment[];

const SPACE = 1024;
const insertAt = (calls: readonly Call[], at: number, ...added: Call[]) => calls.toSpliced(at, 0, ...added);

/** The start of a call between its neighbours: the newest call is listed first. */
function startAt(calls: readonly Call[], at: number): number {
  const [before, after] = [calls[at - 1]?.start, calls[at]?.start];
  if (before === undefined) return (after ?? 0) + SPACE;
  return after === undefined ? before - SPACE : (before + after) / 2;
}

const places = (calls: readonly Call[]) => Array.from({ length: calls.length + 1 }, (_, at) => at);

/** A call comes, with the highest id and a start of any age. */
export const comes: Change = (moment) =>
  places(moment.calls).map((at) => ({
    ...moment,
    calls: insertAt(moment.calls, at, { id: moment.nextId, start: startAt(moment.calls, at) }),
    nextId: moment.nextId + 1,
  }));

export const goes: Change = (moment) =>
  moment.calls.map((_, at) => ({ ...moment, calls: moment.calls.toSpliced(at, 1) }));

/** The newest call comes. */
export const comesFirst: Change = (moment) => comes(moment).slice(0, 1);

/** Two neighbours with the same start change places. */
export const swaps: Change = (moment) =>
  moment.calls.flatMap((call, at) => {
    const next = moment.calls[at + 1];
    if (next?.start !== call.start) return [];
    return [{ ...moment, calls: moment.calls.toSpliced(at, 2, next, call) }];
  });

/** A call is changed, and listed first from then on; each call once, since one that moves again and again avoids all looks. */
export const touches: Change = (moment) =>
  moment.calls.flatMap((call, at) => {
    if (moment.moved.includes(call.id)) return [];
    const calls = [call, ...moment.calls.toSpliced(at, 1)];
    return [{ ...moment, calls, moved: [...moment.moved, call.id].sort() }];
  });

/** A call gets another start, and so another place. */
export const moves: Change = (moment) =>
  moment.calls.flatMap(({ id }, from) => {
    const others = moment.calls.toSpliced(from, 1);
    return places(others)
      .filter((at) => at !== from)
      .map((at) => ({
        ...moment,
        calls: insertAt(others, at, { id, start: startAt(others, at) }),
        moved: [...new Set([...moment.moved, id])].sort(),
      }));
  });

/** What the walk asked for and was given to its end, and every history of the service that gives it the same. */
export interface Interleaving {
  steps: readonly Step[];
  run: ProgramRun;
  moments: readonly Moment[];
}

export interface Scene {
  calls: readonly Call[];
  changes: readonly Change[];
  /** How many changes and kills there may be at most. */
  most: number;
  options: Options;
}

/** Runs the program from the beginning. */
async function replay(options: Options, steps: readonly Step[]): Promise<ProgramRun> {
  const run = await ProgramRun.begin(options);
  for (const step of steps) await run.take(step);
  return run;
}

/** Yields every interleaving of the walk's requests with changes and kills, each sequence of responses once. */
export async function* interleave({ calls, changes, most, options }: Scene): AsyncGenerator<Interleaving> {
  /** All that a moment can become before the next response. */
  function follow(moments: readonly Moment[]): Iterable<Moment> {
    const found = new Map<string, Moment>();
    let latest = moments;
    while (latest.length > 0) {
      const added = latest.filter((moment) => isBetter(found, moment));
      latest = added
        .filter(({ left }) => left > 0)
        .flatMap((moment) =>
          changes.flatMap((change) => change({ ...moment, isQuiet: false, left: moment.left - 1 })),
        );
    }
    return found.values();
  }

  function respond({ sort, offset }: Request, { calls }: Moment): Slice | "refused" {
    if (sort !== "own") return "refused";
    return { offset, total: calls.length, rows: calls.slice(offset, offset + options.limit).map(toRow) };
  }

  async function* visit(
    steps: readonly Step[],
    before: readonly Moment[],
    run: ProgramRun,
  ): AsyncGenerator<Interleaving> {
    const moments = run.hasJustBegun ? before.map(beginPass) : before;
    if (run.outcome !== undefined) return yield { steps, run, moments };
    const { requests, hasLedger } = run;
    const follows = new Map<string, { step: Step; moments: Map<string, Moment> }>();
    // What changes before the first response is another scene.
    for (const moment of steps.length === 0 ? moments : follow(moments)) {
      const ids = idsOf(moment);
      for (const [which, request] of requests.entries()) {
        const response = respond(request, moment);
        const key = `${which} ${JSON.stringify(response)}`;
        const follow = follows.get(key) ?? { step: { request, which, response }, moments: new Map() };
        follows.set(key, follow);
        const throughout = moment.throughout.filter((id) => ids.includes(id));
        isBetter(follow.moments, { ...moment, throughout });
      }
    }
    // The first continues this run, and each of the others one of its own.
    for (const [at, { step, moments }] of [...follows.values()].entries()) {
      const next = [...steps, step];
      if (at === 0) await run.take(step);
      yield* visit(next, [...moments.values()], at === 0 ? run : await replay(options, next));
    }
    const killed = moments.flatMap((moment) =>
      moment.left > 0 ? [{ ...moment, left: moment.left - 1 }] : [],
    );
    if (!hasLedger || killed.length === 0) return;
    const next: Step[] = [...steps, "kill"];
    yield* visit(next, killed, await replay(options, next));
  }

  const ids = calls.map(({ id }) => id);
  const nextId = Math.max(0, ...ids) + 1;
  const moment = { calls, nextId, throughout: ids, moved: [], isQuiet: true, left: most };
  yield* visit([], [moment], await replay(options, []));
}

const idsOf = ({ calls }: Moment) => calls.map(({ id }) => id);
const beginPass = (moment: Moment): Moment => ({ ...moment, throughout: idsOf(moment) });

/** The start is a text that has the order of its numbers. */
const toRow = ({ id, start }: Call) => ({ id, started: (5e6 + start).toFixed(3), name: "Website" });

/** Adds a moment unless the same one is there with as many changes left. */
function isBetter(moments: Map<string, Moment>, moment: Moment): boolean {
  const { left, ...rest } = moment;
  const key = JSON.stringify(rest);
  const known = moments.get(key);
  if (known !== undefined && known.left >= left) return false;
  moments.set(key, moment);
  return true;
}
