import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leaveOutRepeated } from "../../../src/features/spend/import-files.ts";
import { readReport } from "../../../src/features/spend/read-report.ts";
import type { SpendRow } from "../../../src/features/spend/spend-row.ts";

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

describe("readReport and leaveOutRepeated", () => {
  it("import or leave out each cost: their sum is that of the reports", () => {
    const seen = { rows: 0, unreadable: 0, repeated: 0 };
    const line = fc.record({
      day: fc.constantFrom("2026-10-01", "10/15/26", "16-Oct-26", "soon", ""),
      campaign: fc.constantFrom("A", "B"),
      cost: fc.constantFrom("5", "7.25", "30-", "", "much"),
    });
    const hundredths: Readonly<Record<string, number>> = { "5": 500, "7.25": 725, "30-": -3000 };
    fc.assert(
      fc.property(fc.array(fc.array(line, { maxLength: 10 }), { minLength: 1, maxLength: 3 }), (files) => {
        const reports = files.map((lines, index) => {
          const rows = lines.map(({ day, campaign, cost }) => `${day},${campaign},${cost},x`);
          const text = `day,campaign,cost,note\n${rows.join("\n")}\n`;
          const options = {
            map: {},
            source: "google",
            medium: "cpc",
            decimal: "point",
            dates: "mdy",
          } as const;
          return { file: `${index}.csv`, ...readReport(text, options) };
        });
        for (const [index, { rows, left_out }] of leaveOutRepeated(reports).entries()) {
          const whole = (files[index] ?? []).reduce((sum, { cost }) => sum + (hundredths[cost] ?? 0), 0);
          const amounts = [
            ...rows.map(({ cost_micros }) => cost_micros),
            ...left_out.map(({ amount_micros }) => amount_micros ?? 0),
          ];
          expect(amounts.reduce((sum, micros) => sum + micros, 0)).toBe(whole * 10_000);
          seen.rows += rows.length;
          for (const { reason } of left_out)
            seen[reason.startsWith("the same") ? "repeated" : "unreadable"]++;
        }
      }),
      { numRuns: 100 },
    );
    for (const [what, count] of Object.entries(seen)) expect([what, count > 10]).toEqual([what, true]);
  });
});
