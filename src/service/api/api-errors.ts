import { CalltallyError, type ErrorDetails, EXIT, type ExitCode } from "../../base/errors.ts";
import type { Hint } from "../../base/text/words.ts";

/** A failed request: an error response, or no response. */
export class ApiError extends CalltallyError {
  override name = "ApiError";
  readonly status: number | undefined;
  /** The service's id of the request, for a support needs. */
  readonly requestId: string | undefined;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;
  /** Whether it is certain that nothing reached the service. */
  readonly unsent: boolean;
  /** Whether the change may have been made despite the error. */
  readonly outcomeUnknown: boolean;
  /** The pause that the service asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(exitCode: ExitCode, message: string, details: ApiErrorDetails) {
    super(exitCode, message, details);
    this.status = details.status;
    this.requestId = details.requestId;
    this.transient = details.transient ?? false;
    this.unsent = details.unsent ?? false;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface ApiErrorDetails extends ErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  transient?: boolean;
  unsent?: boolean;
  outcomeUnknown?: boolean;
  retryAfterMs?: number | undefined;
}

export const CHECK_ADDRESS: Hint = ({ baseUrl }) =>
  `Check that ${baseUrl} is the address of the Call Analytics Platform API, without /v3.`;

/** For responses that break API v3. The message never contains the body, which may hold personal data. */
export function contractError(message: string, details: Partial<ApiErrorDetails> = {}): ApiError {
  return new ApiError(EXIT.contract, message, {
    transient: true,
    hint: CHECK_ADDRESS,
    ...details,
  });
}

/** Returns the same failure in other words, without the retry members of its details. */
export function reword(
  { exitCode, status, requestId, cause, isCauseInMessage }: ApiError,
  message: string,
  details: ApiErrorDetails,
): ApiError {
  return new ApiError(exitCode, message, { status, requestId, cause, isCauseInMessage, ...details });
}

/** Returns the error of a change that may have reached the service, and must not be retried. */
export function errorOfChange(error: ApiError): ApiError {
  const { status = 0, message } = error;
  const hint: Hint = (words) => error.hintIn(words);
  // After a 408 the service may still have processed what it had received.
  const isRefused = status >= 400 && status < 500 && status !== 408;
  if (isRefused) return reword(error, message, { hint });
  return reword(error, `${message}; outcome unknown: the change may have been made`, {
    outcomeUnknown: true,
    hint: "Look at its time of update in the service's portal; sending the same change again sets the same values.",
  });
}
