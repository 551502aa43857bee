import { relative, resolve, sep } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandPattern, fillPlaceholders } from "../../src/delivery/placeholders.ts";
import { VALUES } from "./report.ts";

describe("expandPattern", () => {
  it.each([
    ["reports/{account}/{report}/{from}", "reports/acme/weekly/2026-10-19"],
    ["/srv/{account}-{report}_{from}..{to}", "/srv/acme-weekly_2026-10-19..2026-11-15"],
    ["../{period}/", "../2026-W46/"],
    ["reports", "reports"],
  ])("%s → %s", (pattern, path) => {
    expect(expandPattern(pattern, VALUES)).toBe(path);
  });

  it.each([
    ["../../etc", /^__\/x|^___?_?\.?\.?_etc~[0-9a-f]{8}$/],
    ["..", /^__~[0-9a-f]{8}$/],
    [".hidden", /^_hidden~[0-9a-f]{8}$/],
    ["", /^~[0-9a-f]{8}$/],
    ["a\0b", /^a_b~[0-9a-f]{8}$/],
    ["Acme, Inc", /^Acme, Inc$/],
    ["Zahnärzte 東京", /^Zahnärzte 東京$/],
    ["NUL", /^_NUL$/],
    ["com1.txt", /^_com1\.txt$/],
    ["{report}", /^_report_~[0-9a-f]{8}$/],
    ["ab\u202etxt.exe", /^ab_txt\.exe~[0-9a-f]{8}$/],
  ])("makes one name of %j", (account, name) => {
    expect(expandPattern("{account}", { account })).toMatch(name);
  });

  it("never leads out of its folder, whatever the values, and makes names that every system takes", () => {
    const nasty = fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "\0",
      "~",
      "{from}",
      " ",
      "con",
      "\u202e",
      "é",
      "𝒜",
      "a",
    );
    const value = fc.oneof(
      fc.array(nasty, { maxLength: 400 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary" }),
    );
    const pattern = fc.constantFrom(
      "{account}",
      "{account}/{report}",
      "r/{account}{report}",
      ".{account}",
      "{account}.",
      "x{account}/..{report}",
    );
    let changed = 0;
    fc.assert(
      fc.property(pattern, value, value, (pattern, account, report) => {
        const path = expandPattern(pattern, { account, report });
        if (!path.includes(account) || !path.includes(report)) changed++;
        const root = resolve("/root");
        const inside = relative(root, resolve(root, path));
        const names = path.split("/");
        expect(names).toHaveLength(pattern.split("/").length);
        expect(inside.split(sep)).toEqual(names);
        for (const name of names) {
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
          expect(name).toMatch(/^[\p{L}\p{N}\p{M} ._+@=,~-]+$/u);
          expect(name).not.toMatch(/^(\.{1,2}|(con|nul)(\..*)?)$/i);
        }
      }),
    );
    expect(changed).toBeGreaterThan(50);
  });

  it("makes different names of different values", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
        fc.pre(one !== other);
        expect(expandPattern("{account}", { account: one })).not.toBe(
          expandPattern("{account}", { account: other }),
        );
      }),
    );
    expect(expandPattern("{account}", { account: "a/b" })).not.toBe(
      expandPattern("{account}", { account: "a_b" }),
    );
    const long = "x".repeat(300);
    expect(expandPattern("{account}", { account: `${long}1` })).not.toBe(
      expandPattern("{account}", { account: `${long}2` }),
    );
  });

  it("refuses a placeholder without a value", () => {
    expect(() => expandPattern("{date}", VALUES)).toThrow("Cannot use {date} in {date}: there is none here");
  });
});

describe("fillPlaceholders", () => {
  it("takes what a value holds for no placeholder, and other braces for text", () => {
    expect(fillPlaceholders("{account} {report} {} { report }", { account: "{report}", report: "$&" })).toBe(
      "{report} $& {} { report }",
    );
  });
});
