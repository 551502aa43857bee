import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { withEnoughTime } from "../support/enough-time.ts";
import { send } from "../support/requests.ts";
import { startTlsServer } from "../support/server.ts";

/** Events to send: 2,000 in `npm run test:soak`. */
const EVENTS = Number(process.env.CALLTALLY_EVENTS ?? 100);
/** Enough for a response, unless the machine is busy. */
const TIMEOUT_MS = 3000;
const SLOW_MS = 40;
const MAX_AT_ONCE = 4;
/** Fewer than the sandbox queues: more would be dropped. */
const MAX_BEHIND = 500;

const write = (text: string) => (response: ServerResponse) => response.socket?.write(text);

/** The behaviour of receivers, and whether the event then counts as delivered. */
const BEHAVIOURS: readonly { answer: (response: ServerResponse) => unknown; isDelivered: boolean }[] = [
  { answer: (response) => response.end(), isDelivered: true },
  { answer: (response) => response.writeHead(204).end(), isDelivered: true },
  { answer: (response) => setTimeout(() => response.end("late"), SLOW_MS), isDelivered: true },
  { answer: (response) => response.writeHead(500).end("busy"), isDelivered: false },
  { answer: (response) => response.writeHead(302, { location: "/elsewhere" }).end(), isDelivered: false },
  { answer: (response) => response.socket?.destroy(), isDelivered: false },
  { answer: () => {}, isDelivered: false },
  {
    answer: write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    isDelivered: false,
  },
  { answer: write("HTTP/1.1 103 Early Hints\r\n\r\n"), isDelivered: false },
];

const rounds = fc.array(
  fc.record({
    burst: fc.integer({ min: 1, max: 30 }),
    whilePaused: fc.integer({ min: 0, max: 10 }),
    awaitedBeforePause: fc.integer({ min: 0, max: 6 }),
    method: fc.constantFrom("POST", "PUT", "PATCH", "DELETE"),
  }),
  { minLength: EVENTS, maxLength: EVENTS },
);

test(`each of ${EVENTS} events is delivered once or reported, whatever receivers do, and none is sent during a pause`, async () => {
  await withEnoughTime(TIMEOUT_MS, async (timeoutMs) => (await storm(timeoutMs)) || undefined);
});

/** Returns whether most events with a good response arrived within the timeout. */
async function storm(deliveryTimeoutMs: number): Promise<boolean> {
  const received: number[] = [];
  await using receiver = await startTlsServer("localhost", ({ url, body }, response) => {
    expect(url).toBe("/in");
    const { call_id } = JSON.parse(String(body));
    received.push(call_id);
    behaviourOf(call_id).answer(response);
  });
  await using sandbox = await startSandbox({ calls: 0, deliveryTimeoutMs });
  sandbox.webhooks.edit(45, { webhook_status: "deleted" });
  const patch = (changes: object) => send(sandbox, "PATCH", "/v3/webhooks/44", changes);
  await patch({ webhook_endpoint: `${receiver.url}in` });
  const called: number[] = [];
  const call = (times: number) => {
    for (let time = 0; time < times && called.length < EVENTS; time++) called.push(sandbox.calls.insert());
  };
  let heldAtLeastOnce = 0;

  const [plan = []] = fc.sample(rounds, { numRuns: 1, seed: 15 });
  for (const { burst, whilePaused, awaitedBeforePause, method } of plan) {
    if (called.length === EVENTS) break;
    if (called.length - sandbox.deliveries.length > MAX_BEHIND) await sandbox.settleDeliveries();
    const before = received.length;
    call(burst);
    while (received.length < before + Math.min(awaitedBeforePause, burst, MAX_AT_ONCE)) {
      if (sandbox.deliveries.length === called.length) break;
      await new Promise(setImmediate);
    }
    await patch({ webhook_status: "inactive" });
    const atPause = received.length;
    call(whilePaused);
    await sandbox.settleDeliveries();
    // The events that were sent.
    expect(received.length - atPause).toBeLessThanOrEqual(MAX_AT_ONCE);
    if (sandbox.deliveries.length < called.length) heldAtLeastOnce++;

    const inPause = received.length;
    await patch({ method });
    await sandbox.settleDeliveries();
    expect(received).toHaveLength(inPause);
    await patch({ webhook_status: "active" });
  }
  await sandbox.settleDeliveries();

  expect(called).toHaveLength(EVENTS);
  expect(heldAtLeastOnce).toBeGreaterThan(2);
  expect(sandbox.deliveries.map(({ call_id }) => call_id).toSorted()).toEqual(called.toSorted());
  expect(new Set(received).size).toBe(received.length);
  const delivered = sandbox.deliveries.filter(({ outcome }) => outcome === "delivered");
  expect(new Set(received)).toEqual(new Set([...received, ...delivered.map(({ call_id }) => call_id)]));
  expect(delivered.filter(({ call_id }) => !behaviourOf(Number(call_id)).isDelivered)).toEqual([]);
  const answered = called.filter((id) => behaviourOf(id).isDelivered);
  expect(sandbox.deliveries.filter(({ outcome }) => outcome === "dropped")).toEqual([]);
  return delivered.length > answered.length * 0.8;
}

function behaviourOf(callId: number) {
  return BEHAVIOURS[callId % BEHAVIOURS.length] ?? { answer: () => {}, isDelivered: false };
}
