import type { Dispatcher } from "undici";
import { isTransientStatus, proxyStatusOf, reasonForNoResponse } from "../../service/api/failure.ts";
import { parseRetryAfterMs } from "../../service/api/retry.ts";
import { isCertificateError, nameRoute, openRoute } from "../../service/api/route.ts";
import { AlreadyTakenError, type AttemptContext, type AttemptOutcome, quote } from "./attempt.ts";

const TIMEOUT_MS = 30_000;
/** Enough for what a service says when it refuses. */
const MAX_RESPONSE_BYTES = 2000;

/** Claims once there is a connection: nothing can have arrived before. @throws AlreadyTakenError */
export async function postHook(
  url: URL,
  body: unknown,
  { signal, claim, isClaimed }: AttemptContext,
  timeoutMs = TIMEOUT_MS,
): Promise<AttemptOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const route = openRoute(url, { connectMs: timeoutMs, onConnected: claim });
  try {
    const response = await route.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "calltally" },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, timeout]),
    });
    return await toOutcome(response, url);
  } catch (error) {
    if (error instanceof AlreadyTakenError) throw error;
    const reason = quote(
      reasonForNoResponse(timeout.aborted ? timeout.reason : error, timeoutMs),
      secretsOf(url),
    );
    if (isClaimed())
      return { kind: "unknown", error: `No response from ${url.host} after sending: ${reason}` };
    const refusal = proxyStatusOf(error);
    const isFinal = refusal === undefined ? isCertificateError(reason) : !isTransientStatus(refusal);
    const kind = isFinal ? "refused" : "temporary";
    return { kind, error: `Cannot reach ${nameRoute(url, url.host)}: ${reason}` };
  } finally {
    await route.destroy();
  }
}

async function toOutcome(response: Dispatcher.ResponseData, url: URL): Promise<AttemptOutcome> {
  const { statusCode: status, headers } = response;
  if (status >= 200 && status < 300) {
    await response.body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => undefined);
    return { kind: "delivered" };
  }
  const reply = quote(await readStart(response.body), secretsOf(url));
  const error = `${url.host} returned ${status}${reply === "" ? "" : `: ${reply}`}`;
  if (!isTransientStatus(status)) return { kind: "refused", error };
  const retryAfter = headers["retry-after"];
  const header = retryAfter === undefined ? undefined : String(retryAfter);
  return { kind: "temporary", error, retryAfterMs: parseRetryAfterMs(header, Date.now()) };
}

/** The status counts, whatever the body is. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // What was read so far is enough.
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString();
}

/** The address is secret, and so is every longer part of it. */
function secretsOf(url: URL): string[] {
  const parts = [...url.pathname.split("/"), ...url.searchParams.values()].filter((part) => part.length >= 8);
  return [url.href, url.pathname + url.search, ...parts];
}
