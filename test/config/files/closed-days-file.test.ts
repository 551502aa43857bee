import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import { readClosedDays } from "../../../src/config/files/closed-days-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

function read(text: string): string[] {
  using folder = makeTempFolder();
  const file = join(folder.path, "closed.csv");
  writeFileSync(file, text);
  return readClosedDays(file);
}

describe("readClosedDays", () => {
  it("reads days in order, with or without their names", () => {
    expect(read("2026-12-25,Christmas\r\n\r\n 2026-01-01 ; New Year\n2026-12-25\n")).toEqual([
      "2026-01-01",
      "2026-12-25",
    ]);
    expect(read("")).toEqual([]);
  });

  it("names the line and the column that is not a day", () => {
    const refusal = (text: string) => {
      try {
        return read(text);
      } catch (error) {
        return error instanceof UsageError ? [error.message.replace(/ in .*?: /, ": "), error.hint] : error;
      }
    };
    const hint = "Write one day per line, such as 2026-12-25; its name may follow after a comma.";
    expect(refusal("2026-12-25\n  25.12.2026,Christmas\n")).toEqual([
      'Cannot use the closed days: line 2, column 3: "25.12.2026" is not a date from 1900 to 2999 as YYYY-MM-DD; did you mean 2026-12-25?',
      hint,
    ]);
    expect(refusal("Christmas\n")).toEqual([
      'Cannot use the closed days: line 1, column 1: "Christmas" is not a date from 1900 to 2999 as YYYY-MM-DD, such as 2026-11-20',
      hint,
    ]);
  });
});
