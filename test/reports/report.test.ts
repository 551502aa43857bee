import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { chooseReports, isOfAccount, ofAccount, toReportError } from "../../src/reports/report.ts";
import { nameReport } from "./named-report.ts";

const CHANNEL = { contents: ["channel"] };

describe("chooseReports", () => {
  const file = () => {
    using named = nameReport(CHANNEL, { calls: null, others: { daily: CHANNEL } });
    return named.report.file;
  };

  it("returns each report once, in the given order", () => {
    const names = chooseReports(file(), ["daily", "weekly", "daily"]).map(({ name }) => name);
    expect(names).toEqual(["daily", "weekly"]);
  });

  it.each([
    ["wekly", "has weekly, daily", "Did you mean weekly?"],
    ["constructor", "has weekly, daily", "Name one of them, or add it there."],
  ])("refuses %s: it %s", (name, says, hint) => {
    const yaml = file();
    const message = `There is no report ${name}: ${yaml.name} ${says}`;
    expect(() => chooseReports(yaml, ["weekly", name])).toThrow(new UsageError(message, { hint }));
  });

  it("says where to add a report if there is none", () => {
    const hint = "Add it there, below reports; `calltally init` writes a first one.";
    const message = (name: string) => `There is no report weekly: ${name} names none`;
    const { content: _, ...yaml } = file();
    for (const [given, name] of [
      [undefined, "calltally.yaml"],
      [{ ...yaml, content: {} }, yaml.name],
    ] as const)
      expect(() => chooseReports(given, ["weekly"])).toThrow(new UsageError(message(name), { hint }));
  });
});

it.each([
  [undefined, "acme", true],
  [undefined, undefined, true],
  ["all", "acme", true],
  [["acme"], "acme", true],
  [["acme"], "beta", false],
  [["acme"], undefined, false],
] as const)("isOfAccount: a report of %j is of %s: %s", (accounts, name, expected) => {
  using named = nameReport(CHANNEL, { calls: null });
  const account = { name, sources: { env: {}, folder: named.folder } };
  const given = accounts === undefined || accounts === "all" ? accounts : [...accounts];
  const report = { ...named.report, content: { ...named.report.content, accounts: given } };
  expect(isOfAccount(report, account)).toBe(expected);
  expect(ofAccount(report, account)?.account).toBe(expected ? (name ?? null) : undefined);
});

it("toReportError adds the place to a UsageError, and does not change other errors", () => {
  using named = nameReport(CHANNEL, { calls: null });
  expect(toReportError(named.report, new UsageError("no", { hint: "Yes." }))).toMatchObject({
    message: expect.stringMatching(/\/calltally\.yaml:1:\d+: reports\.weekly: no$/),
    hint: "Yes.",
  });
  const other = new Error("no");
  expect(toReportError(named.report, other)).toBe(other);
});
