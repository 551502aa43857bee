import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { attempt } from "../base/errors.ts";

/** Enough for 100 GB from a disk that reads 170 MB a second. A sync that ends earlier waits for the check. */
export const LONGEST_CHECK_MS = 10 * 60_000;

/** What the process of a check sends: the damage that it found, null for none, or what kept it from checking. */
export type CheckReply = { damage: string | null } | { problem: string };

/**
 * A check of a large file in a process of its own, at the lowest priority, while a sync reads pages: SQLite would block
 * this one. Disposing stops it.
 */
export class LaterCheck implements Disposable {
  readonly #database: string;
  readonly #longestMs: number;
  #child: ChildProcess | undefined;
  #reply: Promise<CheckReply | undefined> | undefined;

  constructor(database: string, longestMs = LONGEST_CHECK_MS) {
    this.#database = database;
    this.#longestMs = longestMs;
  }

  start(): void {
    const script = import.meta.url.endsWith(".ts") ? "./check-child.ts" : "./check-child.js";
    const io = ["ignore", "ignore", "ignore", "ipc"] as const;
    // Node may throw, e.g. without memory for another process; the next sync tries again.
    const start = () =>
      fork(new URL(script, import.meta.url), [this.#database], { execArgv: [], stdio: [...io] });
    this.#child = attempt(start);
    this.#reply = this.#child && replyOf(this.#child, AbortSignal.timeout(this.#longestMs));
  }

  /** Returns undefined if it was not started, was stopped, or took too long. */
  async end(signal: AbortSignal | undefined): Promise<CheckReply | undefined> {
    const stop = () => this[Symbol.dispose]();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    return await this.#reply?.finally(() => signal?.removeEventListener("abort", stop));
  }

  [Symbol.dispose](): void {
    this.#child?.kill("SIGKILL");
  }
}

/** Never rejects: a process that cannot be started, e.g. for lack of memory, does not reply. */
async function replyOf(child: ChildProcess, late: AbortSignal): Promise<CheckReply | undefined> {
  const ended = new AbortController();
  const signal = AbortSignal.any([late, ended.signal]);
  try {
    const replied: Promise<CheckReply[]> = once(child, "message", { signal });
    const [reply] = await Promise.race([replied, once(child, "exit", { signal }).then(() => [])]);
    return reply;
  } catch {
    return undefined;
  } finally {
    ended.abort();
    child.kill("SIGKILL");
  }
}
