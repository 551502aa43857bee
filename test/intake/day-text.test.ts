import { describe, expect, it } from "vitest";
import { DAY_ORDERS, ordersOf, readDay, toDay } from "../../src/intake/day-text.ts";

describe("readDay", () => {
  it.each([
    "2026-10-5",
    "20261005",
    "Oct 5, 2026",
    "October 5, 2026",
    "Mon, Oct 5, 2026",
    " 5.10.2026 ",
    "5-Oct-26",
    "5 October 26",
    "05OCT2026",
    "5/Oct/2026",
    "2026-Oct-05",
    "Oct-5-2026",
    "October 5th, 2026",
    "5.10.26",
  ])("reads %s by itself", (text) => {
    expect(readDay(text)).toEqual({ day: "2026-10-05" });
  });

  it("leaves the order of day and month to the file", () => {
    const day = readDay("10/5/2026");
    expect(day && [toDay(day, "mdy"), toDay(day, "dmy")]).toEqual(["2026-10-05", "2026-05-10"]);
    const late = readDay("10/31/2026");
    expect(late && [toDay(late, "mdy"), toDay(late, "dmy")]).toEqual(["2026-10-31", undefined]);
  });

  it.each([
    "2026-02-29",
    "Foo 5, 2026",
    "10/5/126",
    "2026-10",
    "2026-10-05 00:00:00",
    "10/5-2026",
    "1026-10-05",
  ])("does not accept %j as a day", (text) => {
    expect(readDay(text)).toBeUndefined();
  });

  const MONTHS =
    "January February March April May June July August September October November December".split(" ");

  it.each(MONTHS.map((name, index) => [name, index + 1] as const))(
    "recognizes %s in full and by three letters",
    (name, month) => {
      const day = `2026-${String(month).padStart(2, "0")}-05`;
      for (const each of [name, name.toUpperCase(), name.slice(0, 3), name.slice(0, 3).toLowerCase()]) {
        for (const text of [
          `${each} 5, 2026`,
          `${each} 5 2026`,
          `Mon, ${each} 05, 2026`,
          `Monday ${each} 5, 2026`,
        ]) {
          expect([text, readDay(text)]).toEqual([text, { day }]);
        }
        for (const text of [
          `5 ${each} 2026`,
          `05-${each}-2026`,
          `5. ${each} 2026`,
          `Mon, 5 ${each}, 2026`,
          `5 ${each}. 2026`,
          `Monday 5.${each} 2026`,
        ]) {
          expect([text, readDay(text)]).toEqual([text, { day }]);
        }
      }
    },
  );

  it.each([
    ["Sept 5, 2026", "2026-09-05"],
    ["5 Sept 2026", "2026-09-05"],
    ["2028-02-29", "2028-02-29"],
    ["2999-12-31", "2999-12-31"],
    ["5.10.00", "2000-10-05"],
    ["31-Dec-99", "2099-12-31"],
  ])("reads %s as %s", (text, day) => {
    expect(readDay(text)).toEqual({ day });
  });

  it.each([
    "1899-12-31",
    "3000-01-01",
    "2026-04-31",
    "1900-02-29",
    "x2026-10-05",
    "2026-10/05",
    "2026-10-05 00:00:00.1",
    "2026-10-05  00:00",
    "2026-10-05 00:00 Z",
    "202610055",
    "20261305",
    "xOct 5, 2026x",
    "Oct 555, 2026",
    "Oct  5, 2026",
    "1 Oct 5, 2026",
    "O 5, 2026",
    "5 Oct 20266",
    "555 Oct 2026",
    "5.10.2026 12:00",
    "5.10-2026",
  ])("does not accept the variant %j", (text) => {
    expect(readDay(text)).toBeUndefined();
  });

  it("determines the possible orders of two numbers", () => {
    expect(DAY_ORDERS).toEqual(["mdy", "dmy"]);
    for (const [text, orders] of [
      ["10/5/2026", ["mdy", "dmy"]],
      ["10-5-26", ["mdy", "dmy"]],
      ["12/12/2026", ["mdy", "dmy"]],
      ["12/13/2026", ["mdy"]],
      ["13/12/2026", ["dmy"]],
      ["13/13/2026", []],
      ["2/30/2026", []],
      ["2/29/2028", ["mdy"]],
      ["0/5/2026", []],
      ["1/1/1899", []],
    ] as const) {
      const day = readDay(text);
      if (day === undefined || "day" in day) throw new Error(`${text} is not open`);
      expect([text, ordersOf(day)]).toEqual([text, orders]);
    }
    expect(toDay({ day: "2026-10-05" }, "dmy")).toBe("2026-10-05");
  });
});
