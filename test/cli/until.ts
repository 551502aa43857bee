import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something is true, and leaves the processor to the process that makes it so. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}
