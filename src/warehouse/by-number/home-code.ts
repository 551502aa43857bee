import type { Reader } from "../warehouse.ts";

/** The share of numbers of North America from which on ten digits are read as its numbers. */
const MOST = 0.9;

const CALLERS = "SELECT caller AS number FROM callers WHERE caller GLOB '+[0-9]*'";
const TRACKING =
  "SELECT DISTINCT tracking_number AS number FROM call_facts WHERE tracking_number IS NOT NULL";

/**
 * Returns the country code that ten digits lack, if nearly all callers have it; where callers' numbers are not kept, nearly
 * all tracking numbers. Only that of North America is known, where numbers have one length.
 */
export function readHomeCode({ sqlite }: Reader): "1" | undefined {
  const shareOf = (numbers: string) =>
    sqlite
      .prepare<[], number | null>(`SELECT avg(number GLOB '+1[2-9]?????????') FROM (${numbers})`)
      .pluck()
      .get();
  const share = shareOf(CALLERS) ?? shareOf(TRACKING) ?? 0;
  return share > MOST ? "1" : undefined;
}
