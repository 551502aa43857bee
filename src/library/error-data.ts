import { CalltallyError, type ExitCode, firstError } from "../base/errors.ts";
import { toFileError } from "../base/file-access.ts";
import { LIBRARY } from "./words.ts";

/** An error that can be cloned, with its hint in the words of the library. */
export interface ErrorData {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: unknown;
  cause?: ErrorData | undefined;
  expected?: { exitCode: ExitCode; hint: string; option?: string | undefined };
}

export function toData(thrown: unknown): ErrorData {
  const error = firstError(thrown);
  // The error of a file has that of the system as its cause, which stays as it is.
  return toDataAsIs(toFileError(error) ?? error);
}

function toDataAsIs(thrown: unknown): ErrorData {
  const error = firstError(thrown);
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  return {
    ...{ name, message, stack },
    ...("code" in error && { code: error.code }),
    ...(error.cause !== undefined && { cause: toDataAsIs(error.cause) }),
    ...(error instanceof CalltallyError && {
      expected: { exitCode: error.exitCode, hint: error.hintIn(LIBRARY), option: error.option },
    }),
  };
}

export function toError({ name, message, stack, code, cause, expected }: ErrorData): Error {
  const options = cause === undefined ? {} : { cause: toError(cause) };
  const error = expected
    ? new CalltallyError(expected.exitCode, message, { ...expected, ...options })
    : new Error(message, options);
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
