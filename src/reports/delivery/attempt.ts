import { toPrintable } from "../../base/text/printable.ts";

export type AttemptOutcome =
  | { kind: "delivered" }
  /** A repeat would fail the same way. */
  | { kind: "refused"; error: string }
  | { kind: "temporary"; error: string; retryAfterMs?: number | undefined }
  /** It may have arrived or not. */
  | { kind: "unknown"; error: string };

export interface AttemptContext {
  signal: AbortSignal;
  /** Called before anything that may arrive is sent; throws AlreadyTakenError if another process has it. */
  claim: () => void;
  isClaimed: () => boolean;
}

export class AlreadyTakenError extends Error {}

const MAX_ERROR_LENGTH = 500;

/** Returns the output of another program or server as one short printable line without the secrets. */
export function quote(text: string, secrets: readonly string[]): string {
  const line = toPrintable(text.replace(/\s+/g, " ").trim());
  return withoutSecrets(line, secrets).slice(0, MAX_ERROR_LENGTH);
}

/** Removes secrets, longest first: one may be part of another. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}

/** Shorter secrets are not removed, because they occur in ordinary words. */
const SHORTEST_SECRET = 4;
