import { describe, expect, it } from "vitest";
import type { Sort } from "../../../src/service/paging/order-key.ts";
import type { Row, Slice } from "../../../src/service/paging/slice.ts";
import { Throttle } from "../../../src/service/paging/throttle.ts";
import { judge } from "../../../src/service/paging/verdict.ts";
import {
  type Source,
  type Walk,
  walk,
  walkFromEnd,
  walkFromFront,
} from "../../../src/service/paging/walk.ts";

const START_MS = Date.parse("2026-06-01T00:00:00.000Z");
const call = (id: number): Row => ({
  id,
  started: new Date(START_MS + id * 1000).toISOString(),
  name: "Website",
});

/** A service of calls by their ids, lowest first; `total` is what it claims. */
function serve(
  calls: () => number,
  { limit = 20, total = calls }: { limit?: number; total?: () => number } = {},
) {
  const asked: number[] = [];
  const signals = new Set<AbortSignal>();
  const fetch = async (offset: number, signal: AbortSignal): Promise<Slice> => {
    if (asked.push(offset) > 2000) throw new Error("The walk asks without end");
    signals.add(signal);
    signal.throwIfAborted();
    const ids = Array.from(
      { length: Math.max(0, Math.min(limit, calls() - offset)) },
      (_, at) => offset + at + 1,
    );
    return { offset, total: total(), rows: ids.map(call) };
  };
  return { asked, signals, fetch, source: { fetch: () => fetch, isRefusal: () => false } };
}

const slice = (offset: number, total: number, ...rows: Row[]): Slice => ({ offset, total, rows });
/** Calls from an id on, up or down. */
const ids = (first: number, count: number, step = 1) =>
  Array.from({ length: Math.max(0, count) }, (_, at) => call(first + at * step));

/** A service with a function for each response: of its order, the requested offset, and the number of earlier requests. */
function script(respond: (request: { sort: Sort; offset: number; count: number }) => Slice) {
  const asked: number[] = [];
  const sorts: Sort[] = [];
  const signals: Partial<Record<Sort, AbortSignal>> = {};
  const source: Source<Slice> = {
    isRefusal: (error) => error instanceof RangeError,
    fetch: (sort) => async (offset, signal) => {
      if (asked.push(offset) > 2000) throw new Error("The walk asks without end");
      sorts.push(sort);
      signals[sort] = signal;
      return respond({ sort, offset, count: asked.length - 1 });
    },
  };
  /** Orders without running requests. */
  const ended = () => Object.entries(signals).flatMap(([sort, { aborted }]) => (aborted ? [sort] : []));
  return { asked, sorts, source, ended };
}

const options = { limit: 20, overlap: 5, throttle: new Throttle(2) };
const read = async (walk: AsyncIterable<Slice>) => {
  for await (const _ of walk);
};

describe("walkFromEnd", () => {
  it.each([
    { calls: 450, total: 450, offset: 1000, asked: [1000, 350] },
    { calls: 30, total: 30, offset: 500, asked: [500, 0] },
    // After a wrong total it steps back twice as far each time.
    { calls: 310, total: 1000, offset: 1000, asked: [1000, 900, 700, 300] },
    { calls: 10, total: 50, offset: 50, asked: [50, 0] },
    { calls: 0, total: 0, offset: 0, asked: [0] },
  ])("searches from $offset for the end of $calls calls when the service counts $total", async (scene) => {
    const service = serve(() => scene.calls, { total: () => scene.total });
    await read(walkFromEnd(service.fetch, options, () => true, scene.offset));
    expect(service.asked.slice(0, scene.asked.length)).toEqual(scene.asked);
  });

  it("gives up when no page has a call", async () => {
    const service = serve(() => 0, { total: () => 1000 });
    const walk = walkFromEnd(service.fetch, options, () => true, 1000);
    const slices: Slice[] = [];
    for await (const slice of walk) slices.push(slice);
    expect(service.asked.slice(0, 4)).toEqual([1000, 900, 700, 300]);
    expect(slices[0]?.offset).toBe(300);
    expect(service.asked.filter((offset) => offset < 300)).toEqual([]);
  });
});

