const BITS = 2 ** 22;

/** A Bloom filter of ids in half a megabyte: with a million ids, `has` is true of one in five that were never added. */
export class IdSketch {
  readonly #bits = new Uint32Array(BITS / 32);

  has(id: number): boolean {
    const bit = bitOf(id);
    return ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  add(id: number): void {
    const bit = bitOf(id);
    this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
}

/** Hashes both halves of a safe integer (Fibonacci hashing). */
function bitOf(id: number): number {
  const [low, high] = [id | 0, Math.floor(id / 2 ** 32)];
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed >>> (32 - Math.log2(BITS));
}
