import { describe, expect, it } from "vitest";
import { describeSpend } from "../../src/export/described-spend.ts";
import type { Timeframe } from "../../src/export/timeframe.ts";
import { RollupSession } from "../../src/sources/session.ts";
import { openAccount, RULES } from "../sources/account.ts";

const account = await openAccount();

describe("describeSpend", () => {
  it("lists each import with its file, time, rows and cost, and sums them up", async () => {
    using session = new RollupSession(account, { rules: RULES });
    const spend = await session.loadSpend("UTC");
    const timeframe: Timeframe = {
      timezone: "UTC",
      range: {},
      span: {},
      periods: [],
      compared: [],
      filter: { topic: ["a"] },
    };
    expect(describeSpend(spend, timeframe)).toEqual({
      currency: "EUR",
      decimals: 3,
      rows: 10,
      cost: 27.845,
      days: { count: 7, first: "2026-01-01", last: "2026-12-31" },
      campaigns: {
        id: { rows: 3, cost: 12.855 },
        name: { rows: 3, cost: -0.01 },
        unmatched: { rows: 3, cost: 8 },
        unnamed: { rows: 1, cost: 7 },
      },
      filters_of_calls_alone: ["topic"],
      imports: [
        { file: "b.csv", imported_at: "2026-10-01T00:00:00.000Z", rows: 7, cost: 19.345 },
        { file: "a.csv", imported_at: "2026-10-02T00:00:00.000Z", rows: 3, cost: 8.5 },
      ],
    });
  });
});