describe("walk", () => {
  it("requests nothing more and aborts running requests when its reader stops", async () => {
    const service = serve(() => 1000);
    let slices = 0;
    for await (const _ of walk(service.source, options)) if (++slices === 3) break;
    const before = service.asked.length;
    expect([...service.signals].map(({ aborted }) => aborted)).toEqual([true]);
    await new Promise(setImmediate);
    expect(service.asked.length).toBe(before);
  });

  it("aborts running requests when it has read everything", async () => {
    const service = serve(() => 100);
    await read(walk(service.source, options));
    expect([...service.signals].map(({ aborted }) => aborted)).toEqual([true]);
  });

  it.each([60, 40, 20, 8, 4])(
    "reads to its end a list whose pages shrink from 200 to %i rows",
    async (least) => {
      // A page is as large as 200 calls; calls from the 150th on are larger.
      const endOf = (offset: number) => {
        let [at, size] = [offset, 0];
        while (at < 400) {
          size += at < 150 ? 1 : 200 / least;
          if (size > 200) break;
          at++;
        }
        return at;
      };
      const service = script(({ offset }) => slice(offset, 400, ...ids(offset + 1, endOf(offset) - offset)));
      const reading = walk(service.source, { ...options, limit: 200, overlap: 50 });
      const seen = new Set<number | null>();
      for await (const { rows } of reading) for (const { id } of rows) seen.add(id);
      expect(seen.size).toBe(400);
      expect(reading.evidence.isProven).toBe(true);
    },
  );

  it.each([100, 50, 49, 20, 10, 5, 3])(
    "proves a pass whose pages shrink from 200 to %i rows on the way",
    async (least) => {
      const isNew = (count: number) => (count > 3 ? 1 : 0);
      const service = script(({ offset, count }) => {
        const size = count > 3 ? least : 200;
        // A call comes to the front meanwhile.
        return slice(
          offset,
          1000 + isNew(count),
          ...ids(1000 + isNew(count) - offset, Math.min(size, 1000 + isNew(count) - offset), -1),
        );
      });
      const reading = walk(service.source, { ...options, limit: 200, overlap: 50 });
      await read(reading);
      expect(reading.evidence).toMatchObject({
        fresh: 1001,
        isProven: true,
        isFrontMet: true,
        seamsBroken: 0,
        isOneLength: false,
      });
      expect(service.asked.length).toBeLessThan(20 + 2000 / Math.ceil(least / 2));
    },
  );

  it.each([
    // The second look is where the end then is.
    { count: "of its own", total: () => undefined, end: "short slice", requests: 8 },
    // Nothing shows the end, and after fifty short pages the pass gives it up.
    { count: "that is always the same", total: () => 40, end: "unseen", requests: 105 },
  ])("reads a list that grows by a few calls with each request, with a total $count", async (scene) => {
    const calls = () => 40 + 3 * service.asked.length;
    const service = serve(calls, { total: () => scene.total() ?? calls() });
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.evidence.end).toBe(scene.end);
    expect(service.asked).toHaveLength(scene.requests);
  });

  it.each([
    { title: "calls that total does not count", total: () => 300, first: 301, last: 460, fresh: 303 },
    {
      title: "calls that total counts from then on",
      total: (count: number) => (count > 24 ? 303 : 300),
      first: 301,
      last: 460,
      fresh: 303,
    },
    { title: "a call that is too large to send", total: () => 300, first: 301, last: 301, fresh: 302 },
  ])("looks further behind the end of an exact pass, and reads on behind $title", async (scene) => {
    const listed = ids(1, scene.fresh === 303 ? 463 : 303);
    const service = script(({ offset, count }) => {
      const page = listed.slice(offset, offset + 100);
      const isDropped = ({ id }: Row) => id !== null && id >= scene.first && id <= scene.last;
      const large = scene.first === scene.last ? page.findIndex(isDropped) : -1;
      const rows = large < 0 ? page.filter((row) => !isDropped(row)) : page.slice(0, large);
      return slice(offset, scene.total(count), ...rows);
    });
    const reading = walk(service.source, { ...options, limit: 100 });
    await read(reading);
    const { fresh, gaps } = reading.evidence;
    expect({ fresh, gaps: gaps.length, first: gaps[0]?.first }).toEqual({
      fresh: scene.fresh,
      gaps: 1,
      first: 300,
    });
  });

  it.each([
    { title: "", lags: false },
    { title: ", and a replica that lags responds after that", lags: true },
  ])(
    "keeps an exact pass if calls come only while it looks further behind the end$title",
    async ({ lags }) => {
      const calls = () =>
        service.asked.includes(101) && !(lags && service.asked.at(-1) === 100) ? 130 : 100;
      const service = serve(calls);
      const reading = walk(service.source, options);
      await read(reading);
      expect(service.asked.slice(-3)).toEqual([0, 101, 100]);
      expect(reading.evidence).toMatchObject({
        end: "short slice",
        gaps: [],
        totals: { isConstant: true, last: 100 },
      });
    },
  );

  it("does not vouch for a cached total if the end moves while the pass looks further behind it", async () => {
    // Of 105 calls, the 101st is too large to send, and total misses it and those behind; then eight calls go.
    const listed = ids(1, 105, 1);
    const service = script(({ offset }) => {
      if (service.asked.includes(101)) listed.splice(0, Math.max(0, listed.length - 97));
      const page = listed.slice(offset, offset + 20);
      const large = page.findIndex(({ id }) => id === 101);
      return slice(offset, 100, ...(large < 0 ? page : page.slice(0, large)));
    });
    const reading = walk(service.source, options);
    await read(reading);
    expect(service.asked.slice(-4)).toEqual([101, 120, 140, 99]);
    expect(judge(reading.evidence, reading.evidence.fresh)).toMatchObject({
      verdict: "probable",
      verdict_reason:
        "all pages joined, but the last call moved while total stood still: 100 calls read, total 100",
    });
  });

  it("carries the largest total of an order that was given up into the next one", async () => {
    const listed = (sort: Sort) =>
      ids(1, sort === "own" ? 20 : 40, 1).map((row, at) => ({
        ...row,
        id: 1 + ((at * 17) % 41),
        started: null,
        name: "Mail",
      }));
    const service = script(({ sort, offset }) => {
      const rows = sort === "own" ? listed(sort) : ids(1, 40).slice(offset, offset + 20);
      return slice(offset, sort === "own" ? 5000 : 40, ...rows);
    });
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.sort).toBe("source_name asc");
    expect(reading.evidence.totals).toMatchObject({ first: 40, most: 5000, fall: 4960 });
  });

  it.each([
    // Of twenty rows two are unseen, or five: a quarter is enough.
    { added: 13, requests: 1 + 50 + 1 + 50 },
    { added: 10, requests: 149 },
  ])("keeps reading while $added calls arrive at the front with each request", async (scene) => {
    const newest = () => 400 + scene.added * service.asked.length;
    const service = script(({ offset }) =>
      slice(offset, 0, ...ids(newest() - offset, Math.min(20, newest() - offset), -1)),
    );
    const reading = walk(service.source, options);
    await read(reading);
    // A total of 0 proves no end.
    expect(reading.evidence.end).toBe("unseen");
    expect(service.asked).toHaveLength(scene.requests);
  });

  it.each([
    { says: "so", total: (calls: number) => calls },
    { says: "always the same", total: () => 100 },
    { says: "nothing", total: () => 0 },
  ])(
    "stops when a list grows by a whole page with each request and its own total is $says",
    async (scene) => {
      const calls = () => 100 + 20 * service.asked.length;
      const service = serve(calls, { total: () => scene.total(calls()) });
      const reading = walk(service.source, options);
      await read(reading);
      expect(reading.evidence.end).toBe("unseen");
      expect(reading.evidence.fresh).toBeGreaterThan(1000 * 20);
      expect(service.asked.length).toBeLessThan(1500);
    },
  );

  it("reads to its end a list that grows to eight times its length meanwhile", async () => {
    const calls = () => Math.min(25_000, 3000 + 40 * service.asked.length);
    const service = serve(calls);
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.evidence).toMatchObject({ end: "short slice", fresh: 25_000 });
  });

  it("stops when a service restarts at the front with other calls each time", async () => {
    const service = script(({ count }) => slice(0, 0, ...ids(1 + 20 * count, 20)));
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.evidence.end).toBe("unseen");
    expect(service.asked).toHaveLength(1 + 50 + 1 + 50);
  });

  it("links slices that share calls of only one key after four tries, each from twice as far back", async () => {
    let tries = 0;
    const service = script(({ offset }) => {
      // One call is shared however far it steps back from the seam; unseen calls follow.
      if (tries > 0 || offset > 190) tries++;
      if (tries > 0 && tries <= 4) return slice(offset, 0, ...ids(200, 20));
      return slice(offset, 0, ...ids(offset + 1, Math.max(0, Math.min(20, 300 - offset))));
    });
    const reading = walk(service.source, options);
    await read(reading);
    const seam = service.asked.indexOf(195);
    expect(service.asked.slice(seam - 1, seam + 5)).toEqual([180, 195, 190, 180, 160, 175]);
    expect(reading.evidence).toMatchObject({ isLinked: true, seamsBroken: 0, fresh: 300 });
  });

  it.each([
    { total: 300, end: "short slice" },
    { total: 20, end: "nothing behind" },
    { total: 0, end: "nothing behind" },
    { total: 901, end: "disputed" },
  ])("reads all of 900 calls when the service counts $total", async ({ total, end }) => {
    const reading = walk(serve(() => 900, { total: () => total }).source, options);
    await read(reading);
    expect(reading.evidence).toMatchObject({ fresh: 900, end });
  });

  it("requests no more pages of a plan after one of them was empty", async () => {
    const service = serve(() => 100, { total: () => 2000 });
    const fetch: typeof service.fetch = async (offset, signal) => {
      await new Promise(setImmediate);
      return await service.fetch(offset, signal);
    };
    const reading = walk({ ...service.source, fetch: () => fetch }, options);
    await read(reading);
    expect(reading.evidence.end).toBe("disputed");
    // The last look is for calls behind a gap.
    expect(service.asked.filter((offset) => offset > 100)).toEqual([105, 120, 135, 1980]);
  });

  it.each([
    { title: "reads on when the list continues behind empty pages", first: 43, last: 199, fresh: 143 },
    { title: "ends when the last page by total is empty", first: 43, last: 1000, fresh: 43 },
    { title: "does not look for as few calls as may be missing", first: 295, last: 299, fresh: 295 },
  ])("$title", async ({ first, last, fresh }) => {
    const service = script(({ offset }) => {
      const end = offset < first ? first : 300;
      const count = offset >= first && offset <= last ? 0 : Math.min(20, end - offset);
      return slice(offset, 300, ...ids(offset + 1, count));
    });
    const reading = walk(service.source, options);
    await read(reading);
    const { evidence } = reading;
    expect(evidence).toMatchObject({ fresh, gaps: fresh === 143 ? [{ first, last }] : [] });
    expect(service.asked.filter((offset) => offset === 280).length > 0).toBe(fresh !== 295);
    expect(service.asked.length).toBeLessThan(30);
  });

  it.each([
    { first: 60, last: 99, gaps: [{ first: 75, last: 99 }], fresh: 275 },
    { first: 60, last: 270, gaps: [{ first: 75, last: 270 }], fresh: 104 },
  ])(
    "reads on when the list continues behind pages from $first to $last that are empty by their offset",
    async ({ first, last, gaps, fresh }) => {
      const service = script(({ offset }) =>
        slice(
          offset,
          300,
          ...ids(offset + 1, offset >= first && offset <= last ? 0 : Math.min(20, 300 - offset)),
        ),
      );
      const reading = walk(service.source, options);
      await read(reading);
      expect(reading.evidence).toMatchObject({ gaps, fresh });
      expect(service.asked.length).toBeLessThan(60);
    },
  );

  it("looks at the front once more after a list became empty although the service counts more", async () => {
    let isEmpty = false;
    const service = serve(() => (isEmpty ? 0 : 100), { total: () => 100 });
    const reading = walk(service.source, options);
    for await (const { offset } of reading) if (offset === 90 || offset === 75) isEmpty = true;
    expect(service.asked.slice(-4)).toEqual([0, 0, 80, 0]);
  });

  it("collects no evidence before it starts", () => {
    const { evidence, sort } = walk(serve(() => 100).source, options);
    expect(sort).toBe("own");
    expect({ ...evidence, keys: evidence.keys.length }).toEqual({
      slices: 0,
      fresh: 0,
      resumed: 0,
      seamsMended: 0,
      seamsBroken: 0,
      fragmented: 0,
      unplaced: 0,
      repeated: 0,
      old: 0,
      vanished: 0,
      closing: 0,
      closingOnly: 0,
      behind: [],
      gaps: [],
      endsAt: 0,
      totals: {
        first: 0,
        last: 0,
        least: 0,
        most: 0,
        isConstant: true,
        fall: 0,
        falls: 0,
        rises: 0,
        overruns: 0,
      },
      startsAtFront: false,
      front: { met: 0, needed: 0 },
      isOneLength: true,
      keys: 12,
      outOfPlace: undefined,
      end: "unseen",
      isProven: true,
      isLinked: true,
      isFrontMet: false,
      settled: false,
    });
  });

  it("requests an empty list three times, and looks further behind it", async () => {
    const service = serve(() => 0);
    const reading = walk(service.source, options);
    await read(reading);
    expect(service.asked).toEqual([0, 0, 0, 1, 20, 40, 0]);
    expect(reading.evidence.end).toBe("nothing behind");
  });
});

