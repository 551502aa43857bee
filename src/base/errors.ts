/** Exit codes of the command line; docs/reference/exit-codes.md explains each to the operator. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unverified: 3,
  refused: 4,
  unreachable: 5,
  locked: 6,
  storage: 7,
  contract: 8,
  undelivered: 9,
  sigint: 130,
  sigterm: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** From the worst on. A stop is above all of it: the rest was not even tried. */
const GRAVITY: readonly ExitCode[] = [
  EXIT.sigint,
  EXIT.sigterm,
  EXIT.storage,
  EXIT.usage,
  EXIT.refused,
  EXIT.contract,
  EXIT.unreachable,
  EXIT.undelivered,
  EXIT.failed,
  EXIT.locked,
  EXIT.unverified,
];

export function worstCode(codes: Iterable<ExitCode>): ExitCode {
  const known = new Set(codes);
  return GRAVITY.find((code) => known.has(code)) ?? EXIT.done;
}

/** Base of every error that calltally expects: one sentence for a person, and the exit code it ends with. */
export class CalltallyError extends Error {
  override name = "CalltallyError";
  readonly exitCode: ExitCode;
  /** What to do next, shown below the message. */
  readonly hint: string | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: { cause?: unknown; hint?: string | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}

/** A setting, flag or argument that cannot be used; nothing was started. */
export class UsageError extends CalltallyError {
  override name = "UsageError";

  constructor(message: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super(EXIT.usage, message, options);
  }
}

export class UnmatchedError extends UsageError {
  override name = "UnmatchedError";
  /** The filter, the value, and a question whether values that calls have were meant. */
  readonly unmatched: readonly { filter: string; text: string; advice: string | undefined }[];

  constructor(unmatched: UnmatchedError["unmatched"], spell: (option: string) => string) {
    const [{ filter, text, advice } = { filter: "", text: "", advice: undefined }] = unmatched;
    super(`Cannot use ${spell(`filter.${filter}`)} ${text}: no call in the warehouse has this value`, {
      hint: `${advice ?? `calltally export ${filter} --stdout shows those there are.`} With ${spell("filter.allow_empty")} it is accepted.`,
    });
    this.unmatched = unmatched;
  }
}

/** @param problem such as `must be a whole number`; after a semicolon the advice, which takes precedence over the hint */
export function cannotUse(source: string, problem: string, hint?: string): UsageError {
  const [, state = problem, advice] = /^(.*); (.*)$/s.exec(problem) ?? [];
  const shown = advice === undefined ? hint : advice.charAt(0).toUpperCase() + advice.slice(1);
  return new UsageError(`Cannot use ${source}: ${state}`, { hint: shown });
}

export class InterruptedError extends CalltallyError {
  override name = "InterruptedError";

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(signal === "SIGINT" ? EXIT.sigint : EXIT.sigterm, `Stopped by ${signal}`);
  }
}

/** Returns the error that came first, if disposing failed, too. (Node 22 has no SuppressedError class.) */
export function firstError(error: unknown): unknown {
  return error instanceof Error && "suppressed" in error ? firstError(error.suppressed) : error;
}

export function describeError(thrown: unknown): string {
  const error = firstError(thrown);
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `: ${describeError(error.cause)}`;
  return (error.message || error.name) + cause;
}

export function describeWithHint(error: CalltallyError): string {
  return [describeError(error), ...(error.hint === undefined ? [] : [error.hint])].join("\n");
}
