import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Evidence } from "../../src/paging/evidence.ts";
import type { Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import { judge } from "../../src/paging/verdict.ts";
import { type Source, walk } from "../../src/paging/walk.ts";
import { draws, least } from "../support/draws.ts";
import { honestTimelines, RandomService, type Timeline } from "./random-service.ts";

/** What became of the service while no process read it: nothing, some calls came and went, or it is another service now. */
const MEANWHILE = ["nothing", "some calls", "another service"] as const;
/** What the ledger has of the chain: all, or not its middle, so that it does not join even with itself. */
const KEPT = ["all", "without its middle", "its last alone"] as const;

const MOST_SLICES = 12;

interface Scene {
  timeline: Timeline;
  other: Timeline;
  length: number;
  meanwhile: (typeof MEANWHILE)[number];
  kept: (typeof KEPT)[number];
  overlap: number;
  concurrency: number;
}

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    timeline: honestTimelines,
    other: honestTimelines,
    length: fc.integer({ min: 1, max: MOST_SLICES }),
    limit: fc.constantFrom(2, 3, 7, 20, 50),
    /** Pages behind those that were read. */
    more: fc.integer({ min: 0, max: 3 }),
    meanwhile: fc.constantFrom(...MEANWHILE),
    kept: fc.constantFrom("all", "all", ...KEPT),
    overlap: fc.integer({ min: 2, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ timeline, other, limit, more, ...scene }) => ({
    ...scene,
    timeline: { ...timeline, limit, pageCap: limit, initial: limit * (scene.length + more) },
    other: { ...other, limit, pageCap: limit, initial: limit * (1 + more * 2) },
  }));

const quiet = (timeline: Timeline): Timeline => ({ ...timeline, busyFor: 0 });

/** The calls of another account: none of them has the id of a call here. */
function otherIds(service: RandomService): Source<Slice> {
  return {
    isRefusal: service.isRefusal,
    fetch: (sort) => async (offset) => {
      const { rows, ...slice } = await service.fetch(sort)(offset);
      return { ...slice, rows: rows.map((row) => ({ ...row, id: (row.id ?? 0) + 1_000_000 })) };
    },
  };
}

/** Reads a service to the end, or so many slices. */
async function read(
  source: Source<Slice>,
  scene: Scene,
  { earlier = [] as Slice[], most = Number.POSITIVE_INFINITY } = {},
) {
  const { overlap, concurrency } = scene;
  const { limit } = scene.timeline;
  const reading = walk(source, { limit, overlap, throttle: new Throttle(concurrency) }, { earlier });
  let slices: Slice[] = [...earlier];
  for await (const slice of reading) {
    slices = reading.evidence.slices === 1 ? [slice] : [...slices, slice];
    if (reading.evidence.slices >= most) break;
  }
  const ids = new Set(slices.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const { evidence } = reading;
  return { slices, ids, evidence, verdict: judge(evidence, ids.size).verdict };
}

const isSure = (verdict: string) => verdict === "exact" || verdict === "verified";
const seen = ({ keys, ...evidence }: Evidence) => ({ ...evidence, keys: keys.map(({ name }) => name) });

function keep(slices: Slice[], kept: Scene["kept"]): Slice[] {
  if (kept === "its last alone") return slices.slice(-1);
  return kept === "all"
    ? slices
    : slices.filter((_, at) => at < slices.length / 3 || at > (2 * slices.length) / 3);
}

describe("walk, from an earlier chain of longer pages", () => {
  /** The newest first. */
  const listed = Array.from({ length: 200 }, (_, at) => ({
    id: 1000 - at,
    started: new Date(Date.UTC(2026, 5, 1) - at * 1000).toISOString(),
    name: "Website",
  }));
  const page = (offset: number, limit: number, total: number): Slice => ({
    offset,
    total,
    rows: listed.slice(offset, offset + limit),
  });

  it.each([
    // A page of 25 ends where `total` does, which is not where the list ends.
    { title: "fewer", total: 125, chain: [50, 50, 50, 50], limit: 25, verdict: "probable" },
    { title: "fewer, to a true end", total: 200, chain: [50, 50, 50, 50], limit: 25, verdict: "exact" },
    { title: "more, to a true end", total: 200, chain: [50, 50, 50, 50], limit: 100, verdict: "exact" },
  ])(
    "goes on to the end where other pages are asked for: $title",
    async ({ total, chain, limit, verdict }) => {
      const earlier = chain.map((rows, at) => page(at * 25, rows, total));
      const fetch = async (offset: number) => page(offset, limit, total);
      const reading = walk({ fetch: () => fetch, isRefusal: () => false }, { limit }, { earlier });
      const ids = new Set(earlier.flatMap(({ rows }) => rows.map(({ id }) => id)));
      for await (const { rows } of reading) for (const { id } of rows) ids.add(id);
      expect(reading.evidence.resumed).toBe(chain.length);
      expect(ids.size).toBe(200);
      expect(judge(reading.evidence, ids.size).verdict).toBe(verdict);
    },
  );
});

describe("walk, from an earlier chain of any length", () => {
  it("is sure of nothing that it misses, and as if it had begun there where the chain does not join", async () => {
    const counts = new Map<string, number>();
    const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const service = new RandomService(quiet(scene.timeline));
        const first = await read(service, scene, { most: scene.length });
        const earlier = keep(first.slices, scene.kept);
        const isOther = scene.meanwhile === "another service";
        const make = () =>
          isOther ? new RandomService(quiet(scene.other)) : new RandomService(scene.timeline);
        const now = scene.meanwhile === "nothing" ? service : make();
        if (scene.meanwhile === "some calls") await now.liveOn(scene.length);
        const sourceOf = (service: RandomService) => (isOther ? otherIds(service) : service);
        const second = await read(sourceOf(now), scene, { earlier });
        const isResumed = second.evidence.resumed > 0;
        note(`${scene.meanwhile}: ${isResumed ? "joined" : "not joined"}`);
        note(`${scene.kept}: ${isResumed ? "joined" : "not joined"}`);
        if (isResumed) note(`joined after ${second.evidence.resumed}`);
        if (isSure(second.verdict)) {
          const missing = now.visibleThroughout.filter(
            (id) => !second.ids.has(isOther ? id + 1_000_000 : id),
          );
          expect(missing).toEqual([]);
          note(isResumed ? "sure of a chain that was joined" : "sure after one that was not");
        }
        if (isResumed || !isOther) return;
        // The same service, that was asked once before for what is not used.
        const fresh = make();
        await fresh.fetch("own")(0);
        const anew = await read(sourceOf(fresh), scene);
        expect(seen(second.evidence)).toEqual(seen(anew.evidence));
        expect(second.slices).toEqual(anew.slices);
        expect(second.verdict).toBe(anew.verdict);
        note("as one that began there");
      }),
      { numRuns: draws(500) },
    );
    const rare = (names: string[], often: number) =>
      names.filter((name) => (counts.get(name) ?? 0) < Math.max(1, least(often)));
    const lengths = Array.from({ length: MOST_SLICES }, (_, at) => `joined after ${at + 1}`);
    expect(rare(lengths, 1)).toEqual([]);
    const joins = ["nothing", "some calls", "all", "without its middle", "its last alone"];
    expect(
      rare(
        joins.flatMap((name) => [`${name}: joined`, `${name}: not joined`]),
        5,
      ),
    ).toEqual([]);
    const outcomes = [
      "another service: not joined",
      "as one that began there",
      "sure of a chain that was joined",
    ];
    expect(rare([...outcomes, "sure after one that was not"], 20)).toEqual([]);
  });
});
