import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { fetchPage, send } from "../support/services/requests.ts";

test("GET /_sandbox/state shows webhooks, insights, deliveries and requests, without a token", async () => {
  await using sandbox = await startSandbox({ calls: 2 });
  await fetchPage(sandbox, "?limit=1");
  await send(sandbox, "PATCH", "/v3/webhooks/45", { webhook_status: "active" });
  sandbox.calls.insert();

  const response = await fetch(`${sandbox.url}/_sandbox/state`);

  expect(response.status).toBe(200);
  const { webhooks, insights, deliveries, requests } = sandbox;
  const state = {
    webhooks: webhooks.ids.map((id) => webhooks.get(id)),
    insights: insights.ids.map((id) => insights.get(id)),
    deliveries,
    requests,
  };
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(state)));
  expect(state.requests.map(({ method }) => method)).toEqual(["GET", "PATCH"]);
  expect(state.deliveries.map(({ webhook_id }) => webhook_id)).toEqual([44, 45]);
});

test("POST and PATCH /_sandbox/calls create and edit calls, only with the token", async () => {
  await using sandbox = await startSandbox({ calls: 2 });
  const made = await send(sandbox, "POST", "/_sandbox/calls", { insight_name: "Made", dni_data: null });
  const id = Number(JSON.stringify(made.data).match(/\d+/)?.[0]);

  expect(made).toMatchObject({ status: 200, data: { call_id: id } });
  expect(sandbox.calls.get(id)).toMatchObject({ call_id: id, insight_name: "Made", dni_data: null });
  expect((await fetchPage(sandbox)).total).toBe(2);
  const edited = await send(sandbox, "PATCH", `/_sandbox/calls/${id}`, { dni_data: { gclid: "x" } });
  expect(edited).toMatchObject({ status: 200, data: { call_id: id } });
  expect((await fetchPage(sandbox)).calls[0]).toMatchObject({ call_id: id, dni_data: { gclid: "x" } });
  expect((await send(sandbox, "POST", "/_sandbox/calls")).status).toBe(200);

  expect((await send(sandbox, "PATCH", "/_sandbox/calls/1", {})).status).toBe(404);
  expect((await send(sandbox, "PATCH", "/_sandbox/calls/x", {})).status).toBe(404);
  expect((await send(sandbox, "PATCH", `/_sandbox/calls/${id}`, [])).status).toBe(400);
  expect((await send(sandbox, "POST", "/_sandbox/calls", "x")).status).toBe(400);
  expect((await fetch(`${sandbox.url}/_sandbox/calls`, { method: "POST" })).status).toBe(401);
  expect(sandbox.calls.size).toBe(4);
});

test("GET /_sandbox/jobs.csv returns the same job for a call each time, dated between the call and now", async () => {
  const now = new Date("2026-10-31T23:00:00Z");
  await using sandbox = await startSandbox({ calls: 200, now });
  const readJobs = async () => {
    const response = await fetch(`${sandbox.url}/_sandbox/jobs.csv`);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [header, ...jobs] = (await response.text()).trimEnd().split("\n");
    expect(header).toBe("job_id,call_id,date,stage,amount,currency");
    return jobs;
  };
  const jobs = await readJobs();
  expect(jobs.length).toBeGreaterThan(30);
  for (const job of jobs) {
    const [, id, date = "", stage, amount = ""] = job.split(",");
    const { call_started } = sandbox.calls.get(Number(id)) ?? {};
    expect(date >= String(call_started) && date <= now.toISOString(), job).toBe(true);
    expect([stage, amount !== ""]).toEqual(amount === "" ? ["booked", false] : ["sold", true]);
  }
  sandbox.calls.insert();
  sandbox.calls.remove(Number(jobs[0]?.split(",")[1]));
  expect((await readJobs()).filter((job) => jobs.includes(job))).toEqual(jobs.slice(1));
});
