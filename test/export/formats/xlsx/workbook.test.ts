import { hash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { localTime } from "../../../../src/base/calendar/local-time.ts";
import { DEFAULT_RULES } from "../../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../../src/calls/columns.ts";
import { describeWorkbook } from "../../../../src/export/formats/xlsx/about-sheet.ts";
import { cutText, escapeText } from "../../../../src/export/formats/xlsx/cell-text.ts";
import { assertRows, type SheetContext, toSheet } from "../../../../src/export/formats/xlsx/sheet.ts";
import { Styles } from "../../../../src/export/formats/xlsx/styles.ts";
import { toSheetNames } from "../../../../src/export/formats/xlsx/workbook.ts";
import { assertFits, toZip } from "../../../../src/export/formats/xlsx/zip.ts";
import { PLAIN } from "../../../../src/export/letterhead/letterhead.ts";
import type { Column, TotalRow, Value } from "../../../../src/export/table.ts";
import { type ExportOptions, makeWarehouse, type Target } from "../../../support/figures/produce-files.ts";
import { readLines } from "../../../support/figures/tables.ts";
import { listFiles, makeTempFolder, readText } from "../../../support/temp-folder.ts";
import { FULL_CALL, makeCall } from "../../../support/warehouses/calls.ts";
import {
  LIBRE_OFFICE,
  readByLibreOffice,
  readBySheetJs,
  type SeenCell,
  type SeenWorkbook,
} from "../../workbook-readers.ts";

const ZONE = "Europe/Berlin";
/** Texts that break spreadsheets, XML and their readers. */
const HOSTILE = [
  "=1+1",
  "<script>alert(1)</script>",
  "]]>",
  "&amp; & &#13;",
  "🍂 Herbst 👩‍👩‍👧",
  "שלום \u202eolleh",
  "_x0041_",
  "_x0041_x0042_",
  "_x005F_",
  "_x00",
  " leading and trailing ",
  "two  blanks",
  "first\nsecond\n",
  "first\r\nsecond\rthird",
  "a\ttab",
  "control \u0001\u001f\u007f\u0085\u2028",
  "_x0041\u0001",
  "not a character \ufffe\uffff",
  "TRUE",
  "__proto__",
];
const STARTS = [
  "2026-10-25T00:30:00.125Z", // half past two by summer time
  "2026-10-25T01:30:00.000Z", // half past two once more
  "2026-03-29T00:59:59.999Z",
  "2026-03-29T01:00:00.000Z",
  "1850-01-01T00:00:00.000Z",
  "9999-12-31T23:30:00.000Z",
  "0000-01-01T00:00:00.000Z",
  "1900-03-01T12:00:00.001Z",
  null,
];
const CALLS: Call[] = HOSTILE.flatMap((text, index) => [
  { ...FULL_CALL, call_id: index, utm_source: text, campaign_name: text, gclid: text, summary: text },
  {
    ...FULL_CALL,
    call_id: Number.MAX_SAFE_INTEGER - index,
    insight_name: text,
    transcription: text,
    referring_url: text,
    caller_id: `+49301${index % 7}`,
    call_started: STARTS[index % STARTS.length] ?? null,
    duration: index * 1_000_003,
    disposition: ["answered", "busy", "other", null][index % 4] ?? null,
  },
  makeCall({ call_id: -1 - index, call_started: "2026-09-01T10:00:00.000Z", org_unit_id: index }),
]);

const rollup = (...dimensions: Extract<Target, { kind: "rollup" }>["dimensions"]): Target => ({
  kind: "rollup",
  dimensions,
});
const WITH = ["caller_id", "summary", "transcription", "recording_url"] as const;
const TARGETS: Target[] = [
  rollup("utm_source"),
  rollup("campaign"),
  rollup("gclid"),
  rollup("utm_source", "org_unit", "disposition"),
  { kind: "calls", with: WITH },
  { kind: "callers" },
];
const FILES = ["utm_source", "campaign", "gclid", "utm_source-org_unit-disposition", "calls", "callers"];

/** The expected type of a CSV field, by the name of its column. */
function kindOf(column: string): "text" | "number" | "share" | "boolean" | "moment" | "local" | "date" {
  if (/_rate(_previous)?$|_change$/.test(column)) return "share";
  if (/^(call_started|gone_at|changed_at|first_call_at|last_call_at)$/.test(column)) return "moment";
  if (column === "call_started_local") return "local";
  if (column === "period_start" || column === "local_day") return "date";
  if (/^(qualified|first_time_caller|recovered)$/.test(column)) return "boolean";
  return /calls(_previous)?$|callers(_previous)?$|_seconds(_previous)?$|^local_hour$/.test(column)
    ? "number"
    : "text";
}

const berlin = new Intl.DateTimeFormat("sv-SE", {
  timeZone: ZONE,
  dateStyle: "short",
  timeStyle: "medium",
});
/** Times within Excel's calendar; others stay the same text as in CSV. */
const isInCalendar = (time: string) => time > "1900-03" && time < "9999-12-31T22";

/** Returns the expected cell in a workbook for a field of `--profile machine`. */
function expectedOf(field: string, column: string): unknown {
  if (field === "") return null;
  switch (kindOf(column)) {
    case "number":
    case "share":
      return Number(field);
    case "boolean":
      return field === "1";
    case "moment":
      return isInCalendar(field) ? { shown: berlin.format(new Date(field)) } : { text: field };
    case "local":
    case "date":
      return isInCalendar(field) && !field.startsWith("+") ? { shown: field } : { text: field };
    case "text":
      return { text: field };
  }
}

/** Returns the value that a reader found in a cell. */
function foundOf(cell: SeenCell | null, column: string): unknown {
  if (cell === null) return null;
  const { isText, shown } = cell;
  if (isText) return { text: shown };
  switch (kindOf(column)) {
    case "number":
      return Number(shown.replaceAll(",", ""));
    case "share":
      if (!shown.endsWith("%")) return { noShare: shown };
      return Math.round(Number(shown.slice(0, -1).replaceAll(",", "")) * 100) / 10_000;
    case "boolean":
      return shown === "TRUE" || (shown === "FALSE" ? false : shown);
    default:
      return { shown };
  }
}

/** Compares each cell of each sheet with the CSV files of the same export. */
function expectSame(seen: SeenWorkbook, csv: Record<string, string[][]>, lineEnd: RegExp): void {
  expect(Object.keys(seen).toSorted()).toEqual(["About", "Headline", ...Object.keys(csv)].toSorted());
  const columns = new Map(readColumns(seen).map(([heading, , name]) => [heading, name]));
  for (const [name, [header = [], ...lines]] of Object.entries(csv)) {
    const [[title] = [], titles = [], ...rows] = seen[name] ?? [];
    expect(title?.shown).toMatch(
      new RegExp(
        `^${name}: (all calls|1 Sep 2026 to 31 Oct 2026, compared with 1 Jul 2026 to 31 Jul 2026, 02:01)`,
      ),
    );
    expect(titles.map((title) => columns.get(title?.shown ?? ""))).toEqual(header);
    expect(rows.map((row) => header.map((column, index) => foundOf(row[index] ?? null, column)))).toEqual(
      lines.map((line) =>
        line.map((field, index) => expectedOf(field.replaceAll(lineEnd, "\n"), header[index] ?? "")),
      ),
    );
  }
}

const OPTIONS: Partial<ExportOptions> = {
  grain: "week",
  range: { from: "2026-09-01", to: "2026-10-31" },
  compare: "previous",
  total: true,
  rules: { ...DEFAULT_RULES, answered: ["answered"], missed: ["busy"], duration_unit: "milliseconds" },
};

const readBytes = (folder: string): Buffer => readFileSync(join(folder, "calltally.xlsx"));

/** Writes calls as a workbook, and the expected contents of its sheets: the CSV files of the profile `machine`. */
async function exportBoth(options: Partial<ExportOptions>) {
  using warehouse = makeWarehouse(CALLS);
  const shared = { ...options, timezone: ZONE, targets: TARGETS };
  const { folder } = await warehouse.export({ ...shared, format: { format: "csv", profile: "machine" } });
  const csv = Object.fromEntries(FILES.map((name) => [name, readLines(readText(folder, `${name}.csv`))]));
  const { manifest } = await warehouse.export({
    ...shared,
    folder: `${folder}-book`,
    format: { format: "xlsx" },
  });
  const [content, files] = [readBytes(`${folder}-book`), listFiles(`${folder}-book`)];
  return { csv, manifest, content, files, seen: readBySheetJs(content), grain: options.grain };
}
const [PLAINLY, COMPARED] = [await exportBoth({}), await exportBoth(OPTIONS)];

/** Returns the lines below a title of the sheet About, up to the next blank one. */
function readBelow(seen: SeenWorkbook, title: string): (string | undefined)[][] {
  const lines = (seen.About ?? []).map((row) => row.map((cell) => cell?.shown));
  const below = lines.slice(lines.findIndex(([label]) => label === title) + 2);
  const end = below.findIndex((line) => line.every((shown) => shown === undefined));
  return end < 0 ? below : below.slice(0, end);
}

/** Returns heading, meaning and name of each column, as the sheet About lists them. */
const readColumns = (seen: SeenWorkbook) => readBelow(seen, "Columns");

/** Returns the value next to each label of the sheet About. */
function readAbout(seen: SeenWorkbook): Record<string, string | undefined> {
  return Object.fromEntries((seen.About ?? []).map((row) => [row[0]?.shown ?? "", row[1]?.shown]));
}

describe("workbook", () => {
  it.each([PLAINLY, COMPARED])("SheetJS reads the same values as in the CSV files: $grain", (both) => {
    expect(both.files).toEqual(["calltally.xlsx", "manifest.json"]);
    expectSame(both.seen, both.csv, /\r\n/g); // which it reads as one line feed
  });

  it.skipIf(LIBRE_OFFICE.isMissing)(
    `LibreOffice reads the same values as in the CSV files${LIBRE_OFFICE.note}`,
    () => {
      using folder = makeTempFolder();
      const file = join(folder.path, "calltally.xlsx");
      writeFileSync(file, COMPARED.content);
      const seen = readByLibreOffice(file, folder.path);
      expectSame(seen, COMPARED.csv, /\r\n?/g); // its cells have no other line end than a line feed
      expect(readAbout(seen)).toEqual(readAbout(COMPARED.seen));
    },
  );

  it("opens on its headline figures, which it shows on the first sheet, and ends with About", () => {
    expect(Object.keys(PLAINLY.seen)).toEqual(["Headline", ...FILES, "About"]);
    const parts = Object.entries(unzipSync(PLAINLY.content)).map(([name, bytes]) => [
      name,
      Buffer.from(bytes).toString(),
    ]);
    const selected = parts.filter(([, xml]) => xml?.includes('tabSelected="1"')).map(([name]) => name);
    expect(selected).toEqual(["xl/worksheets/sheet1.xml"]);
    expect(Object.fromEntries(parts)["xl/workbook.xml"]).toContain('activeTab="0"');
  });

  it("describes the basis of its figures on its last sheet", () => {
    const { manifest, seen } = COMPARED;
    expect(readAbout(seen)).toMatchObject({
      Completeness:
        "Complete as of 1 Oct 2026 02:01 (UTC+02:00). Run 1 proved that it read every call. The last sync, 1 Oct 2026 02:01 (UTC+02:00), is exact.",
      Service: "not known",
      "Organization unit": "none was requested",
      Sync: "run 1",
      Finished: "2026-10-01 02:01:00",
      Verdict: "exact",
      Reason: "Each page met the next.",
      Doubt: "none known",
      "Calls, first day": "2026-09-01",
      "Calls, last day": "2026-10-31",
      "Compared with, first day": "2026-07-01",
      "Compared with, last day": "2026-07-31",
      "Compared with, until": "02:01",
      Caution: expect.any(String),
      "Provisional periods": "2026-W40 to 2026-W44",
      "Filter: gone calls": "left out",
      "Counted as answered": "answered",
      "Counted as missed": "busy",
      Durations: "served in milliseconds, shown in seconds",
    });
    const listed = readBelow(seen, "Sheets").slice(0, FILES.length);
    expect(listed[0]?.[1]).toBe("utm_source, and a line of totals");
    expect(listed.map(([sheet, , rows, calls]) => [sheet, rows, calls])).toEqual(
      manifest.files[0]?.sheets?.map(({ sheet, rows, sums }) => [
        sheet,
        String(rows),
        sums === undefined ? undefined : String(sums.calls),
      ]),
    );
  });

  it("explains its columns on its last sheet, including those of several sheets", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { folder, manifest } = await warehouse.export({
      targets: [rollup("channel"), rollup("source")],
      range: { from: "2026-09-01", to: "2026-10-31" },
      compare: "previous",
      format: { format: "xlsx" },
    });
    const meanings = new Map(
      readBelow(readBySheetJs(readBytes(folder)), "Columns").map(([heading, meaning]) => [heading, meaning]),
    );
    expect(meanings.get("Channel")).toContain("Direct: no utm value, click id or referrer.");
    expect(meanings.get("Answer rate, points")).toContain("from 50 % to 55 % is 5 points");
    expect(meanings.has("First-time callers")).toBe(true);

    const cost = { name: "cost", type: "decimal" } as const;
    const rows = describeWorkbook(
      { manifest, letterhead: PLAIN },
      [],
      [{ ...cost, help: "What ads cost." }, cost],
    );
    expect(rows.at(-1)?.cells.map(({ value }) => value)).toEqual(["Cost", "What ads cost.", "cost"]);
  });

  it("states on its last sheet how many keys and calls have no row of their own", async () => {
    using warehouse = makeWarehouse(
      ["a", "b", "c"].map((utm_source, index) => makeCall({ call_id: index + 1, utm_source })),
    );
    const { folder } = await warehouse.export({
      targets: [rollup("source"), { kind: "callers" }],
      top: 1,
      format: { format: "xlsx" },
    });
    const texts = (readBySheetJs(readBytes(folder)).About ?? []).map((row) => row[1]?.shown);
    expect(texts).toContain("source, keys in the row (other): 2");
    expect(texts).toContain("callers, calls left out, no caller: 3");
  });

  it("the manifest has one entry for a workbook, with the contents of its sheets", async () => {
    using warehouse = makeWarehouse(CALLS);
    const targets = [rollup("channel"), { kind: "calls", with: [] } as const];
    const { manifest, folder } = await warehouse.export({ targets, format: { format: "xlsx" } });
    const csv = await warehouse.export({ targets, folder: `${folder}-csv` });
    const tables = csv.manifest.files.map(({ file, bytes: _, sha256: __, ...entry }) => ({
      sheet: file.replace(".csv", ""),
      ...entry,
    }));
    const content = readBytes(folder);
    expect(manifest.files).toEqual([
      {
        contents: "workbook",
        file: "calltally.xlsx",
        bytes: content.length,
        sha256: hash("sha256", content),
        rows: tables.reduce((sum, { rows }) => sum + rows, 0),
        sheets: tables,
      },
    ]);
    expect(warehouse.readExports()[0]).toMatchObject({
      path: join(folder, "calltally.xlsx"),
      rows: manifest.files[0]?.rows,
    });
  });

  it("a workbook has the same bytes whenever it is written", async () => {
    using warehouse = makeWarehouse(CALLS);
    const write = async () => {
      const { folder } = await warehouse.export({ targets: TARGETS, format: { format: "xlsx" } });
      return hash("sha256", readBytes(folder));
    };
    expect(await write()).toBe(await write());
  });

  it.each([{ columns: [] as const }, { columns: ["summary"] as const }])(
    "only the owner can read a workbook with personal data: $columns",
    async ({ columns }) => {
      using warehouse = makeWarehouse(CALLS);
      const targets: Target[] = [rollup("channel"), { kind: "calls", with: columns }];
      const { folder } = await warehouse.export({ targets, format: { format: "xlsx" } });
      const others = statSync(join(folder, "calltally.xlsx")).mode & 0o077;
      expect(others === 0).toBe(columns.length > 0);
    },
  );

  it("truncates text longer than a cell, marks it, and counts it", async () => {
    const long = "🍂".repeat(20_000);
    using warehouse = makeWarehouse([
      { ...FULL_CALL, transcription: long },
      { ...FULL_CALL, call_id: 2, transcription: "x".repeat(32_767) },
    ]);
    const { folder, manifest } = await warehouse.export({
      targets: [{ kind: "calls", with: ["transcription"] }],
      format: { format: "xlsx" },
    });
    const { calls: [, header, ...rows] = [] } = readBySheetJs(readBytes(folder));
    const column = header?.findIndex((cell) => cell?.shown === "Transcription") ?? 0;
    const texts = rows.map((row) => row[column]?.shown ?? "");
    expect(texts.toSorted()).toEqual([
      "x".repeat(32_767),
      expect.stringMatching(/^(🍂)+ … \[cut: 40000 characters in all\]$/u),
    ]);
    expect(manifest.files[0]?.sheets?.[0]?.cut_texts).toBe(1);
  });

  it("a workbook without calls has sheets without rows", async () => {
    using warehouse = makeWarehouse([]);
    const { folder } = await warehouse.export({ targets: [rollup("channel")], format: { format: "xlsx" } });
    expect(readBySheetJs(readBytes(folder)).channel?.length).toBe(2);
  });

  it("a workbook is refused if a sheet would have too many rows", async () => {
    expect(() => assertRows("calls", 1_048_574)).not.toThrow();
    expect(() => assertRows("calls", 1_048_575)).toThrow(
      "Cannot write the sheet calls: it has more than 1048574 rows",
    );
    const columns: Column[] = [{ name: "call_id", type: "integer" }];
    function* rows(count: number): Generator<Value[]> {
      for (let row = 0; row < count; row++) yield [null];
    }
    const write = (count: number) => {
      for (const _ of toSheet({ columns, rows: rows(count) }, "gclid", CONTEXT));
    };
    expect(() => write(1_048_574)).not.toThrow();
    expect(() => write(1_048_575)).toThrow("Cannot write the sheet gclid");
  });
});

