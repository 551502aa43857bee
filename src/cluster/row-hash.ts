import { hash } from "node:crypto";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import { NOTHING } from "./cluster-tables.ts";

/** Returns the bucket of a row, as `bitAnd(key, 1023)` is it in SQL. */
export function bucketOf(id: number): number {
  return ((id % BUCKETS) + BUCKETS) % BUCKETS;
}

/** Returns the first half of the MD5 of what a row says, as the cluster computes it: 8 bytes. */
export function hashRow(values: readonly ClusterValue[]): Buffer {
  let text = "";
  for (const value of values) {
    if (value === null) text += NOTHING;
    else if (typeof value === "number") text += `${value};`;
    else text += `${Buffer.byteLength(value)}:${value}`;
  }
  return hash("md5", text, "buffer");
}

/** Returns the index of the shard that a row lies on: by its account and caller, so that a caller's calls lie together. */
export function shardOf(account: string, name: string | number, shards: number): number {
  return shards === 1 ? 0 : hash("md5", `${account}\0${name}`, "buffer").readUInt32BE(0) % shards;
}

/** How many rows there are in each bucket of each shard, and the XOR of their hashes. */
export class BucketTotals {
  readonly #words: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;

  /** @param text what {@link toText} returned of so many shards. @default there are no rows */
  constructor(shards: number, text = "") {
    const length = shards * BUCKETS;
    this.#words = new Uint32Array(3 * length);
    if (text !== "") this.#words.set(new Uint32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer));
    this.#counts = this.#words.subarray(0, length);
    this.#high = this.#words.subarray(length, 2 * length);
    this.#low = this.#words.subarray(2 * length);
  }

  toText(): string {
    return Buffer.from(this.#words.buffer).toString("base64");
  }

  add(shard: number, id: number, rowHash: Buffer): void {
    const index = shard * BUCKETS + bucketOf(id);
    this.#counts[index] = this.count(index) + 1;
    this.#high[index] = (this.#high[index] ?? 0) ^ rowHash.readUInt32BE(0);
    this.#low[index] = (this.#low[index] ?? 0) ^ rowHash.readUInt32BE(4);
  }

  /** Forgets the rows of some buckets. */
  clear(buckets: readonly number[]): void {
    for (const bucket of buckets) {
      for (let index = bucket; index < this.#counts.length; index += BUCKETS) {
        this.#counts[index] = 0;
        this.#high[index] = 0;
        this.#low[index] = 0;
      }
    }
  }

  set(shard: number, bucket: number, count: number, xor: bigint): void {
    const index = shard * BUCKETS + bucket;
    this.#counts[index] = count;
    this.#high[index] = Number(xor >> 32n);
    this.#low[index] = Number(xor & 0xffff_ffffn);
  }

  count(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** Returns the indexes at which two differ: the shard's times {@link BUCKETS}, plus the bucket. */
  differences(other: BucketTotals): number[] {
    const indexes: number[] = [];
    for (const [index, count] of this.#counts.entries()) {
      const isSame =
        count === other.#counts[index] &&
        this.#high[index] === other.#high[index] &&
        this.#low[index] === other.#low[index];
      if (!isSame) indexes.push(index);
    }
    return indexes;
  }

  /** Returns count and XOR of each bucket over all shards, as `published` has them: `3:0f…`, nothing for an empty one. */
  describe(): string[] {
    return Array.from({ length: BUCKETS }, (_, bucket) => {
      let [count, high, low] = [0, 0, 0];
      for (let index = bucket; index < this.#counts.length; index += BUCKETS) {
        count += this.count(index);
        high ^= this.#high[index] ?? 0;
        low ^= this.#low[index] ?? 0;
      }
      const hex = (half: number) => (half >>> 0).toString(16).padStart(8, "0");
      return count === 0 ? "" : `${count}:${hex(high)}${hex(low)}`;
    });
  }
}
