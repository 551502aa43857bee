import { expect, it } from "vitest";
import { assertDeliverable } from "../../src/reports/requirements.ts";

it("a withheld report gets the advice of its doubt: a full pass does not make rows readable", () => {
  const report = { name: "weekly", content: { require: "verified" } } as Parameters<
    typeof assertDeliverable
  >[0];
  const statement = {
    id: "rejected_rows",
    level: "doubt",
    values: { rows: 90, listed: 1500, is_over_threshold: 1 },
  };
  const manifest = { run: { verdict: "exact" }, statements: [statement] } as unknown as Parameters<
    typeof assertDeliverable
  >[1];
  expect(() => assertDeliverable(report, manifest)).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(/^See them with `calltally status`.+without --deliver/),
    }),
  );
});
