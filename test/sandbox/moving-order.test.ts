import { expect, test } from "vitest";
import type { Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import { judge, SURE_VERDICTS } from "../../src/paging/verdict.ts";
import { type Source, walk } from "../../src/paging/walk.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { fetchPage } from "../support/requests.ts";

const LIMIT = 60;

/** A source for the walk if the service lists its calls by one of its aggregate keys, and in no other order. */
function sourceOf(sandbox: Sandbox, query: string): Source<Slice> {
  return {
    fetch: (sort) => async (from) => {
      if (sort !== "own") throw new Error("refused");
      const { calls, total, offset } = await fetchPage(sandbox, `?limit=${LIMIT}&offset=${from}&${query}`);
      const rows = calls.map(({ call_id, call_started, insight_name }) => ({
        id: call_id,
        started: String(call_started),
        name: String(insight_name),
      }));
      return { offset, total, rows };
    },
    isRefusal: () => true,
  };
}

/** Walks over the calls; returns the verdict and the calls that existed throughout and were not read. */
async function read(sandbox: Sandbox, query: string) {
  const throughout = new Set(sandbox.calls.ids);
  const reading = walk(sourceOf(sandbox, query), { limit: LIMIT, throttle: new Throttle(1) });
  const ids = new Set<number | null>();
  for await (const { rows } of reading) for (const { id } of rows) ids.add(id);
  const left = sandbox.calls.ids.filter((id) => throughout.has(id) && !ids.has(id));
  return { left: left.length, ...judge(reading.evidence, ids.size) };
}

const KEYS = ["total_calls", "conversion_rate", "roi", "cost_per_conversion"];

test("walk reads all calls in the order of each key while no new ones arrive", async () => {
  await using sandbox = await startSandbox({ calls: 400 });
  for (const key of KEYS) expect(await read(sandbox, `sort_by=${key}`)).toMatchObject({ left: 0 });
});

test("walk does not verify a pass that missed calls while sources changed places", async () => {
  let left = 0;
  for (const key of KEYS) {
    for (const seed of [1, 2]) {
      await using sandbox = await startSandbox({ calls: 400, seed, insertEvery: 1, deleteEvery: 1 });
      const outcome = await read(sandbox, `sort_by=${key}`);
      if (outcome.left > 0) expect(SURE_VERDICTS).not.toContain(outcome.verdict);
      left += outcome.left;
    }
  }
  expect(left).toBeGreaterThan(0);
});
