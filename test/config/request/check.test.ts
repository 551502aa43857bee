import { describe, expect, it } from "vitest";
import { silentContext } from "../../../src/cli/context.ts";
import { FLAG_WORDING } from "../../../src/cli/request-options.ts";
import type { OutputCan, SourceCan } from "../../../src/config/request/can.ts";
import { check } from "../../../src/config/request/check.ts";
import type { ExportRequest } from "../../../src/config/request/export-request.ts";
import { ALL_OPTIONS } from "../../../src/config/request/options.ts";

const WAREHOUSE: SourceCan = { lists: true, raw: true, clickIds: true };
const CLUSTER: SourceCan = { lists: false, raw: false, clickIds: false };
const FOLDER: OutputCan = { manyFiles: true, remembers: true };
const STREAM: OutputCan = { manyFiles: false, remembers: false };
const MERGED: OutputCan = { ...FOLDER, manyFiles: false, mergesAccounts: true };

const spell = (option: string) => `<${option}>`;

function refusalOf(request: ExportRequest, { source = WAREHOUSE, output = FOLDER } = {}): string | undefined {
  try {
    check(request, { source, output }, { spell, hint: "" });
  } catch (error) {
    return String(error);
  }
  return undefined;
}

const CLOSED = { range: { last: "4w" } };
const EXPLORE = { format: "explore" } as const;
const ADJUST = { contents: ["google-ads-adjustments"] } satisfies ExportRequest;

