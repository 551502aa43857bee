import { describe, expect, it } from "vitest";
import {
  type Effect,
  RESTATEMENT_REASONS,
  type Restatement,
} from "../../../src/features/restatements/restatement.ts";
import {
  describeCalls,
  describeReasons,
  describeRestatement,
  keyInWords,
} from "../../../src/features/restatements/restatement-words.ts";

const restatement = (members: Partial<Restatement>): Restatement => ({
  found_at: "2026-11-01T00:00:00.000Z",
  path: "/out/source.csv",
  contents: "source",
  period: "2026-09",
  starts_at: "2026-09-01T00:00:00.000Z",
  ends_at: "2026-10-01T00:00:00.000Z",
  key: { source: "google" },
  metric: "calls",
  was: 40,
  now: 38,
  change: -2,
  exported_at: "2026-10-02T00:00:00.000Z",
  reasons: [{ reason: "gone", calls: 2, effect: -2 }],
  rules_changed: null,
  ...members,
});

describe("keyInWords", () => {
  it.each([
    [{}, ""],
    [{ source: "google" }, "google"],
    [
      { source: "google", hour: 0, campaign: "", channel: null, org_unit: "Berlin" },
      "google / 0 /  / Berlin",
    ],
    [{ source: null, campaign: null }, ""],
  ])("of %j is %j", (key, words) => {
    expect(keyInWords({ key })).toBe(words);
  });
});

describe("describeRestatement", () => {
  it.each([
    [{ was: 40, now: 38, change: -2 }, "40 → 38 (-2)"],
    [{ was: 0, now: 1, change: 1 }, "0 → 1 (+1)"],
    [{ was: 1, now: 1, change: 0 }, "1 → 1 (0)"],
    [{ was: "1.50", now: "1.25", change: -0.25 }, "1.50 → 1.25 (-0.25)"],
    [{ was: null, now: "2026-09-01T00:00:00.000Z", change: null }, "none → 2026-09-01T00:00:00.000Z"],
    [{ was: 0, now: null, change: null }, "0 → none"],
  ])("of %j begins with %j", (figures, words) => {
    expect(describeRestatement(restatement(figures))).toBe(`${words}: 2 gone from the service (-2)`);
  });
});

describe("describeReasons", () => {
  it("describes each reason, with calls and effects if it has them", () => {
    const reasons = RESTATEMENT_REASONS.map(
      (reason, index): Effect => ({
        reason,
        calls: reason.startsWith("spend") ? null : index,
        effect: index % 3 === 2 ? null : 2 - index,
      }),
    );
    expect(describeReasons(restatement({ reasons })).split(", ")).toEqual([
      "0 came late (+2)",
      "1 corrected (+1)",
      "2 gone from the service",
      "3 listed again (-1)",
      "4 attributed again (-2)",
      "5 reassigned as first or repeat calls",
      "6 with changed jobs (-4)",
      "ad costs (-5)",
    ]);
    expect(describeReasons(restatement({ reasons: [] }))).toBe("");
  });

  it("names the changed rules only after their reason", () => {
    const reasons: Effect[] = [
      { reason: "late", calls: 1, effect: 1 },
      { reason: "rules", calls: 3, effect: 0 },
    ];
    expect(describeReasons(restatement({ reasons, rules_changed: "aliases, missed" }))).toBe(
      "1 came late (+1), 3 attributed again by changed aliases, missed (0)",
    );
  });
});

describe("describeCalls", () => {
  it.each([
    [1, []],
    [2, ["and 1 more"]],
    [1235, ["and 1,234 more"]],
  ])("lists one of %i calls, and says how many more there are", (calls, more) => {
    const listed = [{ call_id: 731_000_146, changed: ["disposition", "outcome"] }];
    const reasons = [{ reason: "corrected", calls, listed, effect: -2 }] as const;
    expect(describeCalls(restatement({ reasons: [...reasons] }))).toEqual([
      "731000146 corrected: disposition, outcome",
      ...more,
    ]);
  });
});
