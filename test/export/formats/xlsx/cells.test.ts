import { SSF } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { cellWriter } from "../../../../src/export/formats/xlsx/cells.ts";
import { Styles } from "../../../../src/export/formats/xlsx/styles.ts";
import type { Column } from "../../../../src/export/table.ts";

describe("cellWriter", () => {
  /** Returns how a spreadsheet shows a number of a column. */
  function show(column: Column, value: number): string {
    const styles = new Styles();
    cellWriter(column, { styles, toLocal: () => ({ local: "", offset: "" }) })("A1", value);
    const [, format = ""] = /formatCode="([^"]*)"/.exec(styles.toXml()) ?? [];
    return SSF.format(format, value);
  }

  it("shows a change with its sign, and other shares with a sign only if negative", () => {
    const share: Column = { name: "answer_rate", type: "decimal", decimals: 4, isShare: true };
    const change: Column = { ...share, comparison: { shows: "change", of: "calls", as: "previous" } };
    expect([0.09, -0.09, 0, -1].map((value) => show(change, value))).toEqual([
      "+9.00%",
      "-9.00%",
      "0.00%",
      "-100.00%",
    ]);
    expect([0.09, -0.09].map((value) => show(share, value))).toEqual(["9.00%", "-9.00%"]);
  });

  it("shows texts and ids unchanged, and a number without fixed decimals with all of its decimals", () => {
    const formatOf = (column: Column) => {
      const styles = new Styles();
      cellWriter(column, { styles, toLocal: () => ({ local: "", offset: "" }) });
      return [...styles.toXml().matchAll(/formatCode="([^"]*)"/g)].map(([, format]) => format);
    };
    expect(formatOf({ name: "source", type: "text" })).toEqual(["@"]);
    expect(formatOf({ name: "call_id", type: "integer", isId: true })).toEqual(["@"]);
    expect(formatOf({ name: "value", type: "decimal" })).toEqual(["@"]);
    expect(formatOf({ name: "day", type: "date" })).toEqual(["yyyy-mm-dd", "@"]);
  });

  it("shows an amount with its currency, and a whole number with thousands separators", () => {
    const cost: Column = { name: "cost", type: "decimal", decimals: 2, currency: "EUR" };
    expect(show(cost, -1234.5)).toBe("-1,234.50 EUR");
    expect(show({ name: "calls", type: "integer" }, 1234)).toBe("1,234");
  });
});
