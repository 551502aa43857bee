import { setImmediate } from "node:timers/promises";
import type { Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import type { Walker } from "./live.ts";
import {
  type Answer,
  type Call,
  type Options,
  type Outcome,
  type Page,
  type Request,
  walkModel,
} from "./walk-model.ts";

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

/** Runs the model from the beginning. */
function resume(options: Options, steps: readonly Step[]) {
  let model = walkModel(options, []);
  let next = model.next();
  for (const step of steps) {
    if (next.done) throw new Error("The model has ended");
    if (step.kind === "response") next = model.next(step.answer);
    else {
      model = walkModel(options, next.value.ledger);
      next = model.next();
    }
  }
  return next;
}

/** Yields every interleaving of the walk's requests with changes and kills, each sequence of responses once. */
export function* interleave({ calls, changes, most, options }: Scene): Generator<Interleaving> {
  const pages = new Map<string, Page>();
  /** The same object for the same page. */
  function pageOf(calls: readonly Call[], offset: number): Page {
    const page = { offset, total: calls.length, calls: calls.slice(offset, offset + options.limit) };
    const key = JSON.stringify(page);
    return pages.get(key) ?? (pages.set(key, page), page);
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

  function* visit(steps: readonly Step[], moments: readonly Moment[]): Generator<Interleaving> {
    const next = resume(options, steps);
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
    for (const { step, moments } of follows.values()) yield* visit([...steps, step], [...moments.values()]);
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

/** Turns of the event queue after which a walk has done all that it can without a response. */
const TURNS = 100;

class Refused extends Error {}

interface Pending {
  request: Pick<Request, "offset" | "sort">;
  resolve: (slice: Slice) => void;
  reject: (error: Error) => void;
}

/** Runs the program through an interleaving. @throws Error for the first request, verdict or call that the model does not have */
export async function expectSame(
  { steps, outcome }: Interleaving,
  { limit, overlap, concurrency }: Options,
  { walk, judge }: Walker,
): Promise<void> {
  let ledger: Slice[] = [];
  let waiting: Pending[] = [];
  let found: string | undefined;
  let failure: unknown;

  function begin() {
    const pending: Pending[] = [];
    waiting = pending;
    const earlier = ledger;
    const reading = walk(
      {
        isRefusal: (error) => error instanceof Refused,
        fetch: (sort) => (offset) =>
          new Promise((resolve, reject) => pending.push({ request: { offset, sort }, resolve, reject })),
      },
      { limit, overlap, throttle: new Throttle(concurrency) },
      { earlier },
    );
    const read = async () => {
      for await (const slice of reading)
        ledger = reading.evidence.slices === 1 ? [slice] : [...ledger, slice];
      const ids = new Set(ledger.flatMap(({ rows }) => rows.map(({ id }) => id ?? 0)));
      found = describe(judge(reading.evidence, ids.size).verdict, ids);
    };
    read().catch((error) => {
      failure = error;
    });
  }

  begin();
  for (const [at, step] of steps.entries()) {
    await settle();
    compare(
      `request ${at + 1}`,
      requestsOf(waiting.map(({ request }) => request)),
      requestsOf(step.requests),
    );
    if (step.kind === "kill") begin();
    else answer(waiting, step.answer);
  }
  await settle();
  compare(
    "the end",
    found ?? failure ?? requestsOf(waiting.map(({ request }) => request)),
    describe(outcome.verdict, outcome.read),
  );
}

function answer(waiting: Pending[], { which, page }: Answer) {
  for (const { request, resolve, reject } of waiting.splice(which, 1)) {
    if (request.sort === "own") resolve(toSlice(page));
    else reject(new Refused());
  }
}

async function settle() {
  for (let turn = 0; turn < TURNS; turn++) await undefined;
}

/** Lets other work go on. */
export const rest = () => setImmediate();

const requestsOf = (requests: readonly Pick<Request, "offset" | "sort">[]) =>
  requests.map(({ offset, sort }) => (sort === "own" ? offset : sort)).join(", ");
const describe = (verdict: string, ids: ReadonlySet<number>) => `${verdict} of ${[...ids].sort().join(", ")}`;

function compare(what: string, found: unknown, expected: string) {
  if (found !== expected) throw new Error(`${what} of the walk is ${found}, and of the model ${expected}`);
}

const slices = new WeakMap<Page, Slice>();

function toSlice(page: Page): Slice {
  const { offset, total, calls } = page;
  const slice = slices.get(page) ?? {
    offset,
    total,
    // As text that has the order of its numbers.
    rows: calls.map(({ id, start }) => ({ id, started: (1e6 + start).toFixed(3), name: "Website" })),
  };
  slices.set(page, slice);
  return slice;
}
