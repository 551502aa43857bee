/** Seconds may have milliseconds; what else an addition leaves behind the point is a rounding error. */
export function toThousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
