import { CalltallyError, describeError, EXIT, type ExitCode } from "../errors.ts";

/** A request failed: the response is an error, or there was none. */
export class ApiError extends CalltallyError {
  override name = "ApiError";
  /** HTTP status, where there was a response. */
  readonly status: number | undefined;
  /** The service's own identifier of the request, for a support ticket. */
  readonly requestId: string | undefined;
  /** The service's own words, which are part of the message; they may hold anything, so logs leave them out. */
  readonly said: string | undefined;
  /** Whether the same request may go better later. */
  readonly transient: boolean;
  /** Whether it is certain that nothing reached the service. */
  readonly unsent: boolean;
  /** Whether a change may have been made all the same. */
  readonly outcomeUnknown: boolean;
  /** How long the service asked for a pause, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(exitCode: ExitCode, message: string, details: ApiErrorDetails = {}) {
    super(exitCode, message, details);
    this.status = details.status;
    this.requestId = details.requestId;
    this.said = details.said;
    this.transient = details.transient ?? false;
    this.unsent = details.unsent ?? false;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface ApiErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  said?: string | undefined;
  transient?: boolean;
  unsent?: boolean;
  outcomeUnknown?: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
  hint?: string;
}

/** Returns the message of an error in our own words alone: the service's may hold anything. */
export function describeInOwnWords(error: CalltallyError): string {
  const message = describeError(error);
  return error instanceof ApiError && error.said ? message.replace(`: ${error.said}`, "") : message;
}

/** The response is not what API v3 promises. The body itself is never part of the message: it may hold personal data. */
export function contractError(message: string, details: ApiErrorDetails = {}): ApiError {
  return new ApiError(EXIT.contract, message, {
    transient: true,
    hint: "Check that CALLTALLY_BASE_URL is the address of the Call Analytics Platform API, without /v3.",
    ...details,
  });
}

/** The error of a change whose response was lost, or does not tell whether it was made. Not safe to retry. */
export function unknownOutcome(error: ApiError): ApiError {
  const { status, requestId, said } = error;
  // The service turned these away before it did anything.
  if (status === 425 || status === 429)
    return new ApiError(error.exitCode, error.message, { status, requestId, said });
  return new ApiError(error.exitCode, `${error.message}; outcome unknown: the change may have been made`, {
    status,
    requestId,
    said,
    outcomeUnknown: true,
    hint: "Look at its time of update in the service's portal; sending the same change again sets the same values.",
  });
}
