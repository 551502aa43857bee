import { CalltallyError, EXIT, type ExitCode } from "../errors.ts";

/** An answer of the service, or the lack of one, that keeps a request from being done. */
export class ApiError extends CalltallyError {
  override name = "ApiError";
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** The service's own identifier of the request, for a support ticket. */
  readonly requestId: string | undefined;
  /** Whether the same request may go better later. */
  readonly transient: boolean;
  /** How long the service asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(exitCode: ExitCode, message: string, details: ApiErrorDetails = {}) {
    super(exitCode, message, details);
    this.status = details.status;
    this.requestId = details.requestId;
    this.transient = details.transient ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface ApiErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  transient?: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
  hint?: string;
}

/** The answer is not what API v3 promises. The body itself is never part of the message: it may hold personal data. */
export function contractError(message: string, details: ApiErrorDetails = {}): ApiError {
  return new ApiError(EXIT.contract, message, {
    transient: true,
    hint: "Check that CALLTALLY_BASE_URL is the address of the Call Analytics Platform API, without /v3.",
    ...details,
  });
}
