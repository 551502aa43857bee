import { expect, it } from "vitest";
import {
  formatAge,
  formatBytes,
  formatCount,
  formatElapsed,
  formatQuantity,
} from "../../../src/base/text/quantity-text.ts";

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

it.each([
  [formatBytes, 1, "1 byte"],
  [formatBytes, 999, "999 bytes"],
  [formatBytes, 1_499, "1 kB"],
  [formatBytes, 999_499, "999 kB"],
  [formatBytes, 999_500, "1.0 MB"],
  [formatBytes, 5_242_880, "5.2 MB"],
  [formatBytes, 999_949_999, "999.9 MB"],
  [formatBytes, 999_950_000, "1.0 GB"],
  [formatBytes, 1_000_000_000, "1.0 GB"],
  [formatBytes, 7_340_000_000, "7.3 GB"],
  [formatElapsed, 3217, "3.2 s"],
  [formatElapsed, 59_949, "59.9 s"],
  [formatElapsed, 59_950, "1 min 0 s"],
  [formatElapsed, 599_700, "10 min 0 s"],
  [formatElapsed, 7_325_000, "122 min 5 s"],
  [formatAge, Number.POSITIVE_INFINITY, "dated in the future"],
  [formatAge, MINUTE_MS - 1, "just now"],
  [formatAge, MINUTE_MS, "1 minute ago"],
  [formatAge, 120 * MINUTE_MS - 1, "119 minutes ago"],
  [formatAge, 2 * HOUR_MS, "2 hours ago"],
  [formatAge, 48 * HOUR_MS - 1, "47 hours ago"],
  [formatAge, 48 * HOUR_MS, "2 days ago"],
  [formatAge, 50 * 24 * HOUR_MS, "50 days ago"],
  [formatCount, 999, "999"],
  [formatCount, 1_234_567, "1,234,567"],
] as const)("%o of %d is %s", (format, value, text) => {
  expect(format(value)).toBe(text);
});

it("formatQuantity uses the singular for one alone", () => {
  expect([0, 1, 5432].map((count) => formatQuantity(count, "row"))).toEqual([
    "0 rows",
    "1 row",
    "5,432 rows",
  ]);
  expect([1, 2].map((count) => formatQuantity(count, "copy", "copies"))).toEqual(["1 copy", "2 copies"]);
});
