import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { decodeText } from "../../src/intake/decode-text.ts";

const utf16 = (text: string) => Buffer.from(text, "utf16le");
const swapped = (text: string) => utf16(text).swap16();

describe("decodeText", () => {
  it.each([
    ["nothing", Buffer.of(), ""],
    ["one byte", Buffer.from("D"), "D"],
    ["UTF-8", Buffer.from("Däy"), "Däy"],
    ["UTF-8 with a mark", Buffer.from("\ufeffDäy"), "Däy"],
    ["UTF-8 that begins with two bytes of a mark", Buffer.from("\uef80é"), "\uef80é"],
    ["UTF-8 whose first letter has two bytes", Buffer.from("änderung"), "änderung"],
    ["UTF-16 LE", utf16("Däy"), "Däy"],
    ["UTF-16 LE that has a byte of a mark", utf16("D¿y"), "D¿y"],
    ["UTF-16 LE with a mark", utf16("\ufeffDäy"), "Däy"],
    ["UTF-16 LE with a mark and no Latin letters", utf16("\ufeff日付"), "日付"],
    ["UTF-16 BE", swapped("Däy"), "Däy"],
    ["UTF-16 BE with a mark", swapped("\ufeffDäy"), "Däy"],
    ["UTF-16 BE with a mark and no Latin letters", swapped("\ufeff日付"), "日付"],
  ])("reads %s", (_, bytes, text) => {
    expect(decodeText(bytes).text).toBe(text);
  });

  it("reads other text as Windows-1252 and reports it", () => {
    expect(decodeText(Buffer.from("D\xe4y;\x80 5\r\n\t", "latin1"))).toEqual({
      text: "Däy;€ 5\r\n\t",
      encoding: "windows-1252",
    });
  });

  it.each([
    ["damaged UTF-8", Buffer.concat([Buffer.from("Dä"), Buffer.of(0xe4)])],
    ["damaged UTF-8 with a mark", Buffer.of(0xef, 0xbb, 0xbf, 0xe4)],
    ["bytes that are undefined in Windows-1252", Buffer.of(0x44, 0xe4, 0x81)],
    ["control characters", Buffer.of(0x44, 0xe4, 0x05)],
    ["a workbook", Buffer.from("PK\u0003\u0004\0\0\0\0")],
    ["zeros", Buffer.alloc(4)],
    ["half a UTF-16 letter", utf16("Day").subarray(0, 5)],
    ["a NUL within UTF-16", utf16("D\0y")],
  ])("refuses %s", (_, bytes) => {
    expect(() => decodeText(bytes)).toThrow(
      new UsageError("it is not text in UTF-8, UTF-16 or Windows-1252", {
        hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is not CSV.",
      }),
    );
    try {
      decodeText(bytes);
    } catch (error) {
      expect(error).toMatchObject({ hint: "Save it as CSV in UTF-8; a workbook (.xlsx) is not CSV." });
    }
  });
});
