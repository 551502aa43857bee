import { expect, it } from "vitest";
import { countInWords } from "../../src/export/completeness.ts";

const NONE = { missing: 0, unlisted: 0, withheld: 0, rejected: 0, others: 0 };

it.each([
  [{ calls: 15_009, total: null, difference: null }, "15,009"],
  [{ calls: 15_009, total: 15_009, difference: null }, "15,009; the service counted 15,009"],
  [
    { calls: 15_009, total: 14_997, difference: { ...NONE, missing: 12 } },
    "15,009; the service counted 14,997: 12 that it no longer lists still count here",
  ],
  [
    {
      calls: 1050,
      total: 1000,
      difference: { missing: 1, unlisted: 20, withheld: 30, rejected: 4, others: 3 },
    },
    "1,050; the service counted 1,000: 1 that it no longer lists still counts here, 20 older than its list still count here, 30 that went missing at once still count here, 4 of its rows could not be read, 3 more here, as calls came or went during the sync",
  ],
  [
    { calls: 998, total: 1000, difference: { ...NONE, others: -2 } },
    "998; the service counted 1,000: 2 fewer here, as calls came or went during the sync",
  ],
])("the count of calls and why the service's differs are in words: %o", (counted, words) => {
  expect(countInWords(counted)).toBe(words);
});