describe("walk, in a requested order", () => {
  const names = ["Zoo", "Airport", "Mail"];
  /** Forty calls in no order by start or id; by source on request. */
  const listed = (sort: Sort) => {
    const mixed = ids(1, 40).map((row, at) => ({
      ...row,
      id: 1 + ((at * 17) % 41),
      started: null,
      name: names[at % 3] ?? "",
    }));
    if (sort === "own") return mixed;
    const sign = sort === "source_name asc" ? 1 : -1;
    return mixed.sort((a, b) => sign * (a.name < b.name ? -1 : Number(a.name > b.name)) || a.id - b.id);
  };
  const serveSorted = (fail: (sort: Sort) => Error | undefined) =>
    script(({ sort, offset }) => {
      const error = fail(sort);
      if (error !== undefined) throw error;
      return slice(offset, 40, ...listed(sort).slice(offset, offset + 20));
    });
  const refused = new RangeError("sorts nothing");
  const broken = new Error("is down");
  const only = (wanted: Sort, error: Error) => (sort: Sort) => (sort === wanted ? error : undefined);

  it("continues in the order of sources and aborts requests in the other order", async () => {
    const service = serveSorted(() => undefined);
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.sort).toBe("source_name asc");
    expect(reading.evidence.isProven).toBe(true);
    expect([...new Set(service.sorts)]).toEqual(["own", "source_name asc"]);
    expect(service.ended()).toEqual(["own", "source_name asc"]);
  });

  it("continues in the service's own order when sorting is refused, and aborts the sorted requests", async () => {
    const service = serveSorted(only("source_name asc", refused));
    const reading = walk(service.source, options);
    await read(reading);
    expect([reading.sort, reading.evidence.fresh]).toEqual(["own", 40]);
    expect(service.sorts.filter((sort) => sort !== "own")).toEqual(["source_name asc"]);
    expect(service.ended()).toEqual(["own", "source_name asc"]);
  });

  it("falls back to the service's own order when the service stops sorting, and requests no other again", async () => {
    const service = serveSorted(only("source_name asc", refused));
    const reading = walk(service.source, options, { sort: "source_name asc" });
    await read(reading);
    expect([reading.sort, reading.evidence.fresh]).toEqual(["own", 40]);
    expect(service.sorts.filter((sort) => sort !== "own")).toEqual(["source_name asc"]);
    expect(service.ended()).toEqual(["source_name asc", "own"]);
  });

  it.each([
    { title: "a refusal of an order that was not requested", sort: "own", fails: "own", error: refused },
    { title: "an error in the service's own order", sort: "own", fails: "own", error: broken },
    {
      title: "an error in the order of the last pass",
      sort: "source_name asc",
      fails: "source_name asc",
      error: broken,
    },
    { title: "an error in another order", sort: "own", fails: "source_name asc", error: broken },
  ] as const)("throws $title", async ({ sort, fails, error }) => {
    const service = serveSorted(only(fails, error));
    await expect(read(walk(service.source, options, { sort }))).rejects.toBe(error);
    expect(service.sorts.filter((each) => each === fails)).toHaveLength(1);
    expect(service.ended()).toEqual([...new Set(service.sorts)]);
  });
});

