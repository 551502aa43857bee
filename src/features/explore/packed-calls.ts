import * as z from "zod";
import { NO_DURATION } from "../../figures/calls.ts";
import type { FactValue } from "../../figures/dictionary.ts";
import type { Part } from "../../figures/parts.ts";

/** Whole numbers from 0 on, a row for each call or group of calls, by name. */
export type Columns = ReadonlyMap<string, ArrayLike<number>>;

/** The parts of a group of calls: all that adds up. */
export const GROUP_PARTS = [
  ...["calls", "answered_calls", "missed_calls", "other_calls", "qualified_calls", "first_calls"],
  ...["duration_count", "duration_sum"],
] as const satisfies Part[];

/** The value of a key whose groups were folded: no text that is served. */
export const FOLDED = "\u0000";

const isValue = (value: unknown) => value === null || typeof value === "string" || typeof value === "number";
/** A check of its own: there may be millions, for which zod's lists take seconds. */
const values = z.custom<readonly FactValue[]>((list) => Array.isArray(list) && list.every(isValue));

/** Amounts of a day by the values of key columns; millionths as text, since they may exceed what a double holds. */
const ledgerRow = z.object({ day: z.string(), values });
const ledgerOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    /** Names of the key columns. */
    keys: z.array(z.string()).readonly(),
    rows: z.array(row).readonly(),
  });
const spendLedger = ledgerOf(
  ledgerRow.extend({
    costMicros: z.string(),
    clicks: z.number().nullable(),
    impressions: z.number().nullable(),
    /** Of a campaign that no call has, also none outside of the file. */
    isUnmatched: z.literal(true).optional(),
  }),
);
const outcomeLedger = ledgerOf(
  ledgerRow.extend({ bookedCalls: z.number(), soldCalls: z.number(), revenueMicros: z.string() }),
);
export type SpendLedger = z.infer<typeof spendLedger>;
export type OutcomeLedger = z.infer<typeof outcomeLedger>;
export interface Ledger<Amounts> extends Pick<SpendLedger, "keys"> {
  rows: readonly (z.infer<typeof ledgerRow> & Amounts)[];
}

const layoutSchema = z.object({
  rows: z.number(),
  columns: z.array(z.object({ name: z.string(), bytes: z.number() })),
  /** The values of each key column, by code. */
  values: z.record(z.string(), values),
  spend: spendLedger.optional(),
  outcomes: outcomeLedger.optional(),
});
type Layout = z.infer<typeof layoutSchema>;

/** What the page has of calls, and in addition to them. */
export interface PageData extends Pick<Layout, "values" | "spend" | "outcomes"> {
  columns: Columns;
}

const LENGTH_BYTES = 4;
const BYTE = 256;

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
    const numbers = columns.get(name) ?? [];
    for (let plane = 0; plane < bytes; plane++)
      for (let row = 0; row < rows; row++)
        packed[at++] = Math.floor((numbers[row] ?? 0) / BYTE ** plane) % BYTE;
  }
  return packed;
}

/** Inverse of {@link packCalls}. */
export function unpackCalls(
  packed: Uint8Array,
): Omit<PageData, "columns"> & { rows: number; columns: ReadonlyMap<string, Float64Array> } {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0);
  const end = LENGTH_BYTES + length;
  const layout = layoutSchema.parse(JSON.parse(new TextDecoder().decode(packed.subarray(LENGTH_BYTES, end))));
  const { rows, ...others } = layout;
  let at = end;
  const columns = layout.columns.map(({ name, bytes }): [string, Float64Array] => {
    const numbers = new Float64Array(rows);
    for (let plane = 0; plane < bytes; plane++) {
      const factor = BYTE ** plane;
      for (let row = 0; row < rows; row++) numbers[row] = (numbers[row] ?? 0) + (packed[at++] ?? 0) * factor;
    }
    return [name, numbers];
  });
  return { ...others, rows, columns: new Map(columns) };
}

function bytesOf(numbers: ArrayLike<number>): number {
  let most = 0;
  for (let row = 0; row < numbers.length; row++) most = Math.max(most, numbers[row] ?? 0);
  let bytes = 1;
  while (most >= BYTE ** bytes) bytes++;
  return bytes;
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