const CONTEXT: SheetContext = {
  styles: new Styles(),
  toLocal: localTime(ZONE),
  days: "1 Oct 2026 to 31 Oct 2026, compared with 1 Sep 2026 to 30 Sep 2026",
  compared: undefined,
};

describe("toSheet", () => {
  const paneOf = (xml: string) => /<pane (.*) activePane="bottomRight" state="frozen"/.exec(xml)?.[1];
  const sheetOf = (columns: readonly Column[], rows: Value[][], totals?: TotalRow[]) =>
    [...toSheet({ columns, rows, totals }, "any", { ...CONTEXT, styles: new Styles() })].join("");

  it("writes its name and days in the first row and above each printed page", () => {
    const xml = [...toSheet({ columns: [], rows: [] }, "a&b", CONTEXT)].join("");
    expect(xml).toMatch(
      /<row r="1"><c r="A1" [^>]*><is><t>a&amp;b: 1 Oct 2026 to 31 Oct 2026, compared with/,
    );
    expect(xml).toContain(`<oddHeader>&amp;La&amp;&amp;b: ${CONTEXT.days}</oddHeader>`);
  });

  it("shows changes within chance in grey, and totals with a fill and a line above, even in blank cells", () => {
    const comparison = (shows: "previous" | "change") => ({ of: "calls", as: "previous" as const, shows });
    const columns: Column[] = [
      { name: "calls", type: "integer" },
      { name: "calls_previous", type: "integer", comparison: comparison("previous") },
      { name: "calls_change", type: "decimal", decimals: 4, comparison: comparison("change") },
    ];
    const rows = [
      [11, 10, 0.1],
      [200, 100, 1],
      [10, 10, 0],
    ];
    const styles = new Styles();
    const compared = [
      {
        as: "previous" as const,
        ...{ range: {}, span: {}, periods: [], times: 1 },
        ...{ isCovered: true, hasHistory: true, isUnreached: false },
      },
    ];
    const xml = [
      ...toSheet({ columns, rows, totals: [{ kind: "total", values: [221, null, null] }] }, "any", {
        ...CONTEXT,
        styles,
        compared,
      }),
    ].join("");
    const xfs =
      styles
        .toXml()
        .split("<cellXfs")[1]
        ?.match(/<xf[ /][^>]*>/g) ?? [];
    const look = (cell: string) => xfs[Number(new RegExp(`r="${cell}" s="(\\d+)"`).exec(xml)?.[1])];
    expect(["C3", "C4", "C5", "A6", "B6", "C6"].map(look)).toEqual([
      expect.stringContaining('fontId="2"'),
      expect.stringContaining('fontId="0"'),
      expect.stringContaining('fontId="0"'),
      ...["A6", "B6", "C6"].map(() => expect.stringMatching(/fontId="1".*fillId="2".*borderId="1"/)),
    ]);
    expect(xml).toContain("; changes in grey are within chance</t>");
  });

  it("freezes header and key, filters rows but not totals, and marks no id as an error", () => {
    const columns: Column[] = [
      { name: "org_unit", type: "text", isKey: true },
      { name: "org_unit_id", type: "integer", isKey: true, isId: true },
      { name: "calls", type: "integer" },
    ];
    const rows = [
      ["Munich", 7, 3],
      ["Berlin", 8, 2],
      ["(total)", null, 5],
      ["(with spend)", null, 3],
    ];
    const xml = sheetOf(columns, rows.slice(0, 2), [
      { kind: "total", values: rows[2] ?? [] },
      { kind: "with_spend", values: rows[3] ?? [] },
    ]);
    expect(paneOf(xml)).toBe('xSplit="2" ySplit="2" topLeftCell="C3"');
    expect(xml).toContain('<autoFilter ref="A2:C4"/>');
    expect(xml).toContain('<ignoredError sqref="A3:A6 B3:B6" numberStoredAsText="1"/>');
    expect(sheetOf(columns, rows)).toContain('<autoFilter ref="A2:C6"/>');
  });

  it("freezes only as many key columns as leave room for figures, and always the first", () => {
    const name = "x".repeat(60);
    const keys = ["channel", "source", "campaign"].map(
      (key): Column => ({ name: key, type: "text", isKey: true }),
    );
    expect(paneOf(sheetOf([...keys, { name: "calls", type: "integer" }], [[name, "a", name, 1]]))).toContain(
      'xSplit="2"',
    );
    expect(paneOf(sheetOf([{ name: "call_id", type: "integer", isId: true }], [[1]]))).toContain(
      'xSplit="1"',
    );
  });

  it("writes headings in words, in a row of their height", () => {
    const change = { of: "answer_rate", as: "previous", shows: "change" } as const;
    const xml = sheetOf(
      [
        { name: "utm_source", type: "text" },
        { name: "campaign_id", type: "text" },
        { name: "average_duration_seconds", type: "decimal" },
        { name: "answer_rate_change", type: "decimal", comparison: change },
      ],
      [],
    );
    const [, ...headings] = [...xml.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "UTM source",
      "Campaign ID",
      "Average duration in seconds",
      "Answer rate, change",
    ]);
    expect(Number(/<row r="2" ht="(\d+)"/.exec(xml)?.[1])).toBeGreaterThanOrEqual(45);
  });

  it("wraps only texts with line breaks, in a row of their height", () => {
    const styles = new Styles();
    const columns: Column[] = [{ name: "summary", type: "text" }];
    const table = { columns, rows: [["one line"], ["two\nlines"]] };
    const xml = [...toSheet(table, "calls", { ...CONTEXT, styles })].join("");
    const wrapped = [...styles.toXml().matchAll(/<xf(?: [^>]*)?(?:\/>|>.*?<\/xf>)/g)].map(([xf]) =>
      xf.includes("wrapText"),
    );
    // There is one cellStyleXfs, without an index.
    const isWrapped = (cell: string) =>
      wrapped[1 + Number(new RegExp(`r="${cell}" s="(\\d+)"`).exec(xml)?.[1])];
    expect(["A2", "A3", "A4"].map(isWrapped)).toEqual([true, false, true]);
    expect(xml).toContain('<row r="3">');
    expect(xml).toContain('<row r="4" ht="30">');
  });

  // 11 characters each.
  it.each([
    { count: 1, orientation: "portrait", pages: 1 },
    { count: 10, orientation: "portrait", pages: 1 },
    { count: 11, orientation: "landscape", pages: 1 },
    { count: 40, orientation: "landscape", pages: 1 },
    { count: 41, orientation: "landscape", pages: 2 },
  ])(
    "prints $count columns in $orientation, on $pages pages side by side",
    ({ count, orientation, pages }) => {
      const columns = Array.from({ length: count }, (): Column => ({ name: "answered", type: "integer" }));
      const xml = sheetOf(columns, [columns.map(() => 1)]);
      expect(xml).toContain('<col min="1" max="1" width="11"');
      expect(xml).toContain('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>');
      expect(xml).toContain(
        `<pageSetup orientation="${orientation}" fitToWidth="${pages}" fitToHeight="0"/>`,
      );
    },
  );

  it("keeps all digits of numbers that Excel would round", () => {
    const columns: Column[] = [{ name: "seconds", type: "integer" }];
    const xml = sheetOf(columns, [[999_999_999_999_999], [-1_234_567_890_123_456]]);
    expect(xml).toContain("<v>999999999999999</v>");
    expect(xml).toContain("<t>-1234567890123456</t>");
  });

  it("makes columns wide enough for amounts in bold, which would otherwise be shown as ###", () => {
    const columns: Column[] = [{ name: "cost", type: "decimal", decimals: 2, currency: "USD" }];
    const [, width] = /width="(\d+)"/.exec(sheetOf(columns, [[38842.68]])) ?? [];
    expect(Number(width)).toBeGreaterThan("38,842.68 USD".length * 1.2);
  });

  it("makes columns as wide as their contents, within limits", () => {
    const columns: Column[] = [
      { name: "a", type: "text" },
      { name: "b", type: "text" },
      { name: "started", type: "time" },
    ];
    const xml = sheetOf(columns, [["x".repeat(20), "x".repeat(1000), "2026-11-20T05:30:00.000Z"]]);
    expect([...xml.matchAll(/width="(\d+)"/g)].map(([, width]) => Number(width))).toEqual([22, 50, 21]);
  });
});

