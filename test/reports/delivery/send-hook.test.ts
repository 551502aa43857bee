import { describe, expect, it } from "vitest";
import { withEnoughTime } from "../../support/enough-time.ts";
import {
  drip,
  ENDLESS,
  json,
  reset,
  stall,
  startServer,
  startTlsServer,
  text,
} from "../../support/services/server.ts";
import { hookTo, makeRun, send } from "./report.ts";

describe("deliver by web hook", () => {
  it("posts JSON once, and records the host and no secret in the ledger", async () => {
    using run = makeRun();
    await using server = await startServer(json({}));
    await send(run, [hookTo(server.url)]);
    expect(await send(run, [hookTo(server.url)])).toEqual([
      {
        channel: "webhook",
        recipient: expect.stringMatching(/^127\.0\.0\.1:\d+ #[0-9a-f]{8}$/),
        status: "delivered",
        attempts: 1,
        last_error: null,
      },
    ]);
    expect(server.requests).toMatchObject([
      { method: "POST", url: "/T0/SECRET-HOOK-17", headers: { "content-type": "application/json" } },
    ]);
    expect(JSON.stringify(run.warehouse.sqlite.prepare("SELECT * FROM deliveries").all())).not.toContain(
      "SECRET",
    );
  });

  it.each([
    [204, "delivered", null],
    [299, "delivered", null],
    [300, "failed", expect.stringMatching(/returned 300: at \[secret\]$/)],
    [302, "failed", expect.any(String)],
    [499, "failed", expect.any(String)],
  ])("judges the status %i as %s, and follows no redirect", async (code, status, last_error) => {
    using run = makeRun();
    const body = code === 204 ? "" : "at /T0/SECRET-HOOK-17";
    await using server = await startServer(text(body, code, { location: "/elsewhere" }));
    expect(await send(run, [hookTo(server.url)])).toMatchObject([{ status, attempts: 1, last_error }]);
    expect(server.requests).toHaveLength(1);
  });

  it("masks each part of its address in a quoted refusal, and reads only the beginning", async () => {
    using run = makeRun();
    await using server = await startServer((_request, response) => {
      response.writeHead(404).write(`SECRET-HOOK-17 SECRET-KEY-18 abc ${"x".repeat(3000)}`);
    });
    const url = new URL("/T0/SECRET-HOOK-17?key=SECRET-KEY-18&n=abc", server.url);
    expect(await send(run, [{ channel: "webhook", url }])).toMatchObject([
      { status: "failed", last_error: expect.stringMatching(/returned 404: \[secret\] \[secret\] abc x+$/) },
    ]);
  });

  it("fails immediately if the certificate is not trusted", async () => {
    using run = makeRun();
    await using server = await startTlsServer("localhost");
    const url = new URL(`https://localhost:${server.url.port}/T0/SECRET-HOOK-17`);
    const last_error = expect.stringMatching(/^Cannot reach localhost:\d+: .*self-signed/);
    expect(await send(run, [{ channel: "webhook", url }])).toMatchObject([
      { status: "failed", attempts: 1, last_error },
    ]);
  });

  it.each([
    { title: "the connection is lost", answer: reset, says: /after sending/ },
    { title: "nothing arrives", answer: stall, says: /after sending: no complete response within [\d.]+ s/ },
  ])("records an unknown outcome when $title, and does not repeat the delivery", async ({ answer, says }) => {
    const unknown = { status: "outcome unknown", attempts: 1, last_error: expect.stringMatching(says) };
    await withEnoughTime(50, async (timeoutMs) => {
      using run = makeRun();
      await using server = await startServer(answer);
      for (const _ of [1, 2]) {
        const [result] = await send(run, [hookTo(server.url, { timeoutMs })]);
        // The first attempt, or each, did not connect in time.
        if (result?.attempts !== 1 && server.requests.length <= 1) return undefined;
        expect(result).toMatchObject(unknown);
      }
      if (server.requests.length === 0) return undefined; // it read nothing in time
      expect(server.requests).toHaveLength(1);
      return server;
    });
  });

  it("accepts the status, whatever happens to the body", async () => {
    using run = makeRun();
    await using server = await startServer(drip(ENDLESS, 100));
    expect(await send(run, [hookTo(server.url, { timeoutMs: 600_000 })])).toMatchObject([
      { status: "delivered" },
    ]);
  });
});
