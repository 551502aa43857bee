import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { readAliases } from "../../src/config/attribution-settings.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

function read(content: string | Buffer) {
  using folder = makeTempFolder();
  const file = join(folder.path, "aliases.csv");
  writeFileSync(file, content);
  return readAliases(file);
}

describe("readAliases", () => {
  it("reads folded values in any case and white space", () => {
    const content =
      '\ufeffraw,value\r\nFB, facebook\r\n"m.facebook.com",Facebook\r\n\r\njunk,\r\nface  book,facebook\r\n';
    expect(read(content)).toEqual({
      fb: "facebook",
      "m.facebook.com": "facebook",
      junk: "",
      "face book": "facebook",
    });
  });

  it.each([";", "\t"])("reads values separated by %j", (delimiter) => {
    const content = 'raw,value\n"fb, old",facebook\n'.replace(/,(?! )/g, delimiter);
    expect(read(content)).toEqual({ "fb, old": "facebook" });
  });

  it("allows a name to be its own alias", () => {
    expect(read("raw,value\nFB,Facebook\nfacebook,Facebook\n")).toEqual({
      fb: "facebook",
      facebook: "facebook",
    });
  });

  it("accepts a repeated line", () => {
    expect(read("raw,value\nfb,facebook\nFB,Facebook\n")).toEqual({ fb: "facebook" });
  });

  it.each([
    ["fb,facebook\n", "line 1: the first line is not raw,value"],
    ["raw,value\nfb,facebook,x\n", "line 2: has more than two values"],
    ["raw,value\n,facebook\n", 'line 2: "" already counts as not set'],
    ["raw,value\n{keyword},x\n", 'line 2: "{keyword}" already counts as not set'],
    ['raw;value\n\n"f\nb";facebook\nfb;x;y\n', "line 5: has more than two values"],
    ["raw,value\n\nfb,facebook\nFb,meta\n", "line 4: fb is already facebook by an earlier line"],
    ["raw,value\n\nfb\n", 'line 3: "fb" has no value'],
    ["raw,value\nfb,facebook\nfacebook,meta\n", "line 2: facebook is itself renamed by line 3"],
    ["raw,value\na,b\nb,a\n", "line 2: b is itself renamed by line 3"],
    [Buffer.from("raw,value\nm\xfcnchen,munich\n", "latin1"), "it is not UTF-8 text"],
    ['raw,value\n"fb,facebook\n', "line 2"],
  ])("refuses %j with the reason", (content, message) => {
    expect(() => read(content)).toThrow(UsageError);
    expect(() => read(content)).toThrow(message);
  });

  it("names a missing file", () => {
    expect(() => readAliases("/nowhere/aliases.csv")).toThrow(
      "Cannot read the aliases in /nowhere/aliases.csv: no such file or directory",
    );
  });
});
