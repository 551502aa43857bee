import { describe, expect, it } from "vitest";
import { toSpoken } from "../../src/export/statements/statements.ts";
import { toBasis, toBounded } from "../../src/mcp/answer.ts";

const MANIFEST = { run: null, statements: [], timezone: "Europe/Berlin" };

describe("toBasis", () => {
  it("returns only what is known", () => {
    expect(toBasis(MANIFEST, { account: undefined, isProvisional: true })).toStrictEqual({
      run: null,
      verdict: null,
      verdict_reason: null,
      finished_at: null,
      timezone: "Europe/Berlin",
      provisional: true,
      statements: [],
    });
  });

  it("names the account, the run, both ranges, what a reader must know, and what costs are about", () => {
    const run = { run_id: 7, verdict: "exact", verdict_reason: "Each page met.", finished_at: "2026-10-05" };
    const provisional = { id: "provisional", level: "caution", values: {} } as const;
    const before = { as: "previous" as const, from: "2026-08-01" };
    const ranges = { range: { from: "2026-09-01" }, compared_with: [before] };
    const manifest = { ...MANIFEST, ...ranges, run, statements: [provisional] };
    const spend = ["From spend.csv."];
    expect(toBasis(manifest, { account: "acme", isProvisional: false, spend })).toEqual({
      account: "acme",
      run: 7,
      verdict: "exact",
      verdict_reason: "Each page met.",
      finished_at: "2026-10-05",
      ...ranges,
      timezone: "Europe/Berlin",
      provisional: false,
      statements: [toSpoken(provisional)],
      spend,
    });
  });
});

describe("toBounded", () => {
  const less = "Ask for less.";
  const lengthOf = (value: unknown) => JSON.stringify(value).length;
  /** Texts of 190 characters, which are not cut, with the rest of 25,000 characters in the last one. */
  const filling = (length: number) => {
    const texts = Array.from({ length: 129 }, () => "x".repeat(190));
    const rest = length - lengthOf({ rows: [...texts, ""] });
    return { rows: [...texts, "x".repeat(rest)] };
  };

  it("returns the basis and all of a short answer", () => {
    const basis = toBasis(MANIFEST, { account: undefined, isProvisional: true });
    const data = { rows: [{ calls: 1 }], notices: [], total: { calls: 1 } };
    expect(toBounded({ basis, data, less }, true)).toEqual({ basis, ...data });
    expect(toBounded({ data, less }, true)).toEqual(data);
  });

  it("cuts lists only if the answer has more than 25,000 characters", () => {
    const full = filling(25_000);
    expect(lengthOf(full)).toBe(25_000);
    expect(toBounded({ data: full, less }, true)).toEqual(full);
    const cut = toBounded({ data: filling(25_001), less }, true);
    expect(cut).toMatchObject({ cut: "Shows the first 129 of 130 rows. Ask for less." });
    expect(cut.rows).toHaveLength(129);
  });

  it("says which lists it cuts, and keeps the first items of each", () => {
    const rows = Array.from({ length: 12_345 }, (_, index) => index);
    const data = { rows, notices: ["one", "two"], months: rows.slice(0, 11_000) };
    const { cut, ...kept } = toBounded({ data, less }, true);
    const count = Array.isArray(kept.rows) ? kept.rows.length : 0;
    expect(kept).toEqual({
      rows: rows.slice(0, count),
      notices: ["one", "two"],
      months: rows.slice(0, count),
    });
    const shown = count.toLocaleString("en-US");
    expect(cut).toBe(`Shows the first ${shown} of 12,345 rows and ${shown} of 11,000 months. Ask for less.`);
    const more = { rows: rows.slice(0, count + 1), notices: data.notices, months: rows.slice(0, count + 1) };
    expect(lengthOf({ ...more, cut })).toBeGreaterThan(25_000);
  });

  it("does not name a list that is as long as the others are cut", () => {
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [index, "x".repeat(190)]));
    const { rows, notices, cut } = toBounded(
      { data: { rows: [wide, wide, wide], notices: ["a", "b"] }, less },
      true,
    );
    expect([rows, notices]).toEqual([
      [wide, wide],
      ["a", "b"],
    ]);
    expect(cut).toBe("Shows the first 2 of 3 rows. Ask for less.");
  });

  it("shows no list if its first item is too long, and hides personal data", () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [index, "x".repeat(200)]));
    expect(toBounded({ data: { rows: [wide] }, less }, true)).toEqual({
      rows: [],
      cut: "Shows the first 0 of 1 rows. Ask for less.",
    });
    const data = { rows: [{ caller: "+4930123456", calls: 2 }] };
    expect(toBounded({ data, less }, false)).toEqual({ rows: [{ calls: 2 }] });
  });

  it("shows at most 10,000 items, however short they are", () => {
    const rows = Array.from({ length: 10_001 }, () => 1);
    const { rows: shown, cut } = toBounded({ data: { rows }, less }, true);
    expect(shown).toHaveLength(10_000);
    expect(cut).toBe("Shows the first 10,000 of 10,001 rows. Ask for less.");
  });
});
