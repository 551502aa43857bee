import { describe, expect, it } from "vitest";
import { readDay, toDay } from "../../src/spend/spend-day.ts";

describe("readDay", () => {
  it.each([
    "2026-10-05",
    "2026/10/05",
    "2026-10-5",
    "20261005",
    "2026-10-05 00:00:00",
    "2026-10-05T00:00:00.000Z",
    "Oct 5, 2026",
    "October 5, 2026",
    "Mon, Oct 5, 2026",
    "5 Oct 2026",
    "5-Oct-2026",
    "5. October 2026",
    "05.10.2026",
    " 5.10.2026 ",
  ])("reads %s by itself", (text) => {
    expect(readDay(text)).toEqual({ day: "2026-10-05" });
  });

  it("leaves what stands first to the file", () => {
    const day = readDay("10/5/2026");
    expect(day && [toDay(day, "mdy"), toDay(day, "dmy")]).toEqual(["2026-10-05", "2026-05-10"]);
    const late = readDay("10/31/2026");
    expect(late && [toDay(late, "mdy"), toDay(late, "dmy")]).toEqual(["2026-10-31", undefined]);
  });

  it.each([
    "",
    "2026-02-29",
    "2026-13-01",
    "Foo 5, 2026",
    "Octo 5, 2026",
    "10/5/26",
    "2026-10",
    "2026-W43",
    "2026-10-05 12:00:00",
    "Total",
    "10/5-2026",
    "1026-10-05",
  ])("takes %j for no day", (text) => {
    expect(readDay(text)).toBeUndefined();
  });
});
