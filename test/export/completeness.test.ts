import { describe, expect, it } from "vitest";
import { countInWords, judgeCompleteness, verdictInWords } from "../../src/export/completeness.ts";
import type { Statement } from "../../src/export/statements/statements.ts";

/** Run 4 proved it, run 9 is the last one: on other days in the zone than in UTC. */
const VERIFIED = { run_id: 4, finished_at: "2026-11-20T03:10:00.000Z" };
const LAST = { run_id: 9, finished_at: "2026-11-26T04:20:00.000Z", verdict: "probable", verdict_reason: "" };
const BASED = {
  run: LAST,
  range: { starts_at: "2026-11-20T03:09:59.999Z" },
  statements: [],
  timezone: "America/Chicago",
};

const DOUBT: Statement = { id: "withheld_calls", level: "doubt", values: {} };
const REJECTED: Statement = { id: "rejected_rows", level: "note", values: {} };

describe("judgeCompleteness", () => {
  const sync = "The last sync, 25 Nov 2026 22:20 (UTC-06:00), is probable.";

  it.each([
    {
      title: "proven",
      says: "Complete as of 19 Nov 2026 21:10 (UTC-06:00). Run 4 proved that it read every call.",
    },
    {
      title: "with rejected rows",
      statements: [REJECTED],
      says: "Complete as of 19 Nov 2026 21:10 (UTC-06:00). Run 4 proved that it read every row.",
    },
    {
      title: "with days that begin when the proof ends",
      range: { starts_at: VERIFIED.finished_at },
      says: "Not proven complete for these days. Run 4 proved at 19 Nov 2026 21:10 (UTC-06:00) that it read every call.",
    },
    {
      title: "with a doubt",
      statements: [DOUBT],
      says: "In doubt. Run 4 proved at 19 Nov 2026 21:10 (UTC-06:00) that it read every call.",
    },
    { title: "without a proof", verified: null, says: "Not proven complete." },
  ])("names each time in the zone: $title", ({ says, verified = VERIFIED, title: _, ...members }) => {
    const coverage = { verified: verified && { ...VERIFIED, ...verified } };
    const based = { ...BASED, ...members };
    expect(verdictInWords(judgeCompleteness(based, coverage))).toBe(`${says} ${sync}`);
    expect(verdictInWords(judgeCompleteness({ ...based, run: null }, coverage))).toBe(says);
    expect(judgeCompleteness(based, coverage).isProven).toBe(says.startsWith("Complete"));
  });
});

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
