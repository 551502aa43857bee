import type { Dispatcher } from "undici";
import { codeOf, describeError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { proxyStatusOf } from "../service/api/failure.ts";
import { proxyOf } from "../service/api/proxy.ts";
import { openRoute } from "../service/api/route.ts";

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

async function ping(url: URL, log: Log, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  try {
    const proxy = proxyOf(url)?.name;
    const problem = await tryTwice(url, timeoutMs, signal);
    if (problem !== undefined) log.warn({ problem, proxy }, "cannot reach the monitor");
  } catch (error) {
    log.warn({ problem: describeError(error) }, "cannot reach the monitor");
  }
}

/** Tries twice until the signal aborts; without a signal, once. Returns what went wrong. */
async function tryTwice(url: URL, timeoutMs: number, signal?: AbortSignal): Promise<string | undefined> {
  const route = openRoute(url, { connectMs: timeoutMs });
  const attempt = () => {
    const timeout = AbortSignal.timeout(timeoutMs);
    return tryPing(url, route, signal ? AbortSignal.any([timeout, signal]) : timeout);
  };
  try {
    const problem = await attempt();
    return problem !== undefined && signal?.aborted === false ? await attempt() : problem;
  } finally {
    await route.destroy();
  }
}

/** Returns what went wrong, without the address, which is a secret. */
async function tryPing(url: URL, route: Dispatcher, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { origin, pathname, search } = url;
    const { statusCode, body } = await route.request({
      origin,
      path: pathname + search,
      method: "GET",
      signal,
    });
    body.on("error", () => {}).destroy(); // only the status matters
    return statusCode >= 200 && statusCode < 300 ? undefined : `status ${statusCode}`;
  } catch (error) {
    if (error instanceof DOMException) return "no response in time";
    const refusal = proxyStatusOf(error);
    if (refusal !== undefined) return `the proxy returned ${refusal}`;
    return String(codeOf(error) ?? "no response");
  }
}

function withPath(url: URL, path: string): URL {
  const target = new URL(url);
  target.pathname = url.pathname.replace(/\/+$/, "") + path;
  return target;
}
