const BITS = 2 ** 22;

/**
 * A set of ids in half a megabyte, however many there are: what it has not, it never had; what it has, it may never have
 * had, with a chance of one in five at a million ids. Good to see that among many ids there is a new one.
 */
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

/** Fibonacci hashing of both halves of a safe integer. */
function bitOf(id: number): number {
  const [low, high] = [id | 0, Math.floor(id / 2 ** 32)];
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed >>> (32 - Math.log2(BITS));
}
