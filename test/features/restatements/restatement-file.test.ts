import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FormatOptions, resolve } from "../../../src/config/request/resolve.ts";
import { findRestatementFile } from "../../../src/export/output/folder.ts";
import type { Restatement } from "../../../src/features/restatements/restatement.ts";
import { writeRestatements } from "../../../src/features/restatements/restatement-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const FOUND: Restatement[] = [
  {
    found_at: "2026-11-01T00:00:00.000Z",
    path: "/out/source.csv",
    contents: "source",
    period: "2026-09",
    starts_at: "2026-09-01T00:00:00.000Z",
    ends_at: "2026-10-01T00:00:00.000Z",
    key: { source: "google", campaign: null, hour: 7 },
    metric: "calls",
    was: 40,
    now: 38,
    change: -2,
    exported_at: "2026-10-02T00:00:00.000Z",
    reasons: [
      { reason: "first_call", calls: 6, effect: 60 },
      { reason: "rules", calls: 5, effect: 50 },
      { reason: "returned", calls: 4, effect: 40 },
      { reason: "gone", calls: 3, effect: 30 },
      { reason: "corrected", calls: 2, effect: 20 },
      { reason: "late", calls: 1, effect: 10 },
    ],
    rules_changed: "aliases, missed",
  },
  {
    found_at: "2026-11-01T00:00:00.000Z",
    path: "/out/by-campaign.csv",
    contents: "campaign",
    period: "",
    starts_at: "2026-09-01T00:00:00.000Z",
    ends_at: "2026-10-01T00:00:00.000Z",
    key: {},
    metric: "first_call_at",
    was: null,
    now: "2026-09-01T00:00:00.000Z",
    change: null,
    exported_at: "2026-10-02T00:00:00.000Z",
    reasons: [
      { reason: "corrected", calls: 1, effect: null },
      { reason: "spend_changed", calls: null, effect: 0.5 },
    ],
    rules_changed: null,
  },
];

/** Writes the file into a folder; returns it with its name. */
async function write(folder: string, format: FormatOptions | { format: "xlsx" }, found = FOUND) {
  const files: [string, string][] = [];
  const written = await writeRestatements(
    {
      ask: { ...resolve({}, { nowMs: 0, timezone: "UTC" }), format },
      write: async (file, content) => {
        const text = [...content].join("");
        writeFileSync(join(folder, file), text);
        files.push([file, text]);
        return { file, sha256: "", bytes: text.length };
      },
    },
    found,
  );
  return { files, written };
}

const HEADER =
  "file,contents,period,key,metric,was,now,change,exported_at,late_calls,late_effect,corrected_calls,corrected_effect," +
  "gone_calls,gone_effect,returned_calls,returned_effect,rules_calls,rules_effect,first_call_calls,first_call_effect," +
  "outcomes_changed_calls,outcomes_changed_effect,spend_changed_effect,rules_changed";
const LINES = [
  HEADER,
  'source.csv,source,2026-09,"{""source"":""google"",""campaign"":null,""hour"":7}",calls,40,38,-2,2026-10-02T00:00:00.000Z,1,10,2,20,3,30,4,40,5,50,6,60,,,,"aliases, missed"',
  "by-campaign.csv,campaign,,{},first_call_at,,2026-09-01T00:00:00.000Z,,2026-10-02T00:00:00.000Z,,,1,,,,,,,,,,,,0.5,",
];

describe("writeRestatements", () => {
  it("writes one line per figure, with columns for each reason in a fixed order", async () => {
    using folder = makeTempFolder();
    const { files, written } = await write(folder.path, { format: "csv" });
    expect(files).toEqual([["restatements.csv", LINES.map((line) => `${line}\r\n`).join("")]]);
    expect(written.file).toBe("restatements.csv");
  });

  it("guards foreign text against formulas, and writes numbers that spreadsheets can read", async () => {
    using folder = makeTempFolder();
    const texts = { path: "/out/=1.csv", contents: "=2", key: { a: "=4" }, metric: "=5" };
    const found = FOUND.map((each) => ({
      ...each,
      ...texts,
      was: 1.5,
      now: -0.25,
      change: -1.75,
      rules_changed: "=6",
    }));
    const { files } = await write(folder.path, { format: "csv", profile: "excel", delimiter: ";" }, found);
    const [, first, second] = (files[0]?.[1] ?? "").split("\r\n");
    const figures = "1,5;-0,25;-1,75;2026-10-02 00:00:00";
    const guarded = (period: string) => ["'=1.csv", "'=2", period, '"{""a"":""=4""}"', "'=5"].join(";");
    expect(first).toBe(`${guarded('"=""2026-09"""')};${figures};1;10;2;20;3;30;4;40;5;50;6;60;;;;'=6`);
    expect(second).toBe(`${guarded("")};${figures};;;1;;;;;;;;;;;;0,5;'=6`);
  });

  it("uses the delimiter and profile of the other files, or CSV if they have none", async () => {
    using folder = makeTempFolder();
    const headerOf = async (format: Parameters<typeof write>[1]) =>
      (await write(folder.path, format, [])).files[0]?.[1];
    expect(await headerOf({ format: "csv", delimiter: ";" })).toBe(`${HEADER.replaceAll(",", ";")}\r\n`);
    expect(await headerOf({ format: "json" })).toBe(`${HEADER}\r\n`);
    expect(await headerOf({ format: "xlsx" })).toBe(`${HEADER}\r\n`);
  });
});

describe("findRestatementFile", () => {
  it("finds the file in each of its formats", async () => {
    using folder = makeTempFolder();
    expect(findRestatementFile(folder.path)).toEqual([]);
    const formats: FormatOptions[] = [
      { format: "csv" },
      { format: "csv", delimiter: ";" },
      { format: "csv", profile: "excel" },
      { format: "csv", profile: "machine" },
    ];
    for (const format of formats) {
      await write(folder.path, format);
      expect(findRestatementFile(folder.path)).toEqual(["restatements.csv"]);
    }
  });

  it.each([
    ["file,contents,period,key,metric,was,now,", true],
    ["\ufefffile|contents|period|key|metric|was|now|", true],
    ["file\tcontents\tperiod\tkey\tmetric\twas\tnow\tchange", true],
    ["file;contents;period;key;metric;was;now;change", true],
    ["file,contents,period,key,metric,was,now", false],
    ["file,contents;period,key,metric,was,now,", false],
    [" file,contents,period,key,metric,was,now,", false],
    ["x\nfile,contents,period,key,metric,was,now,", false],
    ["file contents period key metric was now ", false],
    ["what,I,wrote\r\n", false],
    ["", false],
  ])("recognizes its file by the first bytes: %j is ours: %s", (text, isOurs) => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "restatements.csv"), text);
    expect(findRestatementFile(folder.path)).toEqual(isOurs ? ["restatements.csv"] : []);
  });

  it("ignores a folder of that name and a broken link", () => {
    using folder = makeTempFolder();
    using other = makeTempFolder();
    mkdirSync(join(folder.path, "restatements.csv"));
    symlinkSync(join(other.path, "nothing"), join(other.path, "restatements.csv"));
    expect([folder, other].flatMap(({ path }) => findRestatementFile(path))).toEqual([]);
  });
});
