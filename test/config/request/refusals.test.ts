import { describe, expect, it } from "vitest";
import { ALL_OPTIONS, OPTIONS } from "../../../src/config/request/options.ts";
import { findRefusals, isGiven, type Refusal } from "../../../src/config/request/refusals/refusal.ts";
import { REFUSALS } from "../../../src/config/request/refusals/refusals.ts";
import type { ReportParts } from "../../../src/config/request/refusals/reports.ts";

const namesIn = ({ text }: { text: string }) => [...text.matchAll(/\{(.*?)\}/g)].map(([, name]) => name);

describe("REFUSALS", () => {
  it("name only options of a request, the outlet, and what was found", () => {
    const outlet = ["stdout", "out", "json", "engine"];
    const known = [...ALL_OPTIONS.keys(), ...Object.keys(OPTIONS), ...outlet, "found"];
    const named = [...REFUSALS.request, ...REFUSALS.outlet].flatMap(namesIn);
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !known.includes(name ?? ""))).toEqual([]);
    expect(REFUSALS.report.flatMap(namesIn)).toEqual([]);
  });

  it.each<[ReportParts & Record<string, unknown>, string[]]>([
    [{ ring_back: "times" }, ["ring_back needs personal_data: true", "ring_back needs a mail below deliver"]],
    [
      { ring_back: "times", personal_data: true, deliver: [{ to: "account" }], min_cell: 5, engine: "c" },
      ["ring_back cannot be used with min_cell", "ring_back cannot be used with engine"],
    ],
    [{ require: "verified" }, ["require needs deliver"]],
    [{ on_restatement: "deliver", cron: "0 7 * * 1" }, ["on_restatement needs cron and deliver"]],
    [
      { on_restatement: "deliver", cron: "0 7 * * 1", deliver: [], top: 3 },
      ["on_restatement cannot be used with raw, top, min_cell or include_gone"],
    ],
    [{ personal_data: true, cron: "0 7 * * 1" }, []],
  ])("refuse the report %j with each of its conflicts", (report, starts) => {
    const refused = [...findRefusals(REFUSALS.report, report, { options: report, spell: String })];
    expect(refused.map(({ text }, index) => text.slice(0, starts[index]?.length))).toEqual(starts);
  });

  it.each([
    [{ stdout: true }, 2, "html", "<stdout> writes one page, but there are several accounts"],
    [{ stdout: true, out: "x" }, 3, "csv", "<stdout> writes one file, but there are several accounts"],
    [{ stdout: true, out: "x" }, 1, "csv", "Cannot use <out> with <stdout>, which writes no files"],
    [
      { stdout: true, json: true },
      1,
      "csv",
      "Cannot use <json>, which prints the manifest, with <stdout>, which writes none",
    ],
    [{ out: "x", json: true }, 2, "csv", undefined],
  ])("refuse the flags %j of %i accounts as %s: %s", (options, accounts, format, text) => {
    const wording = { options, spell: (name: string) => `<${name}>` };
    const [first] = findRefusals(REFUSALS.outlet, { accounts, format }, wording);
    expect(first?.text).toBe(text);
  });
});

describe("findRefusals", () => {
  const TABLE: readonly Refusal<{ found: string | undefined }, "fill" | "top" | "grain">[] = [
    { options: ["fill", "top"], text: "both {fill} and {top}" },
    { options: ["fill"], without: ["grain"], text: "{fill} alone" },
    { when: ({ found }) => found, text: "{found}, not {grain}" },
  ];
  it.each([
    [{ fill: true, top: 3, grain: "day" }, undefined, ["both -fill and -top"]],
    [{ fill: true }, undefined, ["-fill alone"]],
    [{ fill: false, top: 3 }, "", []],
    [{}, "{top} $& x", ["{top} $& x, not -grain"]],
  ])("fills in the texts of %j with %j", (options, found, texts) => {
    const wording = { options, spell: (name: string) => `-${name}` };
    expect([...findRefusals(TABLE, { found }, wording)].map(({ text }) => text)).toEqual(texts);
  });
});

describe("isGiven", () => {
  it.each([
    ["format", { format: "csv" }, false],
    ["format", { format: "json" }, true],
    ["revenue_by", { revenue_by: "call" }, true],
    ["filter.min_duration_seconds", { filter: { min_duration_seconds: 0 } }, true],
    ["filter.first_time", { filter: { first_time: false } }, false],
    ["with", { with: [] }, false],
    ["conversion.value", {}, false],
  ])("judges %s of %j: %s", (option, request, given) => expect(isGiven(request, option)).toBe(given));
});
