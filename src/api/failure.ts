import type { Dispatcher } from "undici";
import { z } from "zod";
import { describeError, EXIT } from "../base/errors.ts";
import { toDescriptorError } from "../base/file-access.ts";
import { toPrintable } from "../base/printable.ts";
import { ApiError, contractError } from "./api-errors.ts";
import { requestId } from "./response-envelope.ts";
import { parseRetryAfterMs } from "./retry.ts";

export function isTransientStatus(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/** How services word a refusal of too many requests, whatever its status. */
const RATE_LIMIT = /rate[\s_-]*limit|too many requests|throttl/i;

/** Codes of connections that were never made, so nothing reached the service. */
const UNSENT = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Returns the error for a status other than 200 (API v3 § 7), with the body's length, because its text may hold
 * anything; where `isQuoted`, with the service's message.
 * @param status by HTTP, or by the envelope of a response of status 200
 * @param body undefined if it cannot be read
 */
export function errorOfResponse(
  { status, headers }: { status: number; headers: Dispatcher.ResponseData["headers"] },
  body: Buffer | undefined,
  { nowMs, isQuoted, tokenPlace }: { nowMs: number; isQuoted: boolean; tokenPlace: string },
): ApiError {
  const text = body?.toString() ?? "";
  const { requestId, message } = readErrorBody(text);
  const said = isQuoted && message !== undefined ? `: ${message}` : "";
  const described = [
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(body === undefined || said !== "" ? [] : [`${body.length} bytes`]),
  ];
  const named = described.length === 0 ? "" : ` (${described.join(", ")})`;
  const isLimited = status === 403 && RATE_LIMIT.test(text);
  const details = { status: isLimited ? 429 : status, requestId };
  if (status === 401 || (status === 403 && !isLimited)) {
    return new ApiError(EXIT.refused, `The API refused the token, status ${status}${said}${named}`, {
      ...details,
      hint: `Check ${tokenPlace}: it may be mistyped, expired, or of API v2.`,
    });
  }
  if (isTransientStatus(details.status)) {
    const retryAfter = headers["retry-after"];
    const limited = isLimited ? " for its rate limit" : "";
    return new ApiError(EXIT.unreachable, `The API returned ${status}${limited}${said}${named}`, {
      ...details,
      transient: true,
      retryAfterMs: parseRetryAfterMs(retryAfter === undefined ? undefined : String(retryAfter), nowMs),
      hint: "The service is failing or busy: try again later.",
    });
  }
  if (status === 400 || status === 404) {
    return new ApiError(EXIT.contract, `The API returned ${status}${said}${named}`, details);
  }
  const undocumented = `The API returned ${status}, which its documentation does not list`;
  if (isQuoted && status >= 400)
    return new ApiError(EXIT.contract, `${undocumented}${said}${named}`, details);
  return contractError(`${undocumented}${named}`, {
    status,
    requestId,
    transient: status >= 200 && status < 300,
  });
}

export function errorOfConnection(cause: unknown, origin: string, attemptTimeoutMs: number): ApiError {
  const reason = reasonForNoResponse(cause, attemptTimeoutMs);
  const noDescriptor = toDescriptorError(reason);
  if (noDescriptor !== undefined) {
    const { exitCode, message, hint } = noDescriptor;
    return new ApiError(exitCode, message, { unsent: true, hint });
  }
  return new ApiError(EXIT.unreachable, `Cannot reach ${origin}: ${reason}`, {
    transient: true,
    unsent: codesOf(cause).some((code) => UNSENT.has(code)),
    hint: "Check CALLTALLY_BASE_URL and the network, and try again later.",
  });
}

/** The shape of an error body is undocumented: these members are read if they are text. */
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

export function reasonForNoResponse(cause: unknown, attemptTimeoutMs: number): string {
  if (cause instanceof DOMException && cause.name === "TimeoutError") {
    return `no complete response within ${attemptTimeoutMs / 1000} s`;
  }
  // For several addresses, Node wraps the failures in one error without a message.
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join("; ");
  return describeError(cause);
}

function codesOf(cause: unknown): string[] {
  if (cause instanceof AggregateError) return cause.errors.flatMap(codesOf);
  return cause instanceof Error && "code" in cause ? [String(cause.code)] : [];
}
