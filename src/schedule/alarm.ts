import { schedule } from "node-cron";

const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/**
 * Lets node-cron ring at an instant, rounded up to a second. It gets the instant in UTC instead of a job's expression: of
 * that it skips slots at clock changes, and after a jump of the clock it steps through each slot in between. It stays silent
 * if it wakes more than a second late.
 */
export function setAlarm(atMs: number): { rung: AbortSignal } & Disposable {
  const at = new Date(Math.ceil(atMs / 1000) * 1000);
  const time = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()];
  const expression = [...time, at.getUTCDate(), at.getUTCMonth() + 1, "*"].join(" ");
  const rung = new AbortController();
  const task = schedule(expression, () => rung.abort(), { timezone: "UTC", logger: SILENT });
  return { rung: rung.signal, [Symbol.dispose]: () => void task.destroy() };
}

function ignore(): void {}
