import { COMMAND_LINE, type Hint, type Words } from "./text/words.ts";

/** Exit codes of the command line; see docs/reference/exit-codes.md. */
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

/** Worst first. An interrupt outranks everything: the rest was not tried. */
const WORST_FIRST: readonly ExitCode[] = [
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
  return WORST_FIRST.find((code) => known.has(code)) ?? EXIT.done;
}

export interface ErrorDetails {
  cause?: unknown;
  /** Whether the message already says what the cause says. @default false */
  isCauseInMessage?: boolean | undefined;
  /** What to do next, printed below the message: no error can be made without it. A function if surfaces say it differently. */
  hint: Hint;
  /** The option at fault, such as `filter.channel`. */
  option?: string | undefined;
}

/** Base class of all expected errors: a message for people, what to do next, and an exit code. */
export class CalltallyError extends Error {
  override name = "CalltallyError";
  readonly exitCode: ExitCode;
  /** What to do next. */
  readonly hint: string;
  /** The option at fault, such as `filter.channel`, where there is one. */
  declare readonly option?: string;
  readonly #hint: Hint;
  readonly #isCauseInMessage: boolean;

  constructor(
    exitCode: ExitCode,
    message: string,
    { cause, isCauseInMessage = false, hint, option }: ErrorDetails,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.#hint = hint;
    this.#isCauseInMessage = isCauseInMessage;
    this.hint = this.hintIn(COMMAND_LINE);
    if (option !== undefined) this.option = option;
  }

  /** @internal Whether the message already says what the cause says. */
  get isCauseInMessage(): boolean {
    return this.#isCauseInMessage;
  }

  /** @internal Returns the hint in the words of a surface. */
  hintIn(words: Words): string {
    return typeof this.#hint === "string" ? this.#hint : this.#hint(words);
  }
}

/** A setting, flag or argument that cannot be used. Nothing was started. */
export class UsageError extends CalltallyError {
  override name = "UsageError";

  constructor(message: string, details: ErrorDetails) {
    super(EXIT.usage, message, details);
  }
}

export class UnmatchedError extends UsageError {
  override name = "UnmatchedError";
  readonly unmatched: readonly { filter: string; text: string; advice: string | undefined }[];

  constructor(unmatched: UnmatchedError["unmatched"], spell: (option: string) => string) {
    const [{ filter, text, advice } = { filter: "", text: "", advice: undefined }] = unmatched;
    super(`Cannot use ${spell(`filter.${filter}`)} ${text}: no call in the warehouse has this value`, {
      hint: `${advice ?? `calltally export ${filter} --stdout lists the existing ones.`} With ${spell("filter.allow_empty")} it is accepted anyway.`,
      option: `filter.${filter}`,
    });
    this.unmatched = unmatched;
  }
}

/** @param problem such as `must be a whole number`; advice after a semicolon replaces the hint */
export function cannotUse(source: string, problem: string, hint: string): UsageError {
  const split = splitAdvice(problem);
  return new UsageError(`Cannot use ${source}: ${split.state}`, { hint: split.advice ?? hint });
}

/** Returns a problem such as `is not a day; write it as 2026-06-30` in its two parts. */
export function splitAdvice(problem: string): { state: string; advice: string | undefined } {
  const [, state = problem, advice] = /^(.*); (.*)$/s.exec(problem) ?? [];
  return { state, advice: advice && advice.charAt(0).toUpperCase() + advice.slice(1) };
}

/** Returns what a parser returns. @throws UsageError that names the source, for any error of the parser */
export function parseFrom<T>(source: string, parse: () => T, hint: string): T {
  try {
    return parse();
  } catch (error) {
    throw cannotUse(source, describeError(error), hint);
  }
}

export class InterruptedError extends CalltallyError {
  override name = "InterruptedError";

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(signal === "SIGINT" ? EXIT.sigint : EXIT.sigterm, `Stopped by ${signal}`, {
      hint: "Run it again; a sync resumes where it stopped.",
    });
  }
}

/** Unwraps the original error if disposing failed, too. (Node 22 has no SuppressedError class.) */
export function firstError(error: unknown): unknown {
  return error instanceof Error && "suppressed" in error ? firstError(error.suppressed) : error;
}

/** Returns the code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

export function describeError(thrown: unknown): string {
  const error = firstError(thrown);
  if (!(error instanceof Error)) return String(error);
  const isSaid = error.cause === undefined || (error instanceof CalltallyError && error.isCauseInMessage);
  const cause = isSaid ? "" : `: ${describeError(error.cause)}`;
  return (error.message || error.name) + cause;
}

/** Returns the message of what a function throws; undefined if it succeeds. */
export function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** Returns undefined if the function throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function describeWithHint(error: CalltallyError, words = COMMAND_LINE): string {
  return `${describeError(error)}\n${error.hintIn(words)}`;
}
