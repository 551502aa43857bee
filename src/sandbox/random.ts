/** Numbers in [0, 1) that repeat for the same seed. */
export type Random = () => number;

/** Derives the seed of an independent stream, so that drawing more from one never shifts another. */
export function deriveSeed(seed: number, stream: number | string): number {
  if (typeof stream === "number") return mix(mix(seed) ^ Math.imul(stream + 1, 0x9e3779b1));
  let hash = mix(seed);
  for (let at = 0; at < stream.length; at++) hash = mix(hash ^ stream.charCodeAt(at));
  return hash;
}

/** Starts a mulberry32 generator: 32 bits of state, cheap enough for one per call. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function drawIndex(random: Random, count: number): number {
  return Math.floor(random() * count);
}

export function pick<Item extends object | string>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[drawIndex(random, items.length)] ?? items[0];
}

export function pickWeighted<Item extends { readonly weight: number }>(
  random: Random,
  items: readonly [Item, ...Item[]],
): Item {
  let left = random() * items.reduce((sum, item) => sum + item.weight, 0);
  for (const item of items) {
    left -= item.weight;
    if (left < 0) return item;
  }
  return items[0];
}

export function shuffle(random: Random, items: readonly number[]): number[] {
  const shuffled = Array.from(items);
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = drawIndex(random, last + 1);
    const moved = shuffled[other] ?? 0;
    shuffled[other] = shuffled[last] ?? 0;
    shuffled[last] = moved;
  }
  return shuffled;
}

/** The finalizer of MurmurHash3: neighbouring numbers become unrelated ones. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
