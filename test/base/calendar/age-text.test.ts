import { describe, expect, it } from "vitest";
import { parseAge } from "../../../src/base/calendar/age-text.ts";

describe("parseAge", () => {
  it.each([
    { text: "30m", ms: 1_800_000 },
    { text: "2h", ms: 7_200_000 },
    { text: "1d", ms: 86_400_000 },
    { text: "0h", ms: 0 },
    { text: "999999d", ms: 86_399_913_600_000 },
  ])("reads $text", ({ text, ms }) => {
    expect(parseAge(text)).toEqual({ text, ms });
  });

  it.each(["", "m", "5", "5s", "5 m", "1.5h", "-1d", "1000000d", "x5m", "5mm", "5M"])(
    "refuses %j",
    (text) => {
      expect(() => parseAge(text)).toThrow(
        new Error("must be a number of minutes, hours or days, such as 30m, 2h or 1d"),
      );
    },
  );
});
