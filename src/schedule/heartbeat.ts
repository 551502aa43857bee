import { Agent, request } from "undici";
import type { Log } from "../base/log.ts";

/** Time for the only attempt when the process must end soon. */
const LAST_CHANCE_MS = 1500;

interface HeartbeatOptions {
  url: URL | undefined;
  log: Log;
  /** When it aborts, the process must end soon. */
  signal: AbortSignal;
  /** Time for one of two attempts. @default 3000 */
  timeoutMs?: number;
}

/**
 * Pings a monitor of runs, such as Healthchecks, by GET: `<url>/start` before a run, `<url>` after success,
 * `<url>/fail` otherwise. Errors are logged, never thrown.
 */
export function openHeartbeat({ url, log, signal, timeoutMs = 3000 }: HeartbeatOptions) {
  if (url === undefined) return { start: () => {}, end: async () => {} };
  let started: Promise<void> = Promise.resolve();
  return {
    start: () => {
      started = ping(withPath(url, "/start"), log, timeoutMs, signal);
    },
    end: async (isGood: boolean) => {
      await started; // otherwise the end may arrive first
      const target = withPath(url, isGood ? "" : "/fail");
      await (signal.aborted ? ping(target, log, LAST_CHANCE_MS) : ping(target, log, timeoutMs, signal));
    },
  };
}

/** Tries twice until the signal aborts; without a signal, once. */
async function ping(url: URL, log: Log, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const dispatcher = new Agent({ allowH2: false });
  const attempt = () => {
    const timeout = AbortSignal.timeout(timeoutMs);
    return tryPing(url, dispatcher, signal ? AbortSignal.any([timeout, signal]) : timeout);
  };
  try {
    let problem = await attempt();
    if (problem !== undefined && signal?.aborted === false) problem = await attempt();
    if (problem !== undefined) log.warn({ problem }, "cannot reach the monitor");
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns what went wrong, without the address, which is a secret. */
async function tryPing(url: URL, dispatcher: Agent, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal });
    body.on("error", () => {}).destroy(); // only the status matters
    return statusCode >= 200 && statusCode < 300 ? undefined : `status ${statusCode}`;
  } catch (error) {
    if (error instanceof DOMException) return "no response in time";
    return error instanceof Error && "code" in error ? String(error.code) : "no response";
  }
}

function withPath(url: URL, path: string): URL {
  const target = new URL(url);
  target.pathname = url.pathname.replace(/\/+$/, "") + path;
  return target;
}