describe("walk, from an earlier chain", () => {
  const list = (offset: number) =>
    slice(offset, 100, ...ids(offset + 1, Math.max(0, Math.min(20, 100 - offset))));

  it.each([
    { earlier: [list(0)], next: 15 },
    { earlier: [list(0), list(15), list(30)], next: 45 },
    // The furthest is not the last: the walk looked at the front, or read a piece again.
    { earlier: [list(0), list(15), list(0)], next: 30 },
    // Of two that end at the same place it is the later, whose last ten calls have one start: it goes back behind those.
    {
      earlier: [
        list(0),
        slice(
          0,
          100,
          ...ids(21, 20).map((row, at) => ({
            ...row,
            started: ids(21, 11)[Math.min(at, 10)]?.started ?? null,
          })),
        ),
      ],
      next: 5,
    },
  ])("starts at $next", async ({ earlier, next }) => {
    const service = script(({ offset }) => list(offset));
    for await (const _ of walk(service.source, options, { earlier })) break;
    expect(service.asked[0]).toBe(next);
  });
});

describe("walk, from an earlier chain that does not join", () => {
  it("begins again, and counts from the total of its own run", async () => {
    const service = script(({ offset }) =>
      slice(offset, 40, ...ids(501 + offset, Math.min(20, 40 - offset))),
    );
    const reading = walk(service.source, options, { earlier: [slice(0, 5000, ...ids(1, 20))] });
    await read(reading);
    expect(reading.evidence).toMatchObject({ resumed: 0, totals: { first: 40, most: 40, fall: 0 } });
  });
});

