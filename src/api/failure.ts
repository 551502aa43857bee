import type { Dispatcher } from "undici";
import { z } from "zod";
import { describeError, EXIT } from "../errors.ts";
import { toPrintable } from "../printable.ts";
import { ApiError, contractError } from "./api-errors.ts";
import { requestId } from "./response-envelope.ts";
import { parseRetryAfterMs } from "./retry.ts";

/** Whether a status asks for another attempt. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/** Failures of a connection that was never made, so that nothing can have reached the service. */
const UNSENT = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Returns the error for a response whose status is not 200 (API v3 § 7). */
export function errorOfResponse(
  { statusCode: status, headers }: Pick<Dispatcher.ResponseData, "statusCode" | "headers">,
  body: string,
  nowMs: number,
): ApiError {
  const { requestId, message } = readErrorBody(body);
  const said = message === undefined ? "" : `: ${message}`;
  const named = requestId === undefined ? "" : ` (request ${requestId})`;
  const details = { status, requestId, said: message };
  if (status === 401 || status === 403) {
    return new ApiError(EXIT.refused, `The API refused the token, status ${status}${said}${named}`, {
      ...details,
      hint: "Check CALLTALLY_TOKEN_FILE or CALLTALLY_TOKEN: it may be mistyped, expired, or of API v2.",
    });
  }
  if (isTransientStatus(status)) {
    const retryAfter = headers["retry-after"];
    return new ApiError(EXIT.unreachable, `The API returned ${status}${said}${named}`, {
      ...details,
      transient: true,
      retryAfterMs: parseRetryAfterMs(retryAfter === undefined ? undefined : String(retryAfter), nowMs),
      hint: "The service is failing or busy: try again later.",
    });
  }
  if (status === 400 || status === 404) {
    return new ApiError(EXIT.contract, `The API returned ${status}${said}${named}`, details);
  }
  return contractError(`The API returned ${status}, which its documentation does not list${named}`, {
    status,
    requestId,
    transient: status >= 200 && status < 300,
  });
}

/** Returns the error for a request that got no response. */
export function errorOfConnection(cause: unknown, origin: string, attemptTimeoutMs: number): ApiError {
  return new ApiError(
    EXIT.unreachable,
    `Cannot reach ${origin}: ${reasonForNoResponse(cause, attemptTimeoutMs)}`,
    {
      transient: true,
      unsent: codesOf(cause).some((code) => UNSENT.has(code)),
      hint: "Check CALLTALLY_BASE_URL and the network, and try again later.",
    },
  );
}

/** The shape of an error body is not documented: these members are taken where they are text. */
function readErrorBody(body: string): { requestId?: string; message?: string } {
  const oneLine = (value: string) => toPrintable(value.replace(/[\p{Cc}\s]+/gu, " "));
  const schema = z.object({
    request_id: requestId.optional().catch(undefined),
    message: z.string().max(500).transform(oneLine).optional().catch(undefined),
  });
  try {
    const { request_id: requestId, message } = schema.parse(JSON.parse(body));
    return { ...(requestId !== undefined && { requestId }), ...(message !== undefined && { message }) };
  } catch {
    return {};
  }
}

/** Says why there was no response. */
export function reasonForNoResponse(cause: unknown, attemptTimeoutMs: number): string {
  if (cause instanceof DOMException && cause.name === "TimeoutError") {
    return `no complete response within ${attemptTimeoutMs / 1000} s`;
  }
  // Node joins the failures of several addresses in one error without a message of its own.
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join("; ");
  return describeError(cause);
}

function codesOf(cause: unknown): string[] {
  if (cause instanceof AggregateError) return cause.errors.flatMap(codesOf);
  return cause instanceof Error && "code" in cause ? [String(cause.code)] : [];
}
