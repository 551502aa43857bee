import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/server.ts";
import { fetchIds, fetchPage, fetchRaw, PATH, type Page } from "../../support/services/requests.ts";

const NOW = new Date("2026-11-20T15:00:00.000Z");

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

describe("GET attribution-engine", () => {
  test("responds with the envelope and the defaults of limit and offset", async () => {
    await using sandbox = await startSandbox({ calls: 250 });

    const response = await fetchRaw(sandbox);
    const body = await response.json();

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(body).toEqual({
      code: 200,
      message: "Success",
      data: {
        calls: sandbox.calls.ids.slice(0, 100).map((id) => sandbox.calls.get(id)),
        total: 250,
        limit: 100,
        offset: 0,
      },
      request_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test.for([
    "limit=0",
    "limit=1001",
    "limit=1e2",
    "limit=1.5",
    "limit=",
    "limit=all",
    "offset=-1",
    "offset=0x10",
    "offset=99999999999999999999",
    "sort_by=call_started",
    "sort_order=up",
  ])("responds with 400 to %s", async (query) => {
    await using sandbox = await startSandbox({ calls: 3 });

    const response = await fetchRaw(sandbox, `?${query}`);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      code: 400,
      message: expect.stringContaining(`${query.split("=")[0]}: `),
      request_id: expect.any(String),
      timestamp: expect.any(String),
    });
  });

  test("responds with 404 to an unknown path and 405 to another method", async () => {
    await using sandbox = await startSandbox({ calls: 3 });
    const headers = { authorization: `Bearer ${sandbox.token}` };

    expect((await fetch(`${sandbox.url}/`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}${PATH}/1`, { headers })).status).toBe(404);
    expect((await fetchRaw(sandbox, "", { headers, method: "POST" })).status).toBe(405);
    expect((await fetchRaw(sandbox, "", { headers, method: "HEAD" })).status).toBe(405);
  });

  test("orders newest first, oldest first, or shuffled and stable", async () => {
    await using newest = await startSandbox({ calls: 500, now: NOW });
    await using oldest = await startSandbox({ calls: 500, now: NOW, order: "oldest" });
    await using shuffled = await startSandbox({ calls: 500, now: NOW, order: "shuffled" });

    const fromOldest = await fetchPage(oldest, "?limit=1000");
    const ids = fromOldest.calls.map((call) => call.call_id);
    const starts = fromOldest.calls.map((call) => String(call.call_started));

    expect(ids).toEqual(ascending(ids));
    expect(starts).toEqual(starts.toSorted());
    expect(await fetchIds(newest, "?limit=1000")).toEqual(ids.toReversed());
    const once = await fetchIds(shuffled, "?limit=1000");
    expect(once).not.toEqual(ids);
    expect(ascending(once)).toEqual(ids);
    expect(await fetchIds(shuffled, "?limit=1000")).toEqual(once);
  });

  test("caps the page and echoes the applied limit", async () => {
    await using sandbox = await startSandbox({ calls: 100, pageCap: 20 });

    const capped = await fetchPage(sandbox, "?limit=50&offset=10");
    const small = await fetchPage(sandbox, "?limit=5");

    expect(capped.limit).toBe(20);
    expect(capped.calls.map((call) => call.call_id)).toEqual(sandbox.calls.ids.slice(10, 30));
    expect([small.limit, small.calls.length]).toEqual([5, 5]);
  });

  test("filters by a numeric org_unit_id, also of edited calls", async () => {
    await using sandbox = await startSandbox({ calls: 400 });
    const { calls } = sandbox;
    const edited = calls.ids.find((id) => calls.facets(id)?.org_unit_id !== 2102) ?? 0;
    calls.edit(edited, { org_unit_id: 2102 });

    const page = await fetchPage(sandbox, "?org_unit_id=2102&limit=1000");

    const expected = calls.ids.map((id) => calls.get(id)).filter((call) => call?.org_unit_id === 2102);
    expect(page.calls).toEqual(expected);
    expect(page.total).toBe(expected.length);
    expect(page.calls.map((call) => call.call_id)).toContain(edited);
    expect((await fetchPage(sandbox, "?org_unit_id=1")).total).toBe(0);
  });

  test("sorts by insight name, and keeps its own order within a name", async () => {
    await using sandbox = await startSandbox({ calls: 200, order: "oldest" });

    const upward = await fetchPage(sandbox, "?sort_by=source_name&sort_order=asc&limit=1000");
    const downward = await fetchPage(sandbox, "?sort_by=source_name&limit=1000");

    const names = upward.calls.map((call) => String(call.insight_name));
    expect(names).toEqual(names.toSorted());
    expect(downward.calls.map((call) => call.insight_name)).toEqual(names.toReversed());
    const direct = downward.calls
      .filter((call) => call.insight_name === "Direct")
      .map((call) => call.call_id);
    expect(direct.length).toBeGreaterThan(5);
    expect(direct).toEqual(ascending(direct));
  });

  test.for(["total_calls", "conversion_rate", "roi", "cost_per_conversion"])(
    "sorts by %s of the sources, with the calls of a source in its own order",
    async (key) => {
      await using sandbox = await startSandbox({ calls: 400, order: "oldest" });

      const upward = await fetchPage(sandbox, `?sort_by=${key}&sort_order=asc&limit=1000`);
      const downward = await fetchPage(sandbox, `?sort_by=${key}&limit=1000`);

      const sources = runsOf(upward.calls);
      expect(new Set(sources.map(({ name }) => name)).size).toBe(sources.length);
      expect(runsOf(downward.calls)).toEqual(sources.toReversed());
      for (const { ids } of sources) expect(ids).toEqual(ascending(ids));
      expect(ascending(sources.flatMap(({ ids }) => ids))).toEqual(sandbox.calls.ids);
      const sizes = sources.map(({ ids }) => ids.length);
      if (key === "total_calls") expect(sizes).toEqual(ascending(sizes));
      if (key === "conversion_rate") {
        const rates = sources.map(({ ids }) => answeredOf(sandbox, ids) / ids.length);
        expect(rates).toEqual(ascending(rates));
      }
    },
  );

  test("neither lists nor counts a call without DNI session data", async () => {
    await using sandbox = await startSandbox({ calls: 5 });
    const before = sandbox.calls.ids;
    const [first = 0, second = 0, third = 0, ...others] = before;

    sandbox.calls.edit(first, { dni_data: undefined });
    sandbox.calls.edit(second, { dni_data: null });
    sandbox.calls.edit(third, { dni_data: { utm_source: "", gclid: null } });
    const inserted = sandbox.calls.insert({ dni_data: {} });

    expect(await fetchPage(sandbox, "?limit=1")).toMatchObject({ total: 2 });
    expect(await fetchIds(sandbox)).toEqual(others);
    expect(await fetchIds(sandbox, "?sort_by=total_calls&sort_order=asc")).toHaveLength(2);
    expect([sandbox.calls.size, sandbox.calls.ids]).toEqual([2, others]);

    for (const id of [first, second, third, inserted])
      sandbox.calls.edit(id, { dni_data: { utm_source: "found" } });
    expect(await fetchIds(sandbox)).toEqual([inserted, ...before]);
    sandbox.calls.edit(first, { dni_data: undefined });
    sandbox.calls.remove(first);
    expect((await fetchPage(sandbox)).total).toBe(5);
  });
});

/** The calls of each run of one source, in the order of the list. */
function runsOf(calls: Page["calls"]): { name: string; ids: number[] }[] {
  const runs: { name: string; ids: number[] }[] = [];
  for (const { insight_name, call_id } of calls) {
    const name = String(insight_name);
    if (runs.at(-1)?.name !== name) runs.push({ name, ids: [] });
    runs.at(-1)?.ids.push(call_id);
  }
  return runs;
}

function answeredOf({ calls }: Sandbox, ids: number[]): number {
  return ids.filter((id) => /^(answered|transferred)$/i.test(String(calls.get(id)?.disposition))).length;
}
