import { NO_DURATION } from "../../figures/calls.ts";
import type { FactValue } from "../../figures/dictionary.ts";

/** Numbers from 0 on, a row for each call, by name. */
export type Columns = ReadonlyMap<string, Uint32Array>;

/** The values of each key column, by code. */
export type Values = Readonly<Record<string, readonly FactValue[]>>;

/** Amounts of a day by the values of key columns; millionths as text, since they may exceed what a double holds. */
export interface Ledger<Amounts> {
  /** Names of the key columns. */
  keys: readonly string[];
  rows: readonly ({ day: string; values: readonly FactValue[] } & Amounts)[];
}
export type SpendLedger = Ledger<{ costMicros: string; clicks: number | null; impressions: number | null }>;
export type OutcomeLedger = Ledger<{ bookedCalls: number; soldCalls: number; revenueMicros: string }>;

/** What the page has of calls, and in addition to them. */
export interface PageData {
  columns: Columns;
  values: Values;
  spend: SpendLedger | undefined;
  outcomes: OutcomeLedger | undefined;
}

type Layout = Omit<PageData, "columns"> & { rows: number; columns: { name: string; bytes: number }[] };

const LENGTH_BYTES = 4;
const BITS = 8;

/** Packs columns for compression: the lowest bytes of all rows first, then the next ones, as far as a column needs. */
export function packCalls({ columns, ...others }: PageData): Uint8Array {
  const rows = columns.values().next().value?.length ?? 0;
  const layout: Layout = {
    rows,
    columns: [...columns].map(([name, numbers]) => ({ name, bytes: bytesOf(numbers) })),
    ...others,
  };
  const head = new TextEncoder().encode(JSON.stringify(layout));
  const planes = layout.columns.reduce((sum, { bytes }) => sum + bytes, 0);
  const packed = new Uint8Array(LENGTH_BYTES + head.length + planes * rows);
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, LENGTH_BYTES);
  let at = LENGTH_BYTES + head.length;
  for (const { name, bytes } of layout.columns) {
    const numbers = columns.get(name) ?? new Uint32Array();
    for (let plane = 0; plane < bytes; plane++)
      for (const number of numbers) packed[at++] = (number >>> (BITS * plane)) & 0xff;
  }
  return packed;
}

/** Inverse of {@link packCalls}. */
export function unpackCalls(packed: Uint8Array): PageData & { rows: number } {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const end = LENGTH_BYTES + length;
  const layout: Layout = JSON.parse(new TextDecoder().decode(packed.subarray(LENGTH_BYTES, end)));
  const { rows, ...others } = layout;
  let at = end;
  const columns = layout.columns.map(({ name, bytes }): [string, Uint32Array] => {
    const numbers = new Uint32Array(rows);
    for (let plane = 0; plane < bytes; plane++)
      for (let row = 0; row < rows; row++)
        numbers[row] = (numbers[row] ?? 0) | ((packed[at++] ?? 0) << (BITS * plane));
    return [name, numbers];
  });
  return { ...others, rows, columns: new Map(columns) };
}

function bytesOf(numbers: Uint32Array): number {
  let most = 0;
  for (const number of numbers) if (number > most) most = number;
  return Math.max(1, Math.ceil((BITS * LENGTH_BYTES - Math.clz32(most)) / BITS));
}

/** Makes a number from 0 on of a duration, which may be below 0 or {@link NO_DURATION}. */
export function packDuration(duration: number): number {
  if (duration === NO_DURATION) return 0;
  return duration < 0 ? -2 * duration : 2 * duration + 1;
}

/** Inverse of {@link packDuration}. */
export function unpackDuration(packed: number): number {
  if (packed === 0) return NO_DURATION;
  return packed % 2 === 1 ? (packed - 1) / 2 : -packed / 2;
}
