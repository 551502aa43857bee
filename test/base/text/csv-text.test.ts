import { describe, expect, it } from "vitest";
import { type CsvLine, forEachLine, possibleHeaders } from "../../../src/base/text/csv-text.ts";

function linesOf(text: string, delimiter = ","): CsvLine[] {
  const lines: CsvLine[] = [];
  forEachLine(text, { delimiter }, (line) => void lines.push(line));
  return lines;
}

describe("forEachLine", () => {
  it("numbers each record by its first line in the file, even after blank lines and quoted line breaks", () => {
    expect(linesOf('a,b\n\n\r\n"x\ny\r\nz",1\rc,2\nd').map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, "a", "b"],
      [2, ""],
      [3, ""],
      [4, "x\ny\r\nz", "1"],
      [7, "c", "2"],
      [8, "d"],
    ]);
  });

  it.each([
    [' "a, b" ,c', ['"a, b"', "c"]],
    [' "a, b",c', ["a, b", "c"]],
    ['="2053","=""2054""",="x"y', ["2053", "2054", '="x"y']],
    [" a ,\u00a0b,", ["a", "b", ""]],
    ['5" pipe,1', ['5" pipe', "1"]],
  ])("reads the cells of %s", (text, cells) => {
    expect(linesOf(text).map((line) => line.cells)).toEqual([cells]);
  });

  it("accepts blanks after quotes and refuses quotes within a cell, in strict mode", () => {
    const read = (text: string) => {
      const lines: string[][] = [];
      forEachLine(text, { delimiter: ",", isStrict: true }, ({ cells }) => void lines.push(cells));
      return lines;
    };
    expect(read(' "a, b" , c \n')).toEqual([["a, b", "c"]]);
    expect(() => read('5" pipe,1\n')).toThrow("quote");
  });

  it("refuses an unclosed quote", () => {
    expect(() => linesOf('a,"b\n')).toThrow("Quote Not Closed");
  });
});

describe("possibleHeaders", () => {
  it("returns the first lines by each delimiter, even lines before an unclosed quote", () => {
    const found = [...possibleHeaders('a;b\nc\td\n"e;1\n', 3)];
    expect(found.map(({ delimiter, line, cells }) => [delimiter, line, ...cells])).toEqual([
      [",", 1, "a;b"],
      [",", 2, "c\td"],
      [";", 1, "a", "b"],
      [";", 2, "c\td"],
      ["\t", 1, "a;b"],
      ["\t", 2, "c", "d"],
    ]);
  });
});
