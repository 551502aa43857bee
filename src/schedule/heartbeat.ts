import { Agent, request } from "undici";
import type { Log } from "../base/log.ts";

/** Time for the only attempt when the process must end soon. */
const HASTE_MS = 1500;

/** Pings a monitor of runs, such as Healthchecks. Errors are logged, never thrown. */
export interface Heartbeat {
  start: () => void;
  end: (isGood: boolean) => Promise<void>;
}

export interface HeartbeatOptions {
  url: URL | undefined;
  log: Log;
  /** When it aborts, the process must end soon. */
  signal: AbortSignal;
  /** Time for one of two attempts. @default 3000 */
  timeoutMs?: number;
}

/** Pings `<url>/start` before a run, `<url>` after success, `<url>/fail` otherwise, by GET. */
export function openHeartbeat({ url, log, signal, timeoutMs = 3000 }: HeartbeatOptions): Heartbeat {
  if (url === undefined) return { start: () => undefined, end: async () => undefined };
  let started: Promise<void> = Promise.resolve();
  return {
    start: () => {
      started = ping(withPath(url, "/start"), log, { attempts: 2, timeoutMs, signal });
    },
    end: async (isGood) => {
      await started; // else the monitor may hear of the end first
      const haste = signal.aborted
        ? { attempts: 1, timeoutMs: HASTE_MS }
        : { attempts: 2, timeoutMs, signal };
      await ping(withPath(url, isGood ? "" : "/fail"), log, haste);
    },
  };
}

interface PingOptions {
  attempts: number;
  timeoutMs: number;
  signal?: AbortSignal;
}

async function ping(url: URL, log: Log, { attempts, timeoutMs, signal }: PingOptions): Promise<void> {
  const dispatcher = new Agent({ allowH2: false });
  try {
    for (let attempt = 1; ; attempt++) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const problem = await tryPing(url, dispatcher, signal ? AbortSignal.any([timeout, signal]) : timeout);
      if (problem === undefined) return;
      if (attempt < attempts && !signal?.aborted) continue;
      log.warn({ problem }, "cannot reach the monitor");
      return;
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns what went wrong, without the address, which is a secret. */
async function tryPing(url: URL, dispatcher: Agent, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal });
    body.on("error", () => {}).destroy(); // the status says it all
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
