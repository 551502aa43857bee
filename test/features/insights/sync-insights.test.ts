import { expect, it } from "vitest";
import { insights } from "../../../src/features/insights/insights.ts";
import { syncInsights } from "../../../src/features/insights/sync-insights.ts";
import { type Answer, json, startServer } from "../../support/services/server.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

/** Has the insights 1 to 9; of another status, it has its own message and hint. */
const service: Answer = (request, response) => {
  const id = Number(request.url.split("/").at(-1));
  const status = id < 10 ? 200 : id < 20 ? 404 : id < 30 ? 400 : 401;
  const data = { insight_id: id, insight_name: `Insight ${id}` };
  return json({ code: status, message: `About ${id}`, data, request_id: `r-${id}` }, status)(
    request,
    response,
  );
};

async function sync(ids: readonly number[]) {
  await using server = await startServer(service);
  using warehouse = newWarehouse();
  const api = { baseUrl: server.url, token: "secret-token-4711", random: () => 0 };
  const updates: unknown[] = [];
  let error: unknown;
  try {
    const { signal } = new AbortController();
    for await (const update of syncInsights(warehouse.path, api, ids, signal)) updates.push(update);
  } catch (thrown) {
    error = thrown;
  }
  const stored = warehouse.db
    .select({ id: insights.insight_id, at: insights.fetched_at })
    .from(insights)
    .all();
  return { updates, error, stored, requested: server.requests.map(({ url }) => url) };
}

it("syncInsights fetches each insight once, and stores when", async () => {
  const { updates, error, stored, requested } = await sync([3, 4, 3]);
  expect(error).toBeUndefined();
  expect(updates).toEqual(
    [3, 4].map((id) => ({ insight_id: id, insight_name: `Insight ${id}`, changes: undefined })),
  );
  expect(stored).toEqual([3, 4].map((id) => ({ id, at: expect.stringMatching(/^\d{4}-.*T.*Z$/) })));
  expect(requested).toEqual(["/v3/insights/3", "/v3/insights/4"]);
});

it("syncInsights stores the others, and names the insights that the service lacks, with each hint once", async () => {
  const { error, stored } = await sync([11, 5, 21, 12]);
  expect(stored).toMatchObject([{ id: 5 }]);
  const reason = (id: number, status: number) =>
    `${id}: The API returned ${status}: About ${id} (request r-${id})`;
  expect(error).toMatchObject({
    exitCode: 8,
    message: `Cannot read 3 insights: ${reason(11, 404)}; ${reason(21, 400)}; ${reason(12, 404)}`,
    hint: "The service has no insight with this id: leave it out, or look up the id in the service's portal. Correct what the service names; its portal shows the ids of insights.",
  });
  const { error: one } = await sync([13, 6]);
  expect(one).toMatchObject({
    message: "Cannot read insight 13: The API returned 404: About 13 (request r-13)",
    hint: "The service has no insight with this id: leave it out, or look up the id in the service's portal.",
  });
});

it("syncInsights ends at an insight for which the token is refused", async () => {
  const { error, stored, requested } = await sync([7, 31, 8]);
  expect(error).toMatchObject({ exitCode: 4, status: 401 });
  expect(stored).toMatchObject([{ id: 7 }]);
  expect(requested).toEqual(["/v3/insights/7", "/v3/insights/31"]);
});