describe("walk, of a list of one call", () => {
  it.each([1, 2, 5])("reaches the end after an earlier chain of %i slices", async (count) => {
    const service = script(({ offset }) => slice(offset, 1, ...ids(offset + 1, 1 - offset)));
    const earlier = Array.from({ length: count }, () => slice(0, 1, call(1)));
    const reading = walk(service.source, options, { earlier });
    await read(reading);
    expect(reading.evidence).toMatchObject({ resumed: count, end: "nothing behind", isProven: true });
    expect(service.asked).toEqual([0, 0, 1, 0, 0, 2, 21, 41, 0]);
  });
});

describe("walkFromFront and walkFromEnd", () => {
  const walks: [string, (service: ReturnType<typeof serve>) => Walk<Slice>][] = [
    ["walkFromFront", ({ fetch }) => walkFromFront(fetch, options, () => false)],
    ["walkFromEnd", ({ fetch }) => walkFromEnd(fetch, options, () => false, 80)],
  ];

  it.each(walks)(
    "%s aborts running requests when it has read everything or its reader stops",
    async (_, begin) => {
      for (const isAll of [true, false]) {
        const service = serve(() => 100);
        for await (const _ of begin(service)) if (!isAll) break;
        expect([...service.signals].map(({ aborted }) => aborted)).toEqual([true]);
      }
    },
  );
});
