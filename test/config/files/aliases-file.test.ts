import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import { readAliases } from "../../../src/config/files/aliases-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

function read(content: string | Buffer) {
  using folder = makeTempFolder();
  const file = join(folder.path, "aliases.csv");
  writeFileSync(file, content);
  return readAliases(file);
}

const NONE = { source: {}, medium: {}, campaign: {} };

describe("readAliases", () => {
  it("reads folded values in any case and white space", () => {
    const content =
      '\ufeffraw,value\r\nFB, facebook\r\n"m.facebook.com",Facebook\r\n\r\njunk,\r\nface  book,facebook\r\n';
    expect(read(content)).toEqual({
      aliases: { fb: "facebook", "m.facebook.com": "facebook", junk: "", "face book": "facebook" },
      aliases_of: NONE,
    });
  });

  it("keeps the case of a campaign's name, and reads columns in any order", () => {
    const content =
      "of;raw;value\nCampaign;BRAND_exact;Brand | Exact\n;fb;Facebook\nmedium;CPC;Paid\nsource;fb;Meta\n";
    expect(read(content)).toEqual({
      aliases: { fb: "facebook" },
      aliases_of: {
        source: { fb: "meta" },
        medium: { cpc: "paid" },
        campaign: { brand_exact: "Brand | Exact" },
      },
    });
  });

  it.each([";", "\t"])("reads values separated by %j", (delimiter) => {
    const content = 'raw,value\n"fb, old",facebook\n'.replace(/,(?! )/g, delimiter);
    expect(read(content).aliases).toEqual({ "fb, old": "facebook" });
  });

  it("allows a name to be its own alias", () => {
    expect(read("raw,value\nFB,Facebook\nfacebook,Facebook\n").aliases).toEqual({
      fb: "facebook",
      facebook: "facebook",
    });
    const campaigns = read("raw,value,of\nbrand,Brand,campaign\nbrnd,Brand,campaign\n").aliases_of.campaign;
    expect(campaigns).toEqual({ brand: "Brand", brnd: "Brand" });
  });

  it("accepts a repeated line, and the name of a member of all objects", () => {
    expect(read("raw,value\nfb,facebook\nFB,Facebook\n").aliases).toEqual({ fb: "facebook" });
    const { campaign } = read("raw,value,of\n__proto__x,A,campaign\nconstructor,B,campaign\n").aliases_of;
    expect(Object.entries(campaign ?? {})).toEqual([
      ["__proto__x", "A"],
      ["constructor", "B"],
    ]);
  });

  it.each([
    ["fb,facebook\n", 'line 1, column 1: "fb" is not a known column'],
    ["raw\nfb\n", "line 1, column 2: the header has no column value"],
    ["raw,value\nfb,facebook,x\n", "line 2, column 3: has 3 values, and the header 2"],
    ["raw,value\n,facebook\n", 'line 2, column 1: raw "" already counts as not set'],
    ["raw,value\n{keyword},x\n", 'line 2, column 1: raw "{keyword}" already counts as not set'],
    ['raw;value\n\n"f\nb";facebook\nfb;x;y\n', "line 5, column 3: has 3 values"],
    [
      "raw,value\n\nfb,facebook\nFb,meta\n",
      "line 4, column 1: raw fb is already facebook by an earlier line",
    ],
    ["raw,value,of\na,B,campaign\nA,b,campaign\n", "line 3, column 1: raw a is already B by an earlier line"],
    ["raw,value\n\nfb\n", "line 3, column 1: has 1 values, and the header 2"],
    [
      "raw,value\nfb,facebook\nfacebook,meta\n",
      "line 2, column 2: value facebook is itself renamed by line 3",
    ],
    ["raw,value\na,b\nb,a\n", "line 2, column 2: value b is itself renamed by line 3"],
    ["raw,value,of\na,b,\nb,c,medium\n", "line 2, column 2: value b is itself renamed by line 3"],
    ["raw,value,of\na,Brand,campaign\nbrand,BRAND,campaign\n", "value Brand is itself renamed by line 3"],
    ["raw,value,of\na,b,campain\n", 'line 2, column 3: of is "campain", not one of source, medium, campaign'],
    ["raw,value,of\na,b,campain\n", "did you mean campaign?"],
    ["raw,value,of\na,b,constructor\n", 'of is "constructor", not one of'],
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
