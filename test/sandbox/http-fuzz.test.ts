import fc from "fast-check";
import { Pool } from "undici";
import { expect, test } from "vitest";
import { z } from "zod";
import { startSandbox } from "../../src/sandbox/server.ts";
import { fetchPage } from "../support/requests.ts";
import { fuzzOperations, sendMade } from "./openapi-requests.ts";

/** Requests to send: 20,000 in `npm run test:soak`. */
const REQUESTS = Number(process.env.CALLTALLY_REQUESTS ?? 400);

/** The body of an error, as the document describes it in words. */
const errorBody = z.strictObject({
  code: z.int(),
  message: z.string().min(1),
  request_id: z.uuid(),
  timestamp: z.iso.datetime({ precision: 3 }),
});

test(`the sandbox responds to ${REQUESTS} requests generated from its OpenAPI document as documented`, async () => {
  await using sandbox = await startSandbox({ calls: 40, insertEvery: 50, deleteEvery: 60 });
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new Pool(sandbox.url, { connections: 2 }), (pool) => pool.destroy());
  const operations = fuzzOperations((path) => ({
    ids: path.includes("webhooks") ? [44, 45] : sandbox.insights.ids,
    token: sandbox.token,
  }));
  const seen = new Map<string, number>();

  await fc.assert(
    fc.asyncProperty(
      fc.oneof(...operations.map(({ request, responses }) => request.map((made) => ({ made, responses })))),
      async ({ made, responses }) => {
        const { operation, isValid, isThere } = made;
        const response = await sendMade(client, made);
        const { statusCode: status } = response;
        const received = await response.body.json();

        expect([...responses.keys()].filter((known) => known !== 500)).toContain(status);
        expect(response.headers["content-type"]).toBe("application/json");
        const schema = responses.get(status) ?? errorBody.extend({ code: z.literal(status) });
        expect(schema.safeParse(received).error).toBeUndefined();
        if (isValid) expect(received).toMatchObject({ code: isThere ? 200 : 404 });
        const end = `${operation} ${status}`;
        seen.set(end, (seen.get(end) ?? 0) + 1);
      },
    ),
    { numRuns: REQUESTS, seed: 15 },
  );

  // Not all of one kind, or it would prove little.
  for (const { name, responses } of operations) {
    for (const status of responses.keys())
      if (status !== 500)
        expect(seen.get(`${name} ${status}`) ?? 0, `${name} ${status}`).toBeGreaterThan(REQUESTS / 400);
  }
  await sandbox.settleDeliveries();
  expect((await fetchPage(sandbox)).total).toBe(sandbox.calls.size);
});
