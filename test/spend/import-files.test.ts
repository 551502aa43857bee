import { describe, expect, it } from "vitest";
import { leaveOutRepeated } from "../../src/spend/import-files.ts";
import type { SpendRow } from "../../src/spend/spend-row.ts";

const row = (line: number, day: string, members: Partial<SpendRow> = {}): SpendRow => ({
  line,
  day,
  source: "google",
  medium: "cpc",
  campaign: "Brand",
  campaign_id: "1",
  cost_micros: 1_500_000,
  currency: "EUR",
  clicks: 3,
  impressions: null,
  ...members,
});

describe("leaveOutRepeated", () => {
  it("leaves out rows of an earlier report, and names that report", () => {
    const reports = [
      { file: "week1.csv", rows: [row(2, "2026-10-04"), row(3, "2026-10-05")], left_out: [] },
      {
        file: "week2.csv",
        rows: [row(2, "2026-10-05"), row(4, "2026-10-06"), row(5, "2026-10-04", { clicks: 4 })],
        left_out: [{ line: 3, reason: "it has no day", amount_micros: null }],
      },
    ];
    expect(leaveOutRepeated(reports)).toEqual([
      reports[0],
      {
        file: "week2.csv",
        rows: [row(4, "2026-10-06"), row(5, "2026-10-04", { clicks: 4 })],
        left_out: [
          {
            line: 2,
            reason: "the same as line 3 of week1.csv; --lines add adds it",
            amount_micros: 1_500_000,
          },
          { line: 3, reason: "it has no day", amount_micros: null },
        ],
      },
    ]);
  });

  it("keeps equal rows of one report, and adds only as many more as another report has", () => {
    const twice = { file: "a.csv", rows: [row(2, "2026-10-04"), row(3, "2026-10-04")], left_out: [] };
    const thrice = { ...twice, file: "b.csv", rows: [...twice.rows, row(4, "2026-10-04")] };
    const made = leaveOutRepeated([twice, thrice, { ...twice, file: "c.csv" }]);
    expect(made.map(({ rows }) => rows.map(({ line }) => line))).toEqual([[2, 3], [4], []]);
    expect(made[2]?.left_out.map(({ reason }) => reason)).toEqual([
      "the same as line 2 of b.csv; --lines add adds it",
      "the same as line 3 of b.csv; --lines add adds it",
    ]);
  });
});
