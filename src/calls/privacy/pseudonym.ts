/**
 * A forgotten caller's pseudonym: `forgotten` and 16 hex digits. It is not a number, but distinguishes callers as
 * numbers do.
 */
const PSEUDONYM = /^forgotten[\da-f]{16}$/;
const BYTES = 8;

/** @param bytes at least eight, which must not reveal the caller */
export function toPseudonym(bytes: Buffer): string {
  return `forgotten${bytes.toString("hex", 0, BYTES)}`;
}

/** Whether a caller, or the `caller_id` of a call, is the pseudonym of a forgotten caller. */
export function isPseudonym(caller: string | null): boolean {
  return caller !== null && PSEUDONYM.test(caller);
}
