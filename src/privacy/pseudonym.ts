/** What a forgotten caller is called: `forgotten` and 16 random digits, in hex. No number, and told apart as numbers are. */
const PSEUDONYM = /^forgotten[\da-f]{16}$/;

/** Whether a caller, or the `caller_id` of a call, is the pseudonym of somebody who was forgotten. */
export function isPseudonym(caller: string | null): boolean {
  return caller !== null && PSEUDONYM.test(caller);
}
