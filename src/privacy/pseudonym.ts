/** What a forgotten caller is called: `forgotten` and 16 digits, in hex. No number, and told apart as numbers are. */
const PSEUDONYM = /^forgotten[\da-f]{16}$/;
const BYTES = 8;

/** Returns the pseudonym of bytes that tell nothing of the caller, of which there are eight or more. */
export function toPseudonym(bytes: Buffer): string {
  return `forgotten${bytes.toString("hex", 0, BYTES)}`;
}

/** Whether a caller, or the `caller_id` of a call, is the pseudonym of somebody who was forgotten. */
export function isPseudonym(caller: string | null): boolean {
  return caller !== null && PSEUDONYM.test(caller);
}
