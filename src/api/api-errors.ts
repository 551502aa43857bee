import { CalltallyError, EXIT, type ExitCode } from "../base/errors.ts";

/** A request failed: the response is an error, or there was none. */
export class ApiError extends CalltallyError {
  override name = "ApiError";
  /** HTTP status, where there was a response. */
  readonly status: number | undefined;
  /** The service's own identifier of the request, for a support ticket. */
  readonly requestId: string | undefined;
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
    this.transient = details.transient ?? false;
    this.unsent = details.unsent ?? false;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface ApiErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  transient?: boolean;
  unsent?: boolean;
  outcomeUnknown?: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
  hint?: string | undefined;
}

/** The response is not what API v3 promises. The body itself is never part of the message: it may hold personal data. */
export function contractError(message: string, details: ApiErrorDetails = {}): ApiError {
  return new ApiError(EXIT.contract, message, {
    transient: true,
    hint: "Check that CALLTALLY_BASE_URL is the address of the Call Analytics Platform API, without /v3.",
    ...details,
  });
}

/** Returns the same failure in other words, without the retries that its details do not ask for. */
export function reword(
  { exitCode, status, requestId, cause }: ApiError,
  message: string,
  details: ApiErrorDetails = {},
): ApiError {
  return new ApiError(exitCode, message, { status, requestId, cause, ...details });
}

/** Returns the error of a change that may have reached the service, which is not safe to retry. */
export function errorOfChange(error: ApiError): ApiError {
  const { status = 0, message, hint } = error;
  // After a 408 the service may still have worked on what it had received.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (isRefused) return reword(error, message, { hint });
  return reword(error, `${message}; outcome unknown: the change may have been made`, {
    outcomeUnknown: true,
    hint: "Look at its time of update in the service's portal; sending the same change again sets the same values.",
  });
}
