import { EXIT, type ExitCode, worstCode } from "../base/errors.ts";

/** One thing that the doctor looked at. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  /** What was found, for a person. */
  message: string;
  /** What to do. */
  hint?: string | undefined;
  /** The code it asks the program to end with, 0 for most warnings. */
  exit_code: ExitCode;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message, exit_code: EXIT.done };
}

export function warn(name: string, message: string, hint: string): Check {
  return { name, state: "warn", message, hint, exit_code: EXIT.done };
}

/** What leaves it open whether the figures are complete. */
export function unverified(name: string, message: string, hint: string): Check {
  return { name, state: "warn", message, hint, exit_code: EXIT.unverified };
}

export function fail(exitCode: ExitCode, name: string, message: string, hint?: string): Check {
  return { name, state: "fail", message, hint, exit_code: exitCode };
}

/** Returns the exit code of the worst of the checks. */
export function worstOf(checks: readonly Check[]): ExitCode {
  return worstCode(checks.map((check) => check.exit_code));
}
