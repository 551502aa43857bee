import fc from "fast-check";
import type { Sort } from "../../../src/service/paging/order-key.ts";
import type { Row, Slice } from "../../../src/service/paging/slice.ts";
import type { Source } from "../../../src/service/paging/walk.ts";

/** Orders by a key of the calls' own members, on which the proof is based. */
const KEY_ORDERS = [
  "id desc",
  "id asc",
  "start desc",
  "start asc",
  "source, id desc",
  "source, start desc",
] as const;
/** Orders that change while calls arrive or are changed. */
const OTHER_ORDERS = ["updated desc", "busiest source", "shuffled once", "shuffled"] as const;
type Order = (typeof KEY_ORDERS)[number] | (typeof OTHER_ORDERS)[number];

/** What the service reports as its number of calls. */
type Total =
  | { kind: "honest" | "zero" | "rows" | "end" | "absurd" | "limit" }
  | { kind: "capped" | "stale" | "cached" | "off" | "flickering" | "more"; by: number };

/** What happens at a service before one of its responses. */
export interface Event {
  kind: "new" | "late" | "delete" | "touch" | "delete front";
  /** The position as a share of the existing calls: 0 is the oldest, 1 the newest. */
  at: number;
  count: number;
}

/** How a response is made. */
interface Request {
  events: Event[];
  /** The maximum of rows, and how many fewer there are. */
  cap: number;
  short: number;
  /** How many states the responding replica lags behind. */
  lag: number;
  turns: number;
}

/** The life of a service during one pass. */
export interface Timeline {
  order: Order;
  initial: number;
  /** Calls with the same start: ties. */
  tied: number;
  sources: number;
  limit: number;
  /** The maximum of rows on a page. */
  pageCap: number;
  total: Total;
  offsets: "honest" | "ignored" | "rounded" | "rounded, and says so" | "first rows never";
  sorting: "ignored" | "refused" | "served";
  /** For each request in turn, cyclically. */
  requests: Request[];
  /** Requests after which nothing changes any longer. */
  busyFor: number;
  /** Calls that arrive before each of the first responses. @default 0 */
  growth?: number;
  /** Pages that are cut by size: every nth call is as long as that many others. @default by number */
  heavy?: { every: number; weight: number } | undefined;
  /** What an offset beyond the last call returns. @default nothing */
  beyond?: "first page" | "last page";
  /** Offsets that return nothing although calls follow. @default none */
  hole?: { first: number; last: number } | undefined;
  /** After some requests, only a share of the calls is listed: the first ones, or any. @default all */
  shrinks?: { after: number; to: number; keeps: "first" | "any" } | undefined;
  /** Ids of calls that take a place in the list, and are dropped from its pages. @default none */
  dropped?: { first: number; last: number } | undefined;
  /** A call, and every nth one after it, is too large to send: a page ends before it, and is empty at it. @default none */
  oversized?: { first: number; every: number } | undefined;
  /** Slices after which the process is killed and the next one resumes. */
  kills: number[];
  /** The requested page size after each kill. @default as before */
  limits?: number[];
  seed: number;
}

const weighted = <T>(weight: number, usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, others);
const count = (most: number) => fc.integer({ min: 1, max: most });
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));

const events = (burst: number): fc.Arbitrary<Event> =>
  fc.record({
    kind: fc.constantFrom(...(["new", "new", "late", "delete", "delete", "touch", "delete front"] as const)),
    at: share,
    count: fc.oneof({ weight: 6, arbitrary: count(3) }, count(burst)),
  });

const lies: fc.Arbitrary<Total> = fc.oneof(
  fc.record({ kind: fc.constantFrom("zero" as const, "rows", "end", "absurd", "limit") }),
  fc.record({
    kind: fc.constantFrom("capped" as const, "stale", "off", "flickering"),
    by: fc.integer({ min: -40, max: 60 }),
  }),
);

/**
 * What is wrong with a service; one thing at a time. Two at once cannot be detected: randomly short pages with a total that
 * is made to fit, or a lagging replica with an order by the last change, whose end has what moved to the front here.
 */
const honesty = {
  total: { kind: "honest" } as Total,
  offsets: "honest" as Timeline["offsets"],
  isFickle: false,
  isLagging: false,
  heavy: undefined as Timeline["heavy"],
};

const sizes = fc.record({ every: fc.integer({ min: 2, max: 100 }), weight: fc.integer({ min: 2, max: 40 }) });

