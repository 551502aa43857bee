import { toPrintable } from "../base/printable.ts";

export type AttemptOutcome =
  | { kind: "delivered" }
  /** Refused for good: another attempt would end the same way. */
  | { kind: "refused"; error: string }
  | { kind: "temporary"; error: string; retryAfterMs?: number | undefined }
  /** It may have arrived or not. */
  | { kind: "unknown"; error: string };

export interface AttemptContext {
  signal: AbortSignal;
  /** Called before what may arrive is sent; throws AlreadyTakenError where another process has it. */
  claim: () => void;
}

export type Attempt = (context: AttemptContext) => Promise<AttemptOutcome>;

export class AlreadyTakenError extends Error {
  override name = "AlreadyTakenError";
}

const MAX_ERROR_LENGTH = 500;

/** Returns what another program or server said as one short printable line without the secrets. */
export function quote(text: string, secrets: readonly string[] = []): string {
  const line = toPrintable(text.replace(/\s+/g, " ").trim());
  return withoutSecrets(line, secrets).slice(0, MAX_ERROR_LENGTH);
}

/** Takes secrets out of a text, the longest first: one may be a part of another. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}

/** Shorter ones are not taken out: every other word would have them. */
const SHORTEST_SECRET = 4;