describe("check", () => {
  it.each<[string, ExportRequest]>([
    ["nothing", {}],
    ["a comparison", { ...CLOSED, grain: "week", fill: true, compare: "previous", total: true, top: 5 }],
    ["lists in a workbook", { contents: ["calls", "callers"], format: "xlsx", with: ["caller_id"] }],
    ["new conversions", { contents: ["google-ads"], conversion: { new: true, value: "149.50" } }],
    ["a currency: topics may have values", { contents: ["google-ads"], conversion: { currency: "EUR" } }],
    ["costs, which one of the files has", { contents: ["gclid", "channel"], spend: true }],
    [
      "costs, and calls for the other file",
      { contents: ["hour", "source"], spend: true, columns: ["cost", "calls"] },
    ],
    ["a page", { ...CLOSED, format: "html", grain: "week", spend: true }],
    ["a page to explore", { format: "explore", by: ["channel", "utm_term"], filter: { first_time: true } }],
    ["share-safe figures", { min_cell: 10, by: ["channel"], columns: ["calls", "answer_rate"] }],
    ["options that have no effect", { contents: ["calls"], fill: false, total: false, format: "csv" }],
  ])("accepts %s", (_, request) => expect(refusalOf(request)).toBeUndefined());

  it.each<[ExportRequest, string]>([
    [{ fill: true }, "<fill> needs <grain>"],
    [
      { compare: "previous", range: { from: "2026-10-01" } },
      "needs <range.from> and <range.to>, or <range.last>",
    ],
    [{ ...EXPLORE, contents: ["channel"] }, "<format> explore is a page of its own: leave out <contents>"],
    [{ ...EXPLORE, by: ["gclid"] }, "The page to explore has no gclid, which identifies clicks or numbers"],
    [{ ...EXPLORE, grain: "day" }, "<grain> does not apply to the page to explore"],
    [{ format: "html", rows: true }, "<rows> does not apply to the page"],
    [
      { contents: ["calls"], rows: true },
      "<rows> applies only to the page to explore, and none was requested",
    ],
    [{ ...EXPLORE, with: ["summary"] }, "<with> needs <rows>: it adds columns to the calls"],
    [{ ...EXPLORE, min_cell: 5, rows: true }, "<min_cell> is for figures, and <rows> lists single calls"],
    [{ ...EXPLORE, min_cell: 5, by: ["hour"] }, "<min_cell> groups calls by day: leave hour out of <by>"],
    [
      { ...EXPLORE, min_cell: 5, outcomes: true },
      "leaves outcomes out of the page to explore: leave out <outcomes>",
    ],
    [
      { ...EXPLORE, revenue_by: "job-date" },
      "<revenue_by> job-date does not apply to the page to explore: it",
    ],
    [{ contents: ["calls"], top: 5 }, "<top> applies only to rollups"],
    [{ contents: ["calls"], columns: ["calls"] }, "<columns> applies only to rollups"],
    [{ contents: ["channel"], with: ["summary"] }, "<with> applies only to calls"],
    [{ contents: ["channel"], conversion: { every: true } }, "<conversion.every> applies only to google-ads"],
    [{ contents: ["google-ads"], conversion: { measurement_id: "G-1" } }, "applies only to ga4-events"],
    [{ contents: ["ga4-events"] }, "ga4-events needs <conversion.measurement_id>"],
    [{ contents: ["channel", "google-ads"], format: "json" }, "<format> does not apply to google-ads, which"],
    [{ profile: "excel", format: "json" }, "<profile> is for csv"],
    [{ delimiter: ";", format: "json" }, "<delimiter> is for csv"],
    [
      { contents: ["calls"], changed_since: "1970-01-01", profile: "excel" },
      "<changed_since> is for programs, and <profile> excel changes texts and times for Excel: leave it out",
    ],
    [{ ...ADJUST, conversion: { value: 0 } }, "<conversion.value> 0 cannot be restated"],
    [{ ...ADJUST, ...CLOSED }, "remove date and call filters"],
    [{ ...ADJUST, filter: { channel: "Email" } }, "remove date and call filters"],
    [{ contents: ["gclid"], spend: true }, "only to source, medium, campaign, channel, not to gclid"],
    [
      { contents: ["weekday", "utm_term"], by: ["channel", "hour"], spend: true },
      "only to source, medium, campaign, channel, not to weekday",
    ],
    [
      { contents: ["source", "hour"], columns: ["cost", "return_on_ad_spend"], spend: true, outcomes: true },
      "only to source, medium, campaign, channel, not to hour",
    ],
    [{ columns: ["cost"] }, "<columns> cost needs <spend>"],
    [{ by: ["channel", "channel"] }, "<by> has channel twice"],
    [{ format: "html", contents: ["channel"] }, "leave out <contents>"],
    [{ format: "html", by: ["channel"] }, "leave out <by>"],
    [{ format: "html", total: true }, "<total> does not apply to the page"],
    [{ format: "html", range: { from: "2026-10-01" } }, "A report needs <range.from>"],
    [{ min_cell: 5, contents: ["calls", "channel"] }, "<min_cell> is for figures"],
    [{ min_cell: 5, contents: ["hygiene", "channel"] }, "hygiene also lists tags of few calls"],
    [{ min_cell: 5, by: ["channel", "gclid"] }, "gclid in them would identify clicks"],
    [{ min_cell: 5, by: ["tracking_number"] }, "tracking_number in them would identify"],
    [{ min_cell: 5, filter: { tracking_number: "1" } }, "the number of <filter.tracking_number>"],
    [{ min_cell: 5, top: 5 }, "<min_cell> and <top>"],
    [{ min_cell: 5, grain: "day", fill: true }, "<fill> would write 0"],
    [{ min_cell: 5, spend: true, by: ["channel"] }, "not with <min_cell>"],
    [{ min_cell: 5, columns: ["first_call_at"] }, "<columns> first_call_at is the time of a single call"],
    [
      { contents: ["ga4-events"], conversion: { name: "Google call", measurement_id: "G-1234" } },
      "<conversion.name> Google call gives no valid event name",
    ],
  ])("refuses %j", (request, message) => expect(refusalOf(request)).toContain(message));

  it.each<[ExportRequest, { source?: SourceCan; output?: OutputCan }, string]>([
    [
      { contents: ["channel", "source"] },
      { output: STREAM },
      "<stdout> writes one file, but 2 were requested",
    ],
    [{ contents: ["google-ads"], conversion: { new: true } }, { output: STREAM }, "<conversion.new> records"],
    [ADJUST, { output: STREAM }, "<stdout> records nothing"],
    [{ contents: ["calls"] }, { source: CLUSTER }, "calls cannot be read with <engine>"],
    [{ contents: ["hygiene"] }, { source: CLUSTER }, "hygiene cannot be read with <engine>"],
    [{ contents: ["channel"], raw: true }, { source: CLUSTER }, "<raw> cannot be used with <engine>"],
    [{ contents: ["gclid"] }, { source: CLUSTER }, "gclid cannot be read with <engine>"],
    [{ by: [], total: true }, { output: MERGED }, "<total> is for one account"],
    [{ by: [], contents: ["channel"] }, { output: MERGED }, "leave out channel"],
    [{ by: [], format: "xlsx" }, { output: MERGED }, "<format> xlsx is for one account"],
    [{ by: [], columns: ["answer_rate"] }, { output: MERGED }, "<columns> needs calls"],
  ])("refuses the impossible %j", (request, can, message) => {
    expect(refusalOf(request, can)).toContain(message);
    expect(refusalOf(request)).toBeUndefined();
  });

  it("leaves click ids out of the default rollups of a cluster with digests of them", () => {
    expect(refusalOf({}, { source: CLUSTER })).toBeUndefined();
  });
});

describe("FLAG_WORDING", () => {
  it("names each option of a content like its flag", async () => {
    const exported = await import("../../../src/cli/commands/export.ts");
    const reported = await import("../../../src/cli/commands/report.ts");
    const commands = [exported.command(silentContext()), reported.command(silentContext())];
    const flags = commands.flatMap(({ options }) => options.map(({ long }) => long));
    for (const [option, { takenBy }] of ALL_OPTIONS)
      if (takenBy !== undefined) expect(flags).toContain(FLAG_WORDING.spell(option));
  });
});
