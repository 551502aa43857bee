import { EXIT, type ExitCode, worstCode } from "../../base/errors.ts";
import { toCalltallyError } from "../../base/known-error.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  hint?: string | undefined;
  /** 0 for most warnings. */
  exit_code: ExitCode;
}

/** A check of what a sync leaves; only a sync mends it. */
export interface SyncedCheck extends Check {
  needsSync: true;
}

export function needingSync(check: Check): SyncedCheck {
  return { ...check, needsSync: true };
}

/** Leaves out the advice to sync where no sync can succeed. */
export function adviseOnSync(check: Check | SyncedCheck, canSync: boolean): Check {
  if (!("needsSync" in check)) return check;
  const { needsSync: _, hint, ...rest } = check;
  return canSync ? { ...rest, hint } : rest;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message, exit_code: EXIT.done };
}

export function warn(name: string, message: string, hint: string): Check {
  return { name, state: "warn", message, hint, exit_code: EXIT.done };
}

/** A warning that the figures may be incomplete. */
export function unverified(name: string, message: string, hint: string): Check {
  return { name, state: "warn", message, hint, exit_code: EXIT.unverified };
}

export function fail(exitCode: ExitCode, name: string, message: string, hint: string): Check {
  return { name, state: "fail", message, hint, exit_code: exitCode };
}

/** Returns the failed check of what has thrown this. */
export function failBy(thrown: unknown, name: string): Check {
  const { exitCode, message, hint } = toCalltallyError(thrown);
  return fail(exitCode, name, message, hint);
}

/** Returns the exit code of the worst check. */
export function worstOf(checks: readonly Check[]): ExitCode {
  return worstCode(checks.map((check) => check.exit_code));
}