describe("toSheetNames", () => {
  it("returns names that Excel accepts, all different", () => {
    const long = "utm_source-utm_medium-utm_campaign-channel";
    expect(
      toSheetNames(["a[b]:c*d?e/f\\g'h", "about", "headline", "calls", "CALLS", long, `${long}2`]),
    ).toEqual([
      "a_b__c_d_e_f_g_h",
      "about~2",
      "headline~2",
      "calls",
      "CALLS~2",
      "utm_source-utm_medium-utm_campa",
      "utm_source-utm_medium-utm_cam~2",
    ]);
  });
});

describe("escapeText", () => {
  it("keeps everything that a cell can hold", () => {
    const unit = fc.constantFrom(
      "_",
      "x",
      "0",
      "4",
      "1",
      "A",
      "\u0001",
      "\r",
      "\ufffe",
      "_x0041_",
      "<",
      "😀",
    );
    const decode = (xml: string) =>
      xml
        .replaceAll(/_x([\dA-F]{4})_/gi, (_, digits: string) =>
          String.fromCharCode(Number.parseInt(digits, 16)),
        )
        .replaceAll("&lt;", "<");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const xml = escapeText(units.join(""));
        expect(decode(xml)).toBe(units.join(""));
        for (const bad of ["\u0001", "\r", "\ufffe", "<"]) expect(xml).not.toContain(bad);
      }),
      { numRuns: 2000 },
    );
    expect(escapeText("half \ud83d of a pair")).toBe("half \ufffd of a pair");
  });
});

describe("cutText", () => {
  it("does not split surrogate pairs", () => {
    for (const text of ["🍂".repeat(20_000), `x${"🍂".repeat(20_000)}`]) {
      expect(cutText(text).isWellFormed()).toBe(true);
      expect(cutText(text).length).toBeGreaterThan(32_760);
      expect(cutText(text).length).toBeLessThanOrEqual(32_767);
    }
  });
});

describe("toZip", () => {
  it("writes archives that other programs can read, always dated 1980-01-01", () => {
    const parts = [{ name: "a.xml", text: ["<a>", "ß".repeat(1e5), "</a>"] }];
    const archive = Buffer.concat([...toZip(parts)]);
    expect(unzipSync(archive)).toEqual({
      "a.xml": new Uint8Array(Buffer.from(parts[0]?.text.join("") ?? "")),
    });
    expect(archive.readUInt32LE(10)).toBe(0x0021_0000);
  });

  it("refuses more than 4 GiB", () => {
    expect(() => assertFits("xl/worksheets/sheet2.xml", 2 ** 32 - 1)).not.toThrow();
    expect(() => assertFits("xl/worksheets/sheet2.xml", 2 ** 32)).toThrow("larger than 4 GiB");
  });
});
