import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { Host, type Line } from "../../src/library/remote-call.ts";

const ENOUGH = new Error("enough");

/** Replies to the first `next`; its signal aborts in the turn in which the reply arrives. */
class AbortedAtReply extends Host<{ count: (signal: AbortSignal, args: number) => AsyncGenerator<number> }> {
  readonly closed = new AbortController().signal;
  readonly stop = new AbortController();

  protected open(request: { args: unknown }): Line {
    const { port1: near, port2: far } = new MessageChannel();
    far.once("message", () => far.postMessage({ done: false, value: request.args }));
    return {
      reply: (options) => {
        const reply = once(near, "message", options).then(([message]) => message);
        near.once("message", () => this.stop.abort(ENOUGH));
        return reply;
      },
      post: (message) => near.postMessage(message),
      ref: () => near.ref(),
      unref: () => near.unref(),
      close: () => near.close(),
      ended: new AbortController().signal,
    };
  }
}

describe("a call", () => {
  it.each([
    { isWriting: false, result: { status: "rejected", reason: ENOUGH } },
    { isWriting: true, result: { status: "fulfilled", value: { done: false, value: 7 } } },
  ])(
    "that is aborted as its reply arrives keeps the reply if it writes: $isWriting",
    async ({ isWriting, result }) => {
      const host = new AbortedAtReply();
      const call = host.run("count", 7, { signal: host.stop.signal, isWriting });
      expect(await Promise.allSettled([call.next()])).toEqual([result]);
      await call.return(undefined);
    },
  );
});
