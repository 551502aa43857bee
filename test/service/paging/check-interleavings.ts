import type { Slice } from "../../../src/service/paging/slice.ts";
import { Throttle } from "../../../src/service/paging/throttle.ts";
import { isSure, judge } from "../../../src/service/paging/verdict.ts";
import { walk } from "../../../src/service/paging/walk.ts";
import {
  type Change,
  comes,
  comesFirst,
  goes,
  type Interleaving,
  interleave,
  type Moment,
  moves,
  swaps,
  touches,
} from "./interleavings.ts";
import type { Answer, Options, Page, Request } from "./walk-model.ts";

/** Lists, and what can happen to them. */
const SERVICES = {
  "ordered by start": { tied: 1, changes: [comes, goes] },
  "with two calls at each start": { tied: 2, changes: [comesFirst, goes, swaps] },
  "ordered by last change": { tied: 1, changes: [comes, goes, touches] },
  "whose starts are corrected": { tied: 1, changes: [comesFirst, goes, moves] },
} as const satisfies Record<string, { tied: number; changes: readonly Change[] }>;
type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES: readonly ServiceName[] = [
  "ordered by start",
  "with two calls at each start",
  "ordered by last change",
  "whose starts are corrected",
];

export interface Size {
  service: ServiceName;
  /** Calls at the beginning. */
  calls: number;
  limit: number;
  /** How many changes and kills there may be at most. */
  changes: number;
  concurrency: number;
}

/** What was checked. */
export interface Interleavings {
  interleavings: number;
  sure: number;
}

/**
 * Checks every interleaving of a size: the promise of each verdict, and that the program sends the model's requests and
 * reaches its verdict by the same calls.
 *
 * @throws Error with the first interleaving that differs
 */
export async function checkInterleavings({
  service,
  calls: count,
  changes: most,
  ...size
}: Size): Promise<Interleavings> {
  const { tied, changes } = SERVICES[service];
  const options = { ...size, overlap: 2 };
  const calls = Array.from({ length: count }, (_, at) => ({
    id: count - at,
    start: Math.floor((count - at) / tied) * 1024,
  }));
  const checked = { interleavings: 0, sure: 0 };
  for (const each of interleave({ calls, changes, most, options })) {
    checked.interleavings++;
    if (isSure(each.outcome.verdict)) checked.sure++;
    try {
      expectPromise(each, { service, isProvable: tied === 1 && (size.limit > 2 || count <= size.limit) });
      await expectSame(each, options);
    } catch (error) {
      throw new Error(`${describeSteps(each)}\n${count} calls ${service}, pages of ${size.limit}`, {
        cause: error,
      });
    }
  }
  return checked;
}

/** Checks what docs/completeness.md says of the verdicts, in each history of the service. */
function expectPromise(
  { outcome: { verdict, read, totals }, moments }: Interleaving,
  { service, isProvable }: { service: ServiceName; isProvable: boolean },
) {
  // The page says that a call whose key changes may be missed, and no other.
  const isPromised = (id: number, { moved }: Moment) =>
    service !== "whose starts are corrected" || !moved.includes(id);
  for (const moment of moments) {
    const missing = moment.throughout.filter((id) => !read.has(id) && isPromised(id, moment));
    if (isSure(verdict) && missing.length > 0) throw new Error(`${verdict} without calls ${missing}`);
    if (moment.isQuiet && isProvable && verdict !== "exact")
      throw new Error(`${verdict}, though nothing changed`);
  }
  if (verdict === "exact" && totals.some((total) => total !== read.size))
    throw new Error(`exact with ${read.size} calls, of ${totals}`);
}

function describeSteps({ steps, outcome }: Interleaving): string {
  const lines = steps.map((step) => {
    if (step.kind === "kill") return "killed and resumed";
    const { which, page } = step.answer;
    const { sort, offset } = step.requests[which] ?? {};
    return sort === "own"
      ? `offset ${offset}: ${page.calls.map(({ id }) => id).join(" ") || "nothing"}, total ${page.total}`
      : `order ${sort}: refused`;
  });
  return [...lines, `the model: ${outcome.verdict} of ${[...outcome.read].join(" ")}`].join("\n");
}

/** Turns of the event queue after which a walk has done all that it can without a response. */
const TURNS = 50;

class Refused extends Error {}

interface Pending {
  request: Pick<Request, "offset" | "sort">;
  resolve: (slice: Slice) => void;
  reject: (error: Error) => void;
}

/** Runs the program through an interleaving. @throws Error for the first request, verdict or call that the model does not have */
async function expectSame(
  { steps, outcome }: Interleaving,
  { limit, overlap, concurrency }: Options,
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
          new Promise<Slice>((resolve, reject) =>
            pending.push({ request: { offset, sort }, resolve, reject }),
          ),
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
    rows: calls.map(({ id, start }) => ({ id, started: (5e6 + start).toFixed(3), name: "Website" })),
  };
  slices.set(page, slice);
  return slice;
}
