import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemOf } from "../../../src/base/errors.ts";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { readAliases } from "../../../src/config/files/aliases-file.ts";
import { appendAliases } from "../../../src/features/hygiene/append-aliases.ts";
import { findProblems } from "../../../src/features/hygiene/find-problems.ts";
import type { AliasLine } from "../../../src/features/hygiene/tag-problem.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const LINES: AliasLine[] = [
  { raw: "facebok", value: "facebook", of: "source" },
  { raw: 'Brand, "Exact"', value: "Brand | Exact", of: "campaign" },
];

/** Appends to a file of this text, and returns the text then. */
function append(text: string, lines = LINES) {
  using folder = makeTempFolder();
  const file = join(folder.path, "aliases.csv");
  writeFileSync(file, text);
  appendAliases(file, lines);
  expect(readdirSync(folder.path)).toEqual(["aliases.csv"]);
  return readFileSync(file, "utf8");
}

describe("appendAliases", () => {
  it.each([
    [
      "raw,value,of\nfb,facebook,\n",
      'raw,value,of\nfb,facebook,\nfacebok,facebook,source\n"Brand, ""Exact""",Brand | Exact,campaign\n',
    ],
    // The last line may have no end.
    [
      "raw,value,of\r\nfb,facebook,",
      'raw,value,of\r\nfb,facebook,\r\nfacebok,facebook,source\r\n"Brand, ""Exact""",Brand | Exact,campaign\r\n',
    ],
    [
      "of;raw;value\r\n;fb;facebook\r\n",
      'of;raw;value\r\n;fb;facebook\r\nsource;facebok;facebook\r\ncampaign;"Brand, ""Exact""";Brand | Exact\r\n',
    ],
    [
      'raw,value\n\n"a ""b""",c\n',
      'raw,value,of\n"a ""b""",c,\nfacebok,facebook,source\n"Brand, ""Exact""",Brand | Exact,campaign\n',
    ],
  ])("appends to %j by its columns, delimiter and line ends", (before, after) => {
    expect(append(before)).toBe(after);
  });

  it("creates a missing file", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "aliases.csv");
    appendAliases(file, LINES);
    expect(readFileSync(file, "utf8")).toBe(
      'raw,value,of\nfacebok,facebook,source\n"Brand, ""Exact""",Brand | Exact,campaign\n',
    );
  });

  it("keeps the permissions, and the link to the file", () => {
    using folder = makeTempFolder();
    const [file, link] = [join(folder.path, "own.csv"), join(folder.path, "aliases.csv")];
    writeFileSync(file, "raw,value,of\n");
    chmodSync(file, 0o646);
    symlinkSync(file, link);
    appendAliases(link, LINES);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o646);
    expect(readAliases(file).aliases_of.source).toEqual({ facebok: "facebook" });
  });

  it.each([
    ["raw,value,of\nFacebok,facebook,source\n", 'it has an alias of the source "facebok" already'],
    ["raw,value,of\nfacebook,meta,source\n", "value facebook is itself renamed by line 2"],
    ["raw,value,of\nfb,facebok,\n", "value facebok is itself renamed by line 3"],
    ["raw,of\n", "the header has no column value"],
  ])("refuses %j, and leaves the file as it is: %s", (text, message) => {
    using folder = makeTempFolder();
    const file = join(folder.path, "aliases.csv");
    writeFileSync(file, text);
    const problem = problemOf(() => appendAliases(file, LINES)) ?? "";
    expect(problem).toContain(message);
    // Only the file itself is named, not the draft.
    expect(problem.replaceAll(file, "FILE")).not.toContain(folder.path);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder.path)).toEqual(["aliases.csv"]);
  });

  it("writes what is read as the lines that were shown, whatever the values", () => {
    const word = fc.constantFrom(
      ..."brand Brand BRAND exact exacct e\u0301t\u00e9 \u00e9te\u0301 \u{1f525}".split(" "),
      ...[
        "\u202e\u0645\u0628\u064a\u0639\u0627\u062a",
        "=cmd",
        '="x"',
        "@sum",
        "+1",
        "__proto__",
        "constructor",
        "null",
        "{x}",
        "raw",
        "1",
      ],
      "(not set)",
    );
    const gap = fc.constantFrom(..." _,;\t\"'-\n\u2028\ufeff\u0085\u00a0", "", " | ", "\r\n");
    const name = fc
      .array(fc.tuple(gap, word), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join(""));
    let written = 0;
    fc.assert(
      fc.property(
        fc.array(fc.record({ name, calls: fc.integer({ min: 1, max: 99 }) }), {
          minLength: 2,
          maxLength: 30,
          size: "max",
        }),
        fc.constantFrom("raw,value,of\n", "raw;value\n", "of\tvalue\traw\r\nsource\tfacebook\tfb\r\n"),
        (named, before) => {
          const calls = named.map((each) => ({ ...each, call: factsOf(each.name) }));
          const problems = findProblems({
            visits: calls.map(({ call, calls }) => ({
              ...call,
              is_google_click: false,
              calls,
              since: null,
            })),
            spellings: [],
            costs: undefined,
            rules: { aliases: {} },
            newSince: null,
          });
          const lines = problems.flatMap(({ line }) => (line?.file === "aliases" ? [line.cells] : []));
          const text = append(before, lines);
          written += lines.length;
          using folder = makeTempFolder();
          writeFileSync(join(folder.path, "a.csv"), text);
          const rules = { ...DEFAULT_RULES, ...readAliases(join(folder.path, "a.csv")) };
          for (const problem of problems) {
            if (problem.line?.file !== "aliases") continue;
            const { of, value } = problem.line.cells;
            expect([problem.value, factsOf(problem.value, rules)[of]]).toEqual([
              problem.value,
              value === "" ? null : value,
            ]);
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(written).toBeGreaterThan(100);
  });
});

/** The facts of a call that has the name everywhere. */
function factsOf(name: string, rules = DEFAULT_RULES) {
  const call = makeCall({ utm_source: name, utm_medium: name, campaign_name: name });
  const { source, medium, campaign, campaign_id, referring_host } = attributeCall(call, rules);
  return { source, medium, campaign, campaign_id, referring_host };
}
