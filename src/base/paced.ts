import { setImmediate } from "node:timers/promises";

const ITEMS_AT_ONCE = 1000;

/** Yields all items and regularly lets signals and sockets be handled. @throws the signal's reason */
export async function* paced<T>(items: Iterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    if (++count % ITEMS_AT_ONCE > 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
