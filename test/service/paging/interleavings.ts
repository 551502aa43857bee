import {
  type Answer,
  type Call,
  type Options,
  type Outcome,
  type Page,
  type Request,
  walkModel,
} from "./walk-model.ts";

/*
 * Every order in which the requests of one pass and the changes of its list can follow each other, by the model. Histories
 * of a service that give the walk the same responses are one interleaving, because the walk cannot distinguish them.
 */

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

export type Step = { requests: readonly Request[] } & (
  | { kind: "response"; answer: Answer }
  | { kind: "kill" }
);

/** What the walk asked for and was given to its end, and every history of the service that gives it the same. */
export interface Interleaving {
  steps: readonly Step[];
  outcome: Outcome;
  moments: readonly Moment[];
}

export interface Scene {
  calls: readonly Call[];
  changes: readonly Change[];
  /** How many changes and kills there may be at most. */
  most: number;
  options: Options;
}

/** The model after some steps. */
interface Run {
  model: ReturnType<typeof walkModel>;
  next: ReturnType<Run["model"]["next"]>;
}

function begin(options: Options, ledger: readonly Page[] = []): Run {
  const model = walkModel(options, ledger);
  return { model, next: model.next() };
}

/** Runs the model on; a model runs on once, since it keeps its own state. */
function advance(options: Options, { model, next }: Run, step: Step): Run {
  if (next.done) throw new Error("The model has ended");
  if (step.kind === "kill") return begin(options, next.value.ledger);
  return { model, next: model.next(step.answer) };
}

/** Runs the model from the beginning. */
const replay = (options: Options, steps: readonly Step[]): Run =>
  steps.reduce((run, step) => advance(options, run, step), begin(options));

/** Yields every interleaving of the walk's requests with changes and kills, each sequence of responses once. */
export function* interleave({ calls, changes, most, options }: Scene): Generator<Interleaving> {
  const pages = new Map<string, Page>();
  /** The same object for the same page. */
  function pageOf(calls: readonly Call[], offset: number): Page {
    const page = { offset, total: calls.length, calls: calls.slice(offset, offset + options.limit) };
    const key = JSON.stringify(page);
    const known = pages.get(key) ?? page;
    pages.set(key, known);
    return known;
  }

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

  function* visit(
    steps: readonly Step[],
    moments: readonly Moment[],
    run = replay(options, steps),
  ): Generator<Interleaving> {
    const { next } = run;
    if (next.done) return yield { steps, outcome: next.value, moments };
    const { requests, ledger } = next.value;
    const follows = new Map<string, { step: Step; moments: Map<string, Moment> }>();
    // What changes before the first response is another scene.
    for (const moment of steps.length === 0 ? moments : follow(moments)) {
      const ids = moment.calls.map(({ id }) => id);
      for (const [which, { offset, sort, isFirst }] of requests.entries()) {
        const page = sort === "own" ? pageOf(moment.calls, offset) : NO_PAGE;
        const throughout = isFirst ? ids : moment.throughout.filter((id) => ids.includes(id));
        const key = `${which} ${JSON.stringify(page)}`;
        const follow = follows.get(key) ?? {
          step: { requests, kind: "response", answer: { which, page } },
          moments: new Map(),
        };
        follows.set(key, follow);
        isBetter(follow.moments, { ...moment, throughout });
      }
    }
    // The first continues this run, and each of the others one of its own.
    for (const [at, { step, moments }] of [...follows.values()].entries()) {
      const continued = at === 0 ? advance(options, run, step) : undefined;
      yield* visit([...steps, step], [...moments.values()], continued);
    }
    const killed = moments.flatMap((moment) =>
      moment.left > 0 ? [{ ...moment, left: moment.left - 1 }] : [],
    );
    if (ledger.length > 0 && killed.length > 0) yield* visit([...steps, { requests, kind: "kill" }], killed);
  }

  const ids = calls.map(({ id }) => id);
  const nextId = Math.max(0, ...ids) + 1;
  yield* visit([], [{ calls, nextId, throughout: ids, moved: [], isQuiet: true, left: most }]);
}

const NO_PAGE: Page = { offset: 0, total: 0, calls: [] };

/** Adds a moment unless the same one is there with as many changes left. */
function isBetter(moments: Map<string, Moment>, moment: Moment): boolean {
  const { left, ...rest } = moment;
  const key = JSON.stringify(rest);
  const known = moments.get(key);
  if (known !== undefined && known.left >= left) return false;
  moments.set(key, moment);
  return true;
}
