import { describe, expect, it } from "vitest";
import { fillPlaceholders } from "../../../src/config/placeholder-names.ts";
import { VALUES } from "./report.ts";

describe("fillPlaceholders", () => {
  it.each([
    ["reports/{account}/{report}/{from}", "reports/acme/weekly/2026-10-19"],
    ["/srv/{account}-{report}_{from}..{to}", "/srv/acme-weekly_2026-10-19..2026-11-15"],
    ["../{period}/", "../2026-W46/"],
    ["reports", "reports"],
  ])("%s → %s", (pattern, path) => {
    expect(fillPlaceholders(pattern, VALUES)).toBe(path);
  });

  it("refuses a placeholder without a value", () => {
    expect(() => fillPlaceholders("{date}", VALUES)).toThrow(
      "Cannot use {date} in {date}: it has no value here",
    );
  });

  it("does not expand placeholders within values, and keeps other braces", () => {
    expect(fillPlaceholders("{account} {report} {} { report }", { account: "{report}", report: "$&" })).toBe(
      "{report} $& {} { report }",
    );
  });
});
