import { schedule } from "node-cron";

const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/**
 * Makes node-cron ring at an instant, rounded up to a second. It gets that instant in UTC, not the job's expression: with
 * an expression, it skips slots at clock changes, and steps through every slot after a jump of the clock. It does not ring
 * if it wakes more than a second late.
 */
export function setSlotTimer(atMs: number): { due: AbortSignal } & Disposable {
  const at = new Date(Math.ceil(atMs / 1000) * 1000);
  const time = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()];
  const expression = [...time, at.getUTCDate(), at.getUTCMonth() + 1, "*"].join(" ");
  const due = new AbortController();
  const task = schedule(expression, () => due.abort(), { timezone: "UTC", logger: SILENT });
  return { due: due.signal, [Symbol.dispose]: () => void task.destroy() };
}

function ignore(): void {}
