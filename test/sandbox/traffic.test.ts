import { describe, expect, test } from "vitest";
import { FAULT_KINDS, type FaultKind, type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { fetchPage, fetchRaw, PATH, send } from "../support/services/requests.ts";

const always = (kind: FaultKind) => startSandbox({ calls: 50, faults: [kind], faultRate: 1 });

const WEBHOOK = "/v3/webhooks/44";
const CHANGES = { description: "changed" };

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("the request should have failed"),
    (error: unknown) => error,
  );

describe("churn", () => {
  test("adds a call with every second request, before the response", async () => {
    const now = new Date("2026-11-20T15:00:00.000Z");
    await using sandbox = await startSandbox({ calls: 10, insertEvery: 2, now });

    const pages = [await fetchPage(sandbox), await fetchPage(sandbox), await fetchPage(sandbox)];

    expect(pages.map((page) => page.total)).toEqual([10, 11, 11]);
    expect(pages[1]?.calls.slice(1)).toEqual(pages[0]?.calls);
    expect(pages[1]?.calls[0]?.call_started).toBe(now.toISOString());
  });

  test("removes a call with every third request, down to none", async () => {
    await using sandbox = await startSandbox({ calls: 2, deleteEvery: 3 });

    const totals: number[] = [];
    for (let request = 1; request <= 9; request++) totals.push((await fetchPage(sandbox)).total);

    expect(totals).toEqual([2, 2, 1, 1, 1, 0, 0, 0, 0]);
  });
});

describe("faults", () => {
  test.for([
    ["500", 500, "application/json", '"code":500'],
    ["502", 502, "text/html", "<"],
    ["429", 429, "application/json", '"code":429'],
    ["html", 200, "text/html", "<!doctype html>"],
  ] as const)(
    "%s is a response with status %i of %s, in place of a page or a change",
    async ([kind, ...response]) => {
      const [status, type, text] = response;
      await using sandbox = await always(kind);
      for (const given of [await fetchRaw(sandbox), await patch(sandbox, WEBHOOK, CHANGES)]) {
        expect(given.status).toBe(status);
        expect(given.headers.get("content-type")).toMatch(type);
        expect(given.headers.get("retry-after")).toBe(kind === "429" ? "1" : null);
        expect(await given.text()).toContain(text);
      }
      expect(sandbox.webhooks.get(44)?.description).not.toBe("changed");
      expect(sandbox.requests).toMatchObject([{}, { method: "PATCH", body: CHANGES, status, fault: kind }]);
    },
  );

  test("include a reset, which ends the connection without a response", async () => {
    await using sandbox = await always("reset");
    const error = await rejection(fetchRaw(sandbox));
    expect(error).toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(sandbox.requests).toMatchObject([{ status: 0, fault: "reset" }]);
  });

  test("include a cut, which declares the whole length and sends half of it", async () => {
    await using sandbox = await always("cut");
    await using whole = await startSandbox({ calls: 50 });
    const wholeBytes = (await (await fetchRaw(whole)).arrayBuffer()).byteLength;

    const response = await fetchRaw(sandbox);
    const declaredBytes = Number(response.headers.get("content-length"));
    let receivedBytes = 0;
    const error = await rejection(
      (async () => {
        for await (const chunk of response.body ?? []) receivedBytes += chunk.byteLength;
      })(),
    );

    expect(response.status).toBe(200);
    expect(declaredBytes).toBe(wholeBytes);
    expect(receivedBytes).toBe(wholeBytes >> 1);
    expect(error).toMatchObject({ message: "terminated" });
  });

  test("occur at their rate, of every kind, the same for a seed", async () => {
    const faultsOf = async (seed: number) => {
      await using sandbox = await startSandbox({ calls: 5, faults: FAULT_KINDS, faultRate: 0.4, seed });
      for (let times = 0; times < 150; times++) {
        await fetchRaw(sandbox)
          .then((response) => response.arrayBuffer())
          .catch(() => undefined);
      }
      return sandbox.requests.map((request) => request.fault);
    };

    const faults = await faultsOf(1);

    expect(new Set(faults)).toEqual(new Set([...FAULT_KINDS, undefined]));
    expect(faults.filter(Boolean).length / 150).toBeCloseTo(0.4, 1);
    expect(await faultsOf(1)).toEqual(faults);
    expect(await faultsOf(2)).not.toEqual(faults);
  });
});

describe("faults of a PATCH", () => {
  test("reset comes before the change, and cut after it", async () => {
    await using reset = await always("reset");
    await using cut = await always("cut");

    expect(await rejection(patch(reset, WEBHOOK, CHANGES))).toMatchObject({ cause: { code: "ECONNRESET" } });
    const response = await patch(cut, WEBHOOK, CHANGES);
    expect(await rejection(response.text())).toMatchObject({ message: "terminated" });

    expect(reset.webhooks.get(44)?.description).not.toBe("changed");
    expect(reset.requests).toMatchObject([{ method: "PATCH", body: CHANGES, status: 0, fault: "reset" }]);
    expect(cut.webhooks.get(44)?.description).toBe("changed");
    expect(cut.requests).toMatchObject([{ method: "PATCH", body: CHANGES, status: 200, fault: "cut" }]);
  });
});

test("Sandbox.requests logs the requests of the four operations, with their bodies", async () => {
  await using sandbox = await startSandbox({ calls: 0 });

  await send(sandbox, "GET", "/v3/insights/101");
  await send(sandbox, "PUT", WEBHOOK, { made: ["up"] });
  await patch(sandbox, WEBHOOK, "{", "text/plain");
  await send(sandbox, "DELETE", WEBHOOK);
  await fetchRaw(sandbox, "?limit=0");
  await fetch(`${sandbox.url}/v3/webhooks/46?a=1`, { method: "PATCH" });
  await send(sandbox, "GET", "/v3/webhooks");

  expect(sandbox.requests).toEqual(
    [
      { method: "GET", path: "/v3/insights/101", body: undefined, status: 200 },
      { method: "PUT", path: WEBHOOK, body: { made: ["up"] }, status: 400 },
      { method: "PATCH", path: WEBHOOK, body: "{", status: 400 },
      { method: "DELETE", path: WEBHOOK, body: undefined, status: 405 },
      { method: "GET", path: PATH, body: undefined, status: 400, query: { limit: "0" } },
      { method: "PATCH", path: "/v3/webhooks/46", body: undefined, status: 401, query: { a: "1" } },
    ].map((request) => ({ query: {}, fault: undefined, ...request })),
  );
});

function patch(
  sandbox: Sandbox,
  path: string,
  body: object | string,
  contentType = "application/json",
): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${sandbox.token}`, "content-type": contentType },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
