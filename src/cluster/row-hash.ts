import { hash } from "node:crypto";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import { NOTHING } from "./cluster-tables.ts";

/** The same as `bitAnd(key, 1023)` in SQL. */
export function bucketOf(id: number): number {
  return ((id % BUCKETS) + BUCKETS) % BUCKETS;
}

/** Returns the first half of the MD5 of a row, 64 bits, as the cluster computes it. */
export function hashRow(values: readonly ClusterValue[]): bigint {
  let text = "";
  for (const value of values) {
    if (value === null) text += NOTHING;
    else if (typeof value === "number") text += `${value};`;
    else text += `${Buffer.byteLength(value)}:${value}`;
  }
  return hash("md5", text, "buffer").readBigUInt64BE(0);
}

/** Returns the shard of a row, by account and caller, so that a caller's calls are on one server. */
export function shardOf(account: string, name: string | number, shards: number): number {
  return shards === 1 ? 0 : hash("md5", `${account}\0${name}`, "buffer").readUInt32BE(0) % shards;
}

/** The number of rows in each bucket of each shard, and the XOR of their hashes. */
export class BucketTotals {
  readonly #words: BigUint64Array;
  readonly #counts: BigUint64Array;
  readonly #hashes: BigUint64Array;

  /** @param text from {@link toText} with the same number of shards. @default no rows */
  constructor(shards: number, text = "") {
    const length = shards * BUCKETS;
    this.#words = new BigUint64Array(2 * length);
    if (text !== "") this.#words.set(new BigUint64Array(Uint8Array.from(Buffer.from(text, "base64")).buffer));
    this.#counts = this.#words.subarray(0, length);
    this.#hashes = this.#words.subarray(length);
  }

  toText(): string {
    return Buffer.from(this.#words.buffer).toString("base64");
  }

  add(shard: number, id: number, rowHash: bigint): void {
    const index = shard * BUCKETS + bucketOf(id);
    this.#counts[index] = (this.#counts[index] ?? 0n) + 1n;
    this.#hashes[index] = (this.#hashes[index] ?? 0n) ^ rowHash;
  }

  clear(buckets: readonly number[]): void {
    for (const bucket of buckets)
      for (let index = bucket; index < this.#counts.length; index += BUCKETS) this.#put(index, 0n, 0n);
  }

  set(shard: number, bucket: number, count: bigint, xor: bigint): void {
    this.#put(shard * BUCKETS + bucket, count, xor);
  }

  count(index: number): number {
    return Number(this.#counts[index] ?? 0n);
  }

  /** Returns the indexes at which two differ: shard times {@link BUCKETS}, plus bucket. */
  differences(other: BucketTotals): number[] {
    return [...this.#counts.keys()].filter(
      (index) => this.#counts[index] !== other.#counts[index] || this.#hashes[index] !== other.#hashes[index],
    );
  }

  #put(index: number, count: bigint, xor: bigint): void {
    this.#counts[index] = count;
    this.#hashes[index] = xor;
  }
}
