import type { Dispatcher } from "undici";
import { z } from "zod";
import { describeError, EXIT } from "../../base/errors.ts";
import { toDescriptorError } from "../../base/file-access.ts";
import { personalKind } from "../../base/text/personal-text.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { ApiError, CHECK_ADDRESS, contractError } from "./api-errors.ts";
import { requestId } from "./response-envelope.ts";
import { parseRetryAfterMs } from "./retry.ts";
import { adviseOnRoute, nameRoute } from "./route.ts";

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
  "UND_ERR_PRX_CONN",
]);

/** What to do about a request that the service refuses, by status. */
export type RefusedHints = Readonly<Partial<Record<400 | 404, string>>>;

interface RequestContext {
  nowMs: number;
  isQuoted: boolean;
  tokenPlace: string;
  refusedHints: RefusedHints;
}

/**
 * Returns the error for a status other than 200 (API v3 § 7). Where `isQuoted`, it quotes the service's message, unless
 * that looks personal; otherwise only the length of the body is shown, because its text may be anything.
 * @param status by HTTP, or by the envelope of a response of status 200
 * @param body undefined if it cannot be read
 */
export function errorOfResponse(
  { status, headers }: { status: number; headers: Dispatcher.ResponseData["headers"] },
  body: Buffer | undefined,
  { nowMs, isQuoted, tokenPlace, refusedHints }: RequestContext,
): ApiError {
  const text = body?.toString() ?? "";
  const { requestId, message } = readErrorBody(text);
  const quote =
    isQuoted && message !== undefined && personalKind(message) === undefined ? `: ${message}` : "";
  const described = [
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(body === undefined || quote !== "" ? [] : [`${body.length} bytes`]),
  ];
  const named = described.length === 0 ? "" : ` (${described.join(", ")})`;
  const isLimited = status === 403 && RATE_LIMIT.test(text);
  const details = { status: isLimited ? 429 : status, requestId };
  if (status === 401 || (status === 403 && !isLimited)) {
    // Services return 403 for a bad token as well as for one that may not read what was asked for.
    const [what, or] =
      status === 401
        ? ["the token", ""]
        : ["access", ", or lack permission for this operation or organization unit"];
    return new ApiError(EXIT.refused, `The API refused ${what}, status ${status}${quote}${named}`, {
      ...details,
      hint: ({ orgUnitId }) =>
        `Check ${tokenPlace}: it may be mistyped, expired, or of API v2${or && `${or} (${orgUnitId})`}.`,
    });
  }
  if (isTransientStatus(details.status)) {
    const retryAfter = headers["retry-after"];
    const limited = isLimited ? " for its rate limit" : "";
    return new ApiError(EXIT.unreachable, `The API returned ${status}${limited}${quote}${named}`, {
      ...details,
      transient: true,
      retryAfterMs: parseRetryAfterMs(retryAfter === undefined ? undefined : String(retryAfter), nowMs),
      hint: "The service is failing or busy: try again later.",
    });
  }
  if (status === 400 || status === 404) {
    const hint = refusedHints[status] ?? CHECK_ADDRESS;
    return new ApiError(EXIT.contract, `The API returned ${status}${quote}${named}`, { ...details, hint });
  }
  const undocumented = `The API returned ${status}, which its documentation does not list`;
  return contractError(`${undocumented}${quote}${named}`, {
    status,
    requestId,
    transient: status >= 200 && status < 300,
  });
}

export function errorOfConnection(cause: unknown, target: URL, attemptTimeoutMs: number): ApiError {
  const reason = reasonForNoResponse(cause, attemptTimeoutMs);
  const noDescriptor = toDescriptorError(reason);
  if (noDescriptor !== undefined) {
    const { exitCode, message, hint } = noDescriptor;
    return new ApiError(exitCode, message, { unsent: true, hint });
  }
  const refusal = proxyStatusOf(cause);
  return new ApiError(EXIT.unreachable, `Cannot reach ${nameRoute(target, target.origin)}: ${reason}`, {
    transient: refusal === undefined || isTransientStatus(refusal),
    unsent: refusal !== undefined || codesOf(cause).some((code) => UNSENT.has(code)),
    hint: ({ baseUrl }) =>
      adviseOnRoute(target, reason, `Check ${baseUrl} and the network, and try again later.`),
    // The cause itself may have what the service sent.
    cause: Object.assign(new Error(reason), { code: codesOf(cause)[0] }),
    isCauseInMessage: true,
  });
}

const MAX_MESSAGE_LENGTH = 500;

/** The shape of an error body is undocumented: these members are read if they are text. */
function readErrorBody(body: string): { requestId?: string; message?: string } {
  const oneLine = (value: string) =>
    toPrintable(
      value
        .slice(0, MAX_MESSAGE_LENGTH)
        .replace(/[\p{Cc}\s]+/gu, " ")
        .trim(),
    );
  const schema = z.object({
    request_id: requestId.optional().catch(undefined),
    message: z.string().transform(oneLine).optional().catch(undefined),
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
  const refusal = proxyStatusOf(cause);
  if (refusal !== undefined) return `the proxy returned ${refusal}`;
  // For several addresses, Node wraps the failures in one error without a message.
  if (cause instanceof AggregateError) return cause.errors.map(describeError).join("; ");
  return describeError(cause);
}

/** The status of a proxy that does not connect; undici has it only in the message. */
export function proxyStatusOf(cause: unknown): number | undefined {
  const [, status] = /^Proxy response \((\d+)\)/.exec(cause instanceof Error ? cause.message : "") ?? [];
  return status === undefined ? undefined : Number(status);
}

function codesOf(cause: unknown): string[] {
  if (cause instanceof AggregateError) return cause.errors.flatMap(codesOf);
  return cause instanceof Error && "code" in cause ? [String(cause.code)] : [];
}
