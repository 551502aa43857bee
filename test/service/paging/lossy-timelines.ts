import fc from "fast-check";
import { type Event, honestTimelines, inOneWay, smallTimelines, type Timeline } from "./random-service.ts";

const count = (most: number) => fc.integer({ min: 1, max: most });
const share = fc.integer({ min: 0, max: 1000 }).map((of) => of / 1000);
const orders = fc.constantFrom("id desc" as const, "id asc", "start desc", "start asc");
const anyOf = fc.oneof(smallTimelines, honestTimelines).map(inOneWay);

/** Services whose list, and with it `total`, becomes much shorter during a pass: to nothing, or a part of it. */
export const fallingTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: anyOf,
    shrinks: fc.record({
      after: count(30),
      to: fc.oneof(fc.constant(0), share),
      keeps: fc.constantFrom("first" as const, "first", "any"),
    }),
  })
  .map(({ timeline, shrinks }) => ({ ...timeline, shrinks }));

/** Services at rest that drop calls from pages after LIMIT, and count those left at the first request, or a few less. */
export const droppedTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: anyOf,
    order: orders,
    place: share,
    size: share,
    behind: fc.integer({ min: 0, max: 6 }),
    isAtEnd: fc.boolean(),
    by: fc.oneof(fc.constant(0), fc.integer({ min: -6, max: 0 })),
  })
  .map(({ timeline, order, place, size: part, behind, isAtEnd, by }): Timeline => {
    const { initial, limit, pageCap } = timeline;
    // A gap of fewer than three pages, at any place or before the last few calls.
    const rows = Math.min(limit, pageCap);
    const size = Math.floor(part * (3 * rows - 1));
    const isReversed = order.endsWith("desc");
    const atEnd = isReversed ? behind + 1 : initial - behind - size + 1;
    const first = isAtEnd ? atEnd : Math.round(place * initial);
    const total = { kind: "cached" as const, by: isAtEnd ? -behind : by };
    // Without a full page before it, nothing shows that pages have fewer rows than were asked for.
    const isCapped = (isReversed ? initial - first - size : first) > 2 * rows;
    return {
      ...timeline,
      busyFor: 0,
      tied: 1,
      pageCap: isCapped ? pageCap : limit,
      order,
      dropped: { first, last: first + size - 1 },
      total,
    };
  });

/** Services at rest whose page is empty where a call is too large to send, and whose count is cached or misses a few. */
export const oversizedTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: anyOf,
    order: orders,
    first: count(300),
    every: fc.integer({ min: 2, max: 300 }),
    behind: fc.integer({ min: 0, max: 4 }),
    isAtEnd: fc.boolean(),
    by: fc.integer({ min: -6, max: 1 }),
  })
  .map(({ timeline, order, first, every, behind, isAtEnd, by }): Timeline => {
    // Each call behind it can be sent.
    const atEnd = order.endsWith("desc") ? behind + 1 : Math.max(1, timeline.initial - behind);
    const total = { kind: "cached" as const, by: isAtEnd ? -behind : by };
    return {
      ...timeline,
      busyFor: 0,
      tied: 1,
      order,
      oversized: isAtEnd ? { first: atEnd, every: 10_000 } : { first, every },
      total,
    };
  });

const rareEvents: fc.Arbitrary<Event[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("new" as const, "new", "late", "delete"),
    at: share,
    count: fc.constantFrom(1, 1, 1, 2),
  }),
  { maxLength: 1 },
);

/** The same services while calls come and go: two things are wrong with them, which no pass can always notice. */
export const changing = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Timeline> =>
  fc
    .record({
      timeline: timelines,
      busyFor: count(40),
      events: fc.array(rareEvents, { minLength: 1, maxLength: 12 }),
    })
    .map(({ timeline, busyFor, events }) => ({
      ...timeline,
      busyFor,
      requests: events.map((each) => ({ events: each, cap: 1000, short: 0, lag: 0, turns: 0 })),
    }));

const busyEvents = (kind: Event["kind"]): fc.Arbitrary<Event[]> =>
  fc.record({ kind: fc.constant(kind), at: share, count: count(3) }).map((event) => [event]);

/** Honest services to which one to three calls come, or from which as many go, at each request. */
export const busyTimelines: fc.Arbitrary<Timeline> = fc
  .record({
    timeline: honestTimelines,
    order: orders,
    pages: count(60),
    limit: fc.integer({ min: 20, max: 60 }),
    events: fc.array(fc.oneof(busyEvents("new"), busyEvents("delete")), { minLength: 40, maxLength: 60 }),
  })
  .map(({ timeline, order, pages, limit, events }) => ({
    ...timeline,
    order,
    tied: 1,
    limit,
    pageCap: 1000,
    initial: pages * (limit - 8),
    busyFor: 4000,
    kills: [],
    requests: events.map((each) => ({ events: each, cap: 1000, short: 0, lag: 0, turns: 0 })),
  }));