const quirks: fc.Arbitrary<typeof honesty> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(honesty) },
  { weight: 2, arbitrary: fc.constant({ ...honesty, isFickle: true }) },
  { weight: 2, arbitrary: fc.constant({ ...honesty, isLagging: true }) },
  { weight: 2, arbitrary: lies.map((total) => ({ ...honesty, total })) },
  { weight: 2, arbitrary: sizes.map((heavy) => ({ ...honesty, heavy })) },
  fc
    .constantFrom<Timeline["offsets"]>("ignored", "rounded", "rounded, and says so", "first rows never")
    .map((offsets) => ({ ...honesty, offsets })),
);

/** Services at their worst: every order and every lie, lagging replicas, randomly short pages, kills. */
export const wildTimelines: fc.Arbitrary<Timeline> = fc
  .tuple(
    quirks,
    fc.record({
      order: fc.constantFrom(...KEY_ORDERS, ...OTHER_ORDERS),
      initial: fc.integer({ min: 0, max: 150 }),
      tied: weighted(2, 1, fc.integer({ min: 2, max: 40 })),
      sources: fc.integer({ min: 1, max: 6 }),
      limit: fc.integer({ min: 5, max: 40 }),
      pageCap: weighted(4, 1000, fc.integer({ min: 5, max: 20 })),
      sorting: fc.constantFrom("ignored" as const, "refused", "served", "served"),
      busyFor: fc.integer({ min: 0, max: 80 }),
      requests: fc.array(
        fc.record({
          events: fc.array(events(40), { maxLength: 2 }),
          cap: weighted(6, 1000, fc.integer({ min: 1, max: 20 })),
          short: weighted(6, 0, fc.integer({ min: 0, max: 10 })),
          lag: weighted(1, 0, count(4)),
          turns: fc.integer({ min: 0, max: 6 }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      kills: weighted<number[]>(3, [], fc.array(count(12), { minLength: 1, maxLength: 2 })),
      seed: fc.integer(),
    }),
  )
  .map(([{ isFickle, isLagging, ...quirk }, { requests, ...timeline }]) => ({
    ...timeline,
    ...quirk,
    requests: requests.map((request) => ({
      ...request,
      ...(!isFickle && { cap: 1000, short: 0 }),
      ...((!isLagging || timeline.order === "updated desc") && { lag: 0 }),
    })),
  }));

/** Services that keep an order by a key, sort as documented, count correctly and respond consistently; calls come and go as in a busy hour. */
export const honestTimelines: fc.Arbitrary<Timeline> = fc.record({
  order: fc.constantFrom(...KEY_ORDERS),
  initial: fc.integer({ min: 0, max: 400 }),
  tied: weighted(2, 1, fc.integer({ min: 2, max: 4 })),
  sources: fc.integer({ min: 1, max: 6 }),
  limit: fc.integer({ min: 20, max: 60 }),
  pageCap: weighted(4, 1000, fc.integer({ min: 20, max: 30 })),
  total: fc.constant<Total>({ kind: "honest" }),
  offsets: fc.constant("honest" as const),
  sorting: fc.constant("served" as const),
  busyFor: fc.integer({ min: 0, max: 40 }),
  requests: fc.array(
    fc.record({
      events: fc.array(
        fc.record({
          kind: fc.constantFrom("new" as const, "new", "late", "delete"),
          at: share,
          count: fc.constantFrom(1, 1, 1, 2),
        }),
        { maxLength: 1 },
      ),
      cap: fc.constant(1000),
      short: fc.constant(0),
      lag: fc.constant(0),
      turns: fc.integer({ min: 0, max: 6 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  kills: weighted<number[]>(4, [], fc.array(count(12), { minLength: 1, maxLength: 2 })),
  seed: fc.integer(),
});

/** The same at a small scale, where a few events are enough to hide a call: many more of them can be run. */
export const smallTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: wildTimelines,
    initial: fc.integer({ min: 0, max: 24 }),
    limit: fc.integer({ min: 2, max: 8 }),
    pageCap: weighted(4, 1000, fc.integer({ min: 2, max: 6 })),
    heavy: fc.record({ every: fc.integer({ min: 2, max: 20 }), weight: fc.integer({ min: 2, max: 8 }) }),
  })
  .map(({ timeline, heavy, ...small }) => ({
    ...timeline,
    ...small,
    busyFor: Math.min(timeline.busyFor, 20),
    heavy: timeline.heavy && heavy,
  }));

/** Pages of 2 rows and of 1,000, and lists that end within a page, at its edge, and just behind it. */
export const wide = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Timeline> =>
  fc
    .record({
      timeline: timelines,
      limit: fc.constantFrom(2, 3, 4, 7, 50, 100, 101, 1000),
      pages: fc.constantFrom(0, 1, 1, 2, 5, 12),
      beyond: fc.integer({ min: -2, max: 3 }),
      cap: fc.constantFrom(1000, 1000, 1000, 2, 100),
    })
    .map(({ timeline, limit, pages, beyond, cap }) => ({
      ...timeline,
      busyFor: Math.min(timeline.busyFor, 30),
      limit,
      pageCap: cap,
      initial: Math.max(0, Math.min(limit, cap, 150) * pages + beyond),
    }));

/**
 * Such services with one more oddity each: the list grows with each request, the total exceeds the list, pages are
 * cut by size, or every offset returns the first page.
 */
export const wideTimelines: fc.Arbitrary<Timeline> = fc
  .tuple(
    wide(fc.oneof(honestTimelines, wildTimelines)),
    fc.constantFrom(
      "growing",
      "counts more",
      "cuts by size",
      "ignores offsets",
      "resumed",
      "resumed",
      "as it is",
    ),
    count(60),
  )
  .map(([timeline, oddity, by]): Timeline => {
    if (oddity === "growing") return { ...timeline, growth: 1 + (by % 4) };
    // Hardly fewer rows than before: a thousand calls in pages of two take more requests than a walk may need.
    const limits = [Math.max(2, Math.ceil(timeline.limit / (1 + (by % 4))))];
    if (oddity === "resumed") return { ...timeline, kills: [1 + (by % 12)], limits };
    // Other oddities would have to be proven by two witnesses; see `honesty`.
    const requests = timeline.requests.map((request) => ({ ...request, cap: 1000, short: 0, lag: 0 }));
    const { total } = honesty;
    if (oddity === "counts more") {
      return { ...timeline, requests, heavy: undefined, offsets: "honest", total: { kind: "more", by } };
    }
    if (oddity === "cuts by size") {
      return { ...timeline, requests, offsets: "honest", total, heavy: { every: by, weight: 2 + (by % 40) } };
    }
    if (oddity === "ignores offsets") {
      return { ...timeline, requests, heavy: undefined, offsets: "ignored", total };
    }
    return timeline;
  });

/** Only the number of rows, the last change or late responses are wrong. */
export const inOneWay = (timeline: Timeline): Timeline => ({
  ...timeline,
  order: isKeyOrder(timeline.order) ? timeline.order : "id desc",
  offsets: "honest",
  total: honesty.total,
  heavy: undefined,
  requests: timeline.requests.map((request) => ({ ...request, cap: 1000, short: 0, lag: 0 })),
});
const isKeyOrder = (order: Order) => KEY_ORDERS.some((name) => name === order);
const anyOf = fc.oneof(smallTimelines, honestTimelines).map(inOneWay);

/** Pages that are cut by size, from services with a stale, capped or invented count. */
export const sizedTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: anyOf,
    heavy: fc.record({ every: fc.integer({ min: 2, max: 20 }), weight: fc.integer({ min: 2, max: 8 }) }),
    total: fc.oneof(
      fc.record({ kind: fc.constantFrom("rows" as const, "end") }),
      fc.record({
        kind: fc.constantFrom("capped" as const, "stale", "stale", "off"),
        by: fc.integer({ min: -8, max: 4 }),
      }),
    ),
  })
  .map(({ timeline, heavy, total }) => ({ ...timeline, heavy, total }));

/** Services that repeat calls beyond the end, or have empty pages before it. */
export const endTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: anyOf,
    beyond: fc.constantFrom("first page" as const, "last page"),
    hole: weighted<Timeline["hole"]>(1, undefined, fc.record({ first: count(100), last: count(200) })),
    total: weighted(1, honesty.total, lies),
  })
  .map(({ timeline, beyond, hole, total }) =>
    hole === undefined ? { ...timeline, beyond, total } : { ...timeline, hole },
  );

interface ServedCall {
  id: number;
  startedMs: number;
  started: string;
  source: string;
  updatedAt: number;
  rank: number;
}

/** A response of status 400. */
class Refused extends Error {}

const START_MS = Date.parse("2026-06-01T00:00:00.000Z");
const STATES_KEPT = 5;
/** A list that always grows by a page is read for a thousand pages before the walk stops. */
const GROWING_REQUESTS = 100;
/** Far more than a pass over so few calls can need. */
const MAX_REQUESTS = 5000;

/** A service in memory. */
export class RandomService implements Source<Slice> {
  readonly #timeline: Timeline;
  #calls: ServedCall[] = [];
  readonly #states: ServedCall[][] = [];
  #visibleThroughout: Set<number> | undefined;
  #firstCount: number | undefined;
  readonly #touched = new Set<number>();
  #nextId = 1;
  #clock = 0;
  #seed: number;
  requests = 0;
  /** The requested page size. */
  limit: number;
  /** The maximum number of concurrent requests. */
  atOnce = 0;
  #underWay = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.limit = timeline.limit;
    this.#seed = timeline.seed;
    for (let index = 0; index < timeline.initial; index++) this.#add(Math.floor(index / timeline.tied));
    this.#clock = timeline.initial;
  }

  /** Calls that were in every state that a response was made from. */
  get visibleThroughout(): readonly number[] {
    return [...(this.#visibleThroughout ?? [])];
  }

  isRefusal = (error: unknown): boolean => error instanceof Refused;

  fetch =
    (sort: Sort) =>
    async (asked: number): Promise<Slice> => {
      this.atOnce = Math.max(this.atOnce, ++this.#underWay);
      try {
        return await this.#respond(sort, asked);
      } finally {
        this.#underWay--;
      }
    };

  async #respond(sort: Sort, asked: number): Promise<Slice> {
    const { limit } = this;
    const { requests, busyFor, pageCap, offsets, sorting, order, growth = 0 } = this.#timeline;
    const request = requests[this.requests % requests.length];
    if (request === undefined) throw new Error("A timeline has at least one request");
    const isBusy = this.requests++ < busyFor;
    if (this.requests > MAX_REQUESTS) throw new Error("The walk asks without end");
    for (let turn = 0; turn < request.turns; turn++) await Promise.resolve();
    if (sort !== "own" && sorting === "refused") throw new Refused();
    if (isBusy) for (const event of request.events) this.#happen(event);
    if (growth > 0 && this.requests < GROWING_REQUESTS) this.#happen({ kind: "new", at: 1, count: growth });
    this.#states.unshift(this.#calls.slice());
    this.#states.length = Math.min(this.#states.length, STATES_KEPT);
    const state = this.#states[isBusy ? Math.min(request.lag, this.#states.length - 1) : 0] ?? [];
    const listed = this.#shrink(this.#list(state, order));
    const served = new Set(listed.flatMap((call) => (this.#isSent(call) ? [call.id] : [])));
    this.#visibleThroughout = this.#visibleThroughout?.intersection(served) ?? served;
    this.#firstCount ??= served.size;

    if (sort !== "own" && sorting === "served") listed.sort((a, b) => compare(a.source, b.source));
    const isRounded = offsets.startsWith("rounded");
    const offset = offsets === "ignored" ? 0 : isRounded ? Math.floor(asked / limit) * limit : asked;
    const skipped = offsets === "first rows never" ? 3 : 0;
    const most = Math.min(limit, pageCap, isBusy ? request.cap : limit) - (isBusy ? request.short : 0);
    const page = this.#rowsAt(listed, offset + skipped, Math.max(1, most));
    const rows = page.filter((call) => this.#isSent(call)).map(toRow);
    const applied = offsets === "rounded, and says so" ? offset : asked;
    return { offset: applied, total: this.#count(served.size, applied + rows.length, rows.length), rows };
  }

  #shrink(listed: ServedCall[]): ServedCall[] {
    const { shrinks } = this.#timeline;
    if (shrinks === undefined || this.requests <= shrinks.after) return listed;
    if (shrinks.keeps === "first") return listed.slice(0, Math.floor(listed.length * shrinks.to));
    return listed.filter(({ rank }) => rank < shrinks.to);
  }

  /** Whether any page can have a call. */
  #isSent(call: ServedCall): boolean {
    const { first, last } = this.#timeline.dropped ?? { first: 1, last: 0 };
    return !this.#isOversized(call) && (call.id < first || call.id > last);
  }

  #isOversized({ id }: ServedCall): boolean {
    const { first, every } = this.#timeline.oversized ?? { first: Number.POSITIVE_INFINITY, every: 1 };
    return id >= first && (id - first) % every === 0;
  }

  #rowsAt(listed: readonly ServedCall[], offset: number, most: number): ServedCall[] {
    const { beyond, hole } = this.#timeline;
    if (hole !== undefined && offset >= hole.first && offset <= hole.last) return [];
    if (offset < listed.length || beyond === undefined) return this.#cut(listed.slice(offset), most);
    return this.#cut(beyond === "first page" ? listed : listed.slice(-most), most);
  }

  /** Returns the calls of a page: a number of them, or as many as the weight allows; at least one. */
  #cut(calls: readonly ServedCall[], most: number): ServedCall[] {
    const { heavy } = this.#timeline;
    if (heavy === undefined) {
      const large = calls.findIndex((call) => this.#isOversized(call));
      return calls.slice(0, large < 0 ? most : Math.min(most, large));
    }
    let weight = 0;
    const end = calls.findIndex(({ id }) => {
      weight += id % heavy.every === 0 ? heavy.weight : 1;
      return weight > most;
    });
    return calls.slice(0, end < 0 ? calls.length : Math.max(1, end));
  }

  #count(calls: number, end: number, rows: number): number {
    const { total } = this.#timeline;
    switch (total.kind) {
      case "honest":
        return calls;
      case "zero":
        return 0;
      case "rows":
        return rows;
      case "limit":
        return this.limit;
      case "end":
        return end;
      case "absurd":
        return 1e15;
      case "capped":
        return Math.min(calls, Math.abs(total.by) + 5);
      case "stale":
        return Math.max(0, this.#timeline.initial + total.by);
      case "cached":
        return Math.max(0, (this.#firstCount ?? 0) + total.by);
      case "off":
        return Math.max(0, calls + Math.sign(total.by));
      case "flickering":
        return Math.max(0, calls + (this.requests % 2) * total.by);
      case "more":
        return calls + total.by;
    }
  }

  #list(calls: readonly ServedCall[], order: Order): ServedCall[] {
    const places = calls.map((call) => ({ call, at: this.#random() }));
    const sizes = order === "busiest source" ? Map.groupBy(calls, ({ source }) => source) : undefined;
    const sizeOf = ({ source }: ServedCall) => sizes?.get(source)?.length ?? 0;
    const orders: Record<Order, (a: ServedCall, b: ServedCall) => number> = {
      "id desc": (a, b) => b.id - a.id,
      "id asc": (a, b) => a.id - b.id,
      "start desc": (a, b) => b.startedMs - a.startedMs,
      "start asc": (a, b) => a.startedMs - b.startedMs,
      "source, id desc": (a, b) => compare(a.source, b.source) || b.id - a.id,
      "source, start desc": (a, b) => compare(a.source, b.source) || b.startedMs - a.startedMs,
      "updated desc": (a, b) => b.updatedAt - a.updatedAt || b.id - a.id,
      "busiest source": (a, b) =>
        sizeOf(b) - sizeOf(a) || compare(a.source, b.source) || b.startedMs - a.startedMs,
      "shuffled once": (a, b) => a.rank - b.rank,
      shuffled: () => 0,
    };
    const compareCalls = orders[order];
    return places.sort((a, b) => compareCalls(a.call, b.call) || a.at - b.at).map(({ call }) => call);
  }

  #happen({ kind, at, count }: Event): void {
    const place = Math.round(at * this.#calls.length);
    this.#clock++;
    if (kind === "new") for (let added = 0; added < count; added++) this.#add(this.#clock);
    if (kind === "late") this.#add(Math.floor(at * this.#clock));
    if (kind === "delete") this.#calls.splice(place, count);
    if (kind === "delete front") this.#calls.splice(Math.max(0, this.#calls.length - count), count);
    if (kind !== "touch") return;
    // Calls are never changed in place: older states keep their versions.
    for (let index = place; index < Math.min(place + count, this.#calls.length); index++) {
      const call = this.#calls[index];
      // Once in a pass: a call that moves again and again can avoid any number of looks.
      if (call === undefined || this.#touched.has(call.id)) continue;
      this.#touched.add(call.id);
      this.#calls[index] = { ...call, updatedAt: this.#clock + index / 1000 };
    }
  }

  #add(second: number): void {
    const startedMs = START_MS + second * 1000;
    const source = `source ${Math.floor(this.#random() * this.#timeline.sources)}`;
    const started = new Date(startedMs).toISOString();
    const call = { id: this.#nextId++, startedMs, started, source, updatedAt: second, rank: this.#random() };
    // Keeps the calls in the order of their start.
    const place = this.#calls.findLastIndex((other) => other.startedMs <= startedMs);
    this.#calls.splice(place + 1, 0, call);
  }

  /** Mulberry32. */
  #random(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

function toRow({ id, started, source }: ServedCall): Row {
  return { id, started, name: source };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
