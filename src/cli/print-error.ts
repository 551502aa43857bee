import { type CalltallyError, describeError } from "../errors.ts";
import { toCalltallyError } from "../known-error.ts";
import type { Context } from "./context.ts";

/** Prints what was thrown, and the hint below it; returns it as {@link toCalltallyError} does. */
export function printError(
  { complain }: Pick<Context, "complain">,
  thrown: unknown,
  prefix = "",
): CalltallyError {
  const error = toCalltallyError(thrown);
  complain(`${prefix}${describeError(error)}`);
  if (error.hint !== undefined) complain(error.hint);
  return error;
}
