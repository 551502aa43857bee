import { formatMicros } from "../base/text/currency.ts";
import { formatCount, formatMoney } from "../base/text/quantity-text.ts";
import type { LineCounts } from "./open-table.ts";

/** Lines of a file that are no rows, such as `1 header, 2 title, 1 total`. */
export function describeAside({ title_lines, total_lines, note_lines, blank_lines }: LineCounts): string[] {
  const others = { title: title_lines, total: total_lines, note: note_lines, empty: blank_lines };
  const parts = Object.entries(others).flatMap(([name, { length }]) =>
    length > 0 ? [`${formatCount(length)} ${name}`] : [],
  );
  return ["1 header", ...parts];
}

export const describeUnused = (unused: readonly string[]) =>
  unused.length > 0 ? [`  not used: ${unused.join(", ")}`] : [];

/** @param micros of a `null` currency, nothing has an amount */
export const amountText = (micros: bigint, currency: string | null) =>
  formatMoney(Number(formatMicros(micros)), currency);

/** Replaces millionths by a number for JSON. */
export const toAmount = (micros: bigint | number | null) =>
  micros === null ? null : Number(formatMicros(BigInt(micros)));
