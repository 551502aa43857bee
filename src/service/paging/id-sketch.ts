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

function bitOf(id: number): number {
  return hashId(id) >>> (32 - Math.log2(BITS));
}

/** Hashes both halves of a safe integer to 32 bits (the finalizer of MurmurHash3). */
export function hashId(id: number): number {
  let mixed = (id | 0) ^ Math.imul(Math.floor(id / 2 ** 32), 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
