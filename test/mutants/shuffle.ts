import { hash } from "node:crypto";

/** Shuffles things in the same order for the same seed. */
export function shuffle<T>(
  things: readonly T[],
  seed: string,
  textOf: (thing: T) => string = (thing) => String(thing),
): T[] {
  const keyed = things.map((thing) => ({ thing, key: hash("sha256", `${seed} ${textOf(thing)}`) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ thing }) => thing);
}
