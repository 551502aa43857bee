import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import { type ReadReport, readReport } from "../../../src/features/spend/read-report.ts";
import type { SpendField } from "../../../src/features/spend/spend-forms.ts";
import type { ReadSpendOptions } from "../../../src/features/spend/spend-intake.ts";
import type { HeaderMap } from "../../../src/intake/columns.ts";
import { decodeText } from "../../../src/intake/decode-text.ts";
import { MAX_FILE_BYTES } from "../../../src/intake/read-file.ts";

const GOOGLE = `Campaign report
"October 1, 2026 - October 2, 2026"
Day,Campaign,Campaign ID,Currency code,Cost,Impr.,Clicks
2026-10-01,"Brand, exact",111,USD,"1,204.50","48,210","1,930"
2026-10-02,Generic,222,USD,--,0,--
Total: Account,--,--,USD,"1,204.50","48,210","1,930"
Total: Campaigns,--,--,USD,"1,204.50","48,210","1,930"
`;

const MICROSOFT = `"Report Name: Campaign performance"
"Report Time: 10/1/2026 - 10/31/2026"

"Gregorian date","Campaign name","Campaign ID","Currency code","Impressions","Clicks","Spend"
"10/1/2026","HVAC","402517786","USD","100","7","12.30"
"10/31/2026","HVAC","402517786","USD","1,100","17","1,012.30"

"©2026 Microsoft Corporation. All rights reserved. "
`;

const META = `Campaign name,Campaign ID,Day,Reporting starts,Reporting ends,Amount spent (EUR),Impressions,Link clicks
,,,2026-10-01,2026-10-02,30.5,300,3
Spring,1202088,2026-10-01,2026-10-01,2026-10-01,10.25,100,1
Spring,1202088,2026-10-02,2026-10-02,2026-10-02,20.25,200,
`;

type ReadOptions = Omit<ReadSpendOptions, "map"> & { map: Partial<Record<SpendField, string>> };

/** Reads a report; without the amounts of the lines that are left out. */
function read(
  text: string | Buffer,
  { map = {}, ...options }: Partial<ReadOptions> = {},
): Omit<ReadReport, "left_out"> & { left_out: { line: number; reason: string }[] } {
  const lists: HeaderMap<SpendField> = Object.fromEntries(
    Object.entries(map).map(([field, name]) => [field, [name]]),
  );
  const report = readReport(decodeText(Buffer.from(text)).text, { ...options, map: lists });
  return { ...report, left_out: report.left_out.map(({ line, reason }) => ({ line, reason })) };
}

const SHORTENED = (id: string) =>
  `the campaign id "${id}" was shortened by a spreadsheet: export the file again, and do not save it there`;

const row = {
  line: 4,
  day: "2026-10-01",
  source: "google",
  medium: "cpc",
  campaign: "Brand, exact",
  campaign_id: "111",
  cost_micros: 1_204_500_000,
  currency: "USD",
  clicks: 1930,
  impressions: 48_210,
};

/** The reason why a file cannot be used. */
function refusal(text: string, options: Partial<ReadOptions> = {}): string | undefined {
  try {
    read(text, options);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.hint}`;
    throw error;
  }
  return undefined;
}

function sumOfLines(report: ReturnType<typeof read>): number {
  const { title_lines, total_lines, note_lines, blank_lines, rows, left_out } = report;
  const lists = [title_lines, total_lines, note_lines, blank_lines, rows, left_out];
  return lists.reduce((sum, { length }) => sum + length, 1);
}

describe("readReport", () => {
  it("reads a Google Ads report: titles, thousands, empty values, totals", () => {
    expect(read(GOOGLE)).toEqual({
      report: "Google Ads",
      unused_columns: [],
      lines: 7,
      title_lines: [1, 2],
      header_line: 3,
      total_lines: [6, 7],
      note_lines: [],
      blank_lines: [],
      rows: [
        row,
        {
          ...row,
          line: 5,
          day: "2026-10-02",
          campaign: "Generic",
          campaign_id: "222",
          cost_micros: 0,
          clicks: null,
          impressions: 0,
        },
      ],
      left_out: [],
    });
  });

  it.each([
    ["tabs", (text: string) => Buffer.from(toDelimited(text, "\t"), "utf16le")],
    ["semicolons", (text: string) => Buffer.from(toDelimited(text, ";"))],
    ["CRLF", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
    ["no line break at its end", (text: string) => Buffer.from(text.trimEnd())],
  ])("reads the same from a file with %s", (_, encode) => {
    expect(read(encode(GOOGLE))).toEqual(read(GOOGLE));
  });

  it("reads a Microsoft Advertising report: month first as shown by the 31st, copyright line", () => {
    const report = read(MICROSOFT);
    expect(report).toMatchObject({
      report: "Microsoft Advertising",
      title_lines: [1, 2],
      header_line: 4,
      blank_lines: [3, 7],
      note_lines: [8],
    });
    expect(report.rows.map(({ day, source, cost_micros }) => [day, source, cost_micros])).toEqual([
      ["2026-10-01", "bing", 12_300_000],
      ["2026-10-31", "bing", 1_012_300_000],
    ]);
    expect(sumOfLines(report)).toBe(report.lines);
  });

  it("reads a Meta report: the currency in a header, the total, link clicks", () => {
    const report = read(META);
    expect(report).toMatchObject({ report: "Meta", total_lines: [2], left_out: [] });
    expect(report.rows.map(({ day, medium, currency, clicks }) => [day, medium, currency, clicks])).toEqual([
      ["2026-10-01", "paid_social", "EUR", 1],
      ["2026-10-02", "paid_social", "EUR", null],
    ]);
  });

  it("leaves out Meta rows of more than one day", () => {
    const { rows, left_out } = read(`Reporting starts,Reporting ends,Campaign name,Amount spent (USD)
2026-10-01,2026-10-01,A,1
2026-10-01,2026-10-07,A,7
`);
    expect([rows.length, left_out]).toEqual([1, [{ line: 3, reason: "more than one day" }]]);
  });

  it("recognizes the total of Meta in a report of a single day, too", () => {
    const { rows, total_lines } = read(`Campaign name,Reporting starts,Reporting ends,Amount spent (USD)
,2026-10-01,2026-10-01,3.00
A,2026-10-01,2026-10-01,1.00
B,2026-10-01,2026-10-01,2.00
`);
    expect([rows.map(({ campaign }) => campaign), total_lines]).toEqual([["A", "B"], [2]]);
  });

  it("leaves out a campaign named Total with an invalid day, and does not treat it as a total", () => {
    const { left_out, total_lines } = read(
      "Campaign,Day,Currency code,Cost\nTotal Wine,2026-13-01,USD,1\nTotal: Account,--,USD,1\n",
    );
    expect([left_out, total_lines]).toEqual([[{ line: 2, reason: '"2026-13-01" is not a day' }], [3]]);
  });

  it("names a row with more cells than the header, as after unquoted thousands, and one with an open quote", () => {
    const { rows, left_out } = read(`Day,Currency code,Campaign,Cost,
2026-10-01,USD,A,1,204.50
2026-10-02,USD,A,1.50,
2026-10-03,USD,"B,2.50
2026-10-04,USD,B,3.50
2026-10-05,USD,"B,4.50
2026-10-06,USD,"B
C",5.50
`);
    expect(rows.map(({ day, cost_micros }) => [day, cost_micros])).toEqual([
      ["2026-10-02", 1_500_000],
      ["2026-10-06", 5_500_000],
    ]);
    expect(left_out).toEqual([
      { line: 2, reason: "more cells than the header" },
      { line: 4, reason: "an unclosed quote" },
    ]);
  });

  it("accepts columns by --map, and the source by a flag", () => {
    const text = "Datum;Ausgaben (EUR);Name\n05.10.2026;1.204,50;Herbst\n06.10.2026;0,5;\n";
    const map = { day: "datum", cost: "Ausgaben", campaign: "Name" };
    expect(read(text, { map, source: "TikTok ", medium: "Paid_Social" }).rows).toMatchObject([
      {
        day: "2026-10-05",
        cost_micros: 1_204_500_000,
        source: "tiktok",
        medium: "paid_social",
        currency: "EUR",
      },
      { day: "2026-10-06", cost_micros: 500_000, campaign: null },
    ]);
  });

  it("recognizes its own column names, and fills empty cells from flags", () => {
    const text = "day,cost,source,medium,campaign_id\n2026-10-05,1,Bing,cpc,7\n2026-10-05,2,,,8\n";
    expect(read(text, { source: "google", medium: "cpc" }).rows).toMatchObject([
      { source: "bing", campaign_id: "7" },
      { source: "google", campaign_id: "8" },
    ]);
    expect(read(text).left_out).toEqual([{ line: 3, reason: "no source" }]);
  });

  it("asks for the order of ambiguous dates, and accepts the flag", () => {
    const text = "day,cost\n1/2/2026,1\n3/4/2026,2\n5/5/2026,3\n";
    const options = { source: "a", medium: "b" };
    const days = (dates: "mdy" | "dmy") => read(text, { ...options, dates }).rows.map(({ day }) => day);
    expect(days("mdy")).toEqual(["2026-01-02", "2026-03-04", "2026-05-05"]);
    expect(days("dmy")).toEqual(["2026-02-01", "2026-04-03", "2026-05-05"]);
    expect(read("day,cost\n5/5/2026,3\n", options).rows[0]?.day).toBe("2026-05-05");
    expect(read("day,cost\n1/2/2026,1\n31/1/2026,1\n", options).rows.map(({ day }) => day)).toEqual([
      "2026-02-01",
      "2026-01-31",
    ]);
  });

  it("reads 1,204 by the rest of the file, and leaves it out if that is ambiguous", () => {
    const options = { source: "a", medium: "b" };
    const costs = (text: string, more: Partial<ReadOptions> = {}) => {
      const { rows, left_out } = read(text, { ...options, ...more });
      return [rows.map(({ cost_micros }) => cost_micros), left_out.map(({ line }) => line)];
    };
    const alone = 'day,cost\n2026-10-05,"1,204"\n2026-10-06,7\n';
    expect(costs(alone)).toEqual([[7_000_000], [2]]);
    expect(costs(alone, { decimal: "point" })).toEqual([[1_204_000_000, 7_000_000], []]);
    expect(costs(alone, { decimal: "comma" })).toEqual([[1_204_000, 7_000_000], []]);
    expect(costs(`${alone}2026-10-07,0.5\n`)).toEqual([[1_204_000_000, 7_000_000, 500_000], []]);
    expect(costs(`${alone}2026-10-07,"0,5"\n`)).toEqual([[1_204_000, 7_000_000, 500_000], []]);
    // Impressions are whole, so that their comma groups thousands.
    expect(costs('day,cost,impressions\n2026-10-05,"1,204","10,500"\n')).toEqual([[1_204_000_000], []]);
    expect(costs("day,cost,clicks\n2026-10-05,1.204,1.500\n")).toEqual([[1_204_000_000], []]);
  });

  it("names the problem of a whole file and the solution", () => {
    const own = { source: "a", medium: "b" };
    const wide = Array.from({ length: 14 }, (_, index) => `c${index + 1}`).join();
    const known =
      "Name the columns: --map day=Date,cost=Spend,campaign=Campaign. A day and a cost are needed.";
    const none = "none of its first 60 lines is the header of a known report";
    const table: [text: string, options: Partial<ReadOptions>, expected: string][] = [
      ["", {}, `${none} | ${known}`],
      ["a\nb\n", {}, `${none} | ${known}`],
      ["a\nb;c\nd;e\n", {}, `${none}; line 2 has b, c | ${known}`],
      ["a\tb\nc\td\te\n1\t2\t3\n", {}, `${none}; line 2 has c, d, e | ${known}`],
      ["a;b\nc,d\n", {}, `${none}; line 2 has c, d | ${known}`],
      [`${wide}\n`, {}, `${none}; line 1 has c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12 | ${known}`],
      [
        "a,b\n",
        { map: { day: "Datum", cost: "Preis" } },
        `none of its first 60 lines is a header with the columns "Datum", "Preis"; line 1 has a, b | ${known}`,
      ],
      [
        "day,cost\n",
        {},
        "the report has no source (columns by calltally's names) | Pass --source, such as --source google, or --map source=HEADER.",
      ],
      [
        "day,cost\n",
        { source: "a" },
        "the report has no medium (columns by calltally's names) | Pass --medium, such as --medium cpc, or --map medium=HEADER.",
      ],
      [
        "day,cost,source\n",
        {},
        "the report has no medium (columns by calltally's names) | Pass --medium, such as --medium cpc, or --map medium=HEADER.",
      ],
      [
        "day,cost\n1/31/2026,1\n31/1/2026,1\n",
        own,
        "line 2 has the month before the day, and line 3 has the day before the month | Give --dates mdy or --dates dmy: rows with the other one are left out.",
      ],
      [
        "day,cost\n5/5/2026,1\n1/2/2026,1\n3/4/2026,1\n",
        own,
        "its dates can be read in two ways: 1/2/2026 in line 3, and none has a number above 12 there | Say which comes first: --dates mdy (month) or --dates dmy (day).",
      ],
      [
        'day,cost\n2026-10-01,"1,5"\n2026-10-02,2.5\n2026-10-03,"3,5"\n',
        own,
        "line 3 has decimals after a point, and line 2 has them after a comma | Give --decimal point or --decimal comma: rows with the other one are left out.",
      ],
      [
        'day,cost,clicks\n2026-10-01,"1,5","1,500"\n',
        own,
        "line 2 has decimals after a point, and line 2 has them after a comma | Give --decimal point or --decimal comma: rows with the other one are left out.",
      ],
    ];
    for (const [text, options, expected] of table)
      expect([text, refusal(text, options)]).toEqual([text, expected]);
    expect(refusal('day,cost\n2026-10-05,"1\n', own)).toBe(
      "it is not CSV: Quote Not Closed: the parsing is finished with an opening quote at line 2 | Save it as CSV with a header line; --help lists the columns that are read.",
    );
  });

  it("looks for a header in the first 60 lines, by each delimiter", () => {
    const titled = (lines: number, header = "Day,Cost,Impr.") =>
      `${"title\n".repeat(lines)}${header}\n2026-10-01,1,1\n`;
    expect([0, 1, 59].map((lines) => read(titled(lines)).header_line)).toEqual([1, 2, 60]);
    expect(refusal(titled(60))).toContain("none of its first 60 lines is the header");
    expect(read(titled(59)).title_lines).toEqual(Array.from({ length: 59 }, (_, index) => index + 1));
    expect(read("\n \n,,\nDay,Cost,Impr.\n")).toMatchObject({
      blank_lines: [1, 2, 3],
      title_lines: [],
      header_line: 4,
    });
    // A file that is not CSV with a comma may be CSV with another delimiter.
    expect(read('Day;Cost;Impr.\n2026-10-01;"1";1\nx;1,"5;1\n')).toMatchObject({
      header_line: 1,
      rows: [{ cost_micros: 1_000_000 }],
      left_out: [{ line: 3, reason: '"x" is not a day' }],
    });
    expect(MAX_FILE_BYTES).toBe(67_108_864);
    // Some programs repeat the header on each page.
    expect(read("Day,Cost,Impr.\nDay,Cost,Impr.\nDay,Cost,x\n")).toMatchObject({
      header_line: 1,
      title_lines: [2],
      left_out: [{ line: 3, reason: '"Day" is not a day' }],
    });
  });

  it("distinguishes totals, notes and blank lines from rows that are left out", () => {
    const kinds = (text: string) => {
      const { total_lines, note_lines, blank_lines, rows, left_out } = read(text, { decimal: "point" });
      return {
        total: total_lines,
        note: note_lines,
        blank: blank_lines,
        row: rows.map(({ line }) => line),
        out: left_out.map(({ line, reason }) => `${line} ${reason}`),
      };
    };
    expect(
      kinds(`Day,Campaign,Cost,Currency code
Total,,1,USD
total: account,--,1,
Grand total,,1,
Overall totals,,1,
--,Total,1,
Totally,,1,
Grand  total,,1,
Subtotal,,1,
Total Wine,Total Wine,1,
,Totals,,
 ,,,
,,,
©2026,,,
2026-10-01,,1,
2026-10-01,Total,1,USD
,A,1,
,,1,
,,--,x
,,,x
x,,--,
a,b,,
2026-10-0x,A,--,
`),
    ).toEqual({
      total: [2, 3, 4, 5, 6, 8, 9, 10, 11, 16, 18],
      note: [14, 19, 20, 21],
      blank: [12, 13],
      row: [15],
      out: ['7 "Totally" is not a day', "17 no day", '22 "a" is not a day', '23 "2026-10-0x" is not a day'],
    });
  });

  it("recognizes a total by its missing campaign if other rows have one", () => {
    const kindsOf = (text: string) => {
      const { total_lines, left_out } = read(text, { decimal: "point" });
      return [total_lines, left_out.map(({ line, reason }) => `${line} ${reason}`)];
    };
    expect(kindsOf("Day,Cost,Impr.\n,5,1\n")).toEqual([[], ["2 no day"]]);
    expect(kindsOf("Day,Campaign ID,Cost,Impr.\n,,5,1\n,7,5,1\n")).toEqual([[2], ["3 no day"]]);
    expect(kindsOf("Day,Campaign,Campaign ID,Cost,Impr.\n,,7,5,1\n,--, -- ,5,1\n, A ,,5,1\n")).toEqual([
      [3],
      ["2 no day", "4 no day"],
    ]);
    expect(kindsOf("Day,Campaign,Cost,Impr.\n Total Wine ,A,5,1\n,, Total ,1\n")).toEqual([[2, 3], []]);
    expect(kindsOf("Day,Campaign,Cost,Impr.\n--, Total: all ,5,1\n--,Not total,5,1\n")).toEqual([
      [2],
      ["3 no day"],
    ]);
    expect(kindsOf("Day,Cost,Impr.\n,5,\n,,5\n")).toEqual([[], ["2 no day"]]);
  });

  it.each(["'20533716084", '"=""20533716084"""', "20533716084.00"])(
    "reads the campaign id %s as written by spreadsheets",
    (id) => {
      const { rows } = read(`Day,Campaign ID,Cost,Currency code\n2026-10-01,${id},1,USD\n`);
      expect(rows.map(({ campaign_id }) => campaign_id)).toEqual(["20533716084"]);
    },
  );

  it.each<[name: string, text: string, rows: number[], totals: number[]]>([
    [
      "of the file, and of days",
      "A,2026-06-02,1\nTotal,2026-06-02,1\nA,2026-06-03,2\nTotals:,2026-06-03,2\nGrand total,2026-06-03,3\n",
      [2, 4],
      [3, 5, 6],
    ],
    [
      "of rounded amounts",
      "A,2026-06-02,33.33\nB,2026-06-02,33.33\nC,2026-06-02,33.33\nTotal,2026-06-02,100.00\n",
      [2, 3, 4],
      [5],
    ],
    [
      "by any of its cells without a campaign",
      "--,2026-06-02,100,USD,Total\nA,2026-06-02,100,USD,x\n",
      [3],
      [2],
    ],
    ["only if it is a sum", "Total,2026-06-02,201\nA,2026-06-02,100\nB,2026-06-02,100\n", [2, 3, 4], []],
    ["but not a campaign called Total Wine", "Total Wine,2026-06-02,100\nA,2026-06-02,100\n", [2, 3], []],
    ["alone", "Total,2026-06-02,100\n", [2], []],
  ])("recognizes a dated total %s", (_, text, rows, totals) => {
    const header = "Campaign,Day,Cost,Currency code,Ad\n";
    const report = read(`${header}${text}`, { decimal: "point" });
    expect([report.rows.map(({ line }) => line), report.total_lines]).toEqual([rows, totals]);
  });

  it("leaves out a dated total that cannot be checked", () => {
    const { rows, left_out } = read(
      "Campaign,Day,Cost,Currency code\nA,2026-06-02,100,EUR\nB,2026-06-02,x,EUR\nTotal,2026-06-02,200,EUR\n",
    );
    expect([rows.length, left_out]).toEqual([
      1,
      [
        { line: 3, reason: 'the cost "x" is not a number' },
        { line: 4, reason: "it may be the total of rows that were left out" },
      ],
    ]);
  });

  it.each([
    ["JPY", "12,345", 12_345],
    ["JPY", "12.345", 12_345],
    ["JPY", "12,345.5", 12_345.5],
  ])("reads amounts in %s without decimals: %s", (code, amount, cost) => {
    const inCells = read(`Day,Cost,Currency code\n2026-10-01,"${amount}",${code}\n`);
    const given = read(`Day,Cost,Impr.\n2026-10-01,"${amount}",1\n`, { currency: code });
    const inHeader = read(`Day,Cost (${code}),Impr.\n2026-10-01,"${amount}",1\n`);
    for (const { rows } of [inCells, given, inHeader])
      expect(rows.map(({ cost_micros }) => cost_micros / 1e6)).toEqual([cost]);
  });

  it.each([
    [
      "Campaign,Cost,Currency code,Clicks\nA,1,USD,1\n",
      "it is a report of Google Ads without days | In Google Ads, add the segment Day",
    ],
    [
      "Campaign name,Amount spent (USD)\nA,1\n",
      "it is a report of Meta without days | In Ads Manager, choose the breakdown by Day",
    ],
    [
      "Reporting starts,Reporting ends,Campaign name,Amount spent (USD)\n2026-10-01,2026-10-31,A,1\n,2026-10-01,2026-10-31,,1\n",
      "it is a report of Meta without days: its rows are of more than one | In Ads Manager",
    ],
  ])("refuses a known report without days and explains how to get them: %j", (text, expected) => {
    expect(refusal(text)).toContain(expected);
  });

  it.each([
    [
      GOOGLE,
      ["facebook", "fb", "bing", "TikTok", "linkedin.com"],
      ["google", "Google", "youtube", "gads", "agency"],
    ],
    // Of Google's own names, not all are sites.
    [META, ["google", "bing", "linkedin", "gads"], ["fb", "ig", "instagram", "meta", "campaigns"]],
    [MICROSOFT, ["google", "facebook"], ["bing", "msn", "microsoft"]],
  ])("refuses a --source of another platform than the report's", (text, refused, accepted) => {
    for (const source of refused)
      expect(refusal(text, { source })).toMatch(
        /it is a report of .*, and --source is .* \| Leave out --source/,
      );
    for (const source of accepted) expect(read(text, { source }).rows[0]?.source).toBe(source.toLowerCase());
    // A map of day and cost overrides the known report.
    const map = {
      day: text === MICROSOFT ? "Gregorian date" : "Day",
      cost: text === GOOGLE ? "Cost" : text === META ? "Amount spent" : "Spend",
    };
    expect(read(text, { map, source: "reddit", medium: "cpc" }).rows[0]?.source).toBe("reddit");
  });

  it("lists rows that are left out in the order of the file, and keeps the others", () => {
    const { rows, left_out } = read(`Day,Campaign,Cost,Impr.,Currency code
2026-10-01,A,1,0.5, usd
 x ,A,1,1,usd
2026-10-01,"""A""",1,1, usd ,
2026-10-01,A,1,0.5,usd
2026-10-01,A, y ,1,usd
`);
    expect(rows.map(({ line, campaign, currency }) => [line, campaign, currency])).toEqual([
      [4, '"A"', "USD"],
    ]);
    expect(left_out).toEqual([
      { line: 2, reason: "clicks or impressions are not whole numbers" },
      { line: 3, reason: '"x" is not a day' },
      { line: 5, reason: "clicks or impressions are not whole numbers" },
      { line: 6, reason: 'the cost "y" is not a number' },
    ]);
    const meta = read(
      "Reporting starts,Reporting ends,Campaign name,Amount spent (USD)\n 2026-10-01 ,2026-10-01  ,A,1\n",
    );
    expect(meta.rows.length).toBe(1);
  });

  it("names in short the reason why a row is left out", () => {
    const long = "x".repeat(41);
    const out = (
      line: string,
      header = "Day,Campaign,Campaign ID,Currency code,Cost,Impr.,Clicks",
      options: Partial<ReadOptions> = {},
    ) =>
      read(`${header}\n${line}\n`, options)
        .left_out.map(({ reason }) => reason)
        .join();
    const table: [
      line: string,
      expected: string,
      header?: string | undefined,
      options?: Partial<ReadOptions>,
    ][] = [
      [`2026-10-01,A,1,USD,${long},1,1`, `the cost "${"x".repeat(39)}…" is not a number`],
      [`2026-10-01,A,1,USD,${long.slice(1)},1,1`, `the cost "${"x".repeat(40)}" is not a number`],
      ["2026-10-01,A,1,USD,1,x,1", '"x" is not a number of impressions'],
      ["2026-10-01,A,1,USD,1,1,x", '"x" is not a number of clicks'],
      ["2026-10-01,A,1,USD,1,0.5,1", "clicks or impressions are not whole numbers"],
      ["2026-10-01,A,1,USD,1,-1,1", "clicks or impressions are not whole numbers"],
      ["2026-10-01,A,1,USD,1,0,0", ""],
      ["2026-10-01,A,1,--,--,--,--", ""],
      ["2026-10-01,A,1,usd,1,1,1", ""],
      ["2026-10-01,A,1,EURO,1,1,1", '"EURO" is not a currency'],
      ["2026-10-01,A,1,USD,€1,1,1", "the currencies USD and EUR in one row"],
      ["2026-10-01,A,1,USD,USD 1,1,1", ""],
      ["13/13/2026,A,1,USD,1,1,1", "its date is invalid with the month first"],
      ["13/12/2026,A,1,USD,1,1,1", "its date is invalid with the month first", undefined, { dates: "mdy" }],
      ["12/13/2026,A,1,USD,1,1,1", "its date is invalid with the day first", undefined, { dates: "dmy" }],
      [
        '2026-10-01,A,1,USD,"1,204",1,1',
        '"1,204" may be thousands or decimals: pass --decimal point or comma',
      ],
      ["2026-10-01,A,1,USD,1,1.204,1", ""],
      [
        '2026-10-01,A,1,USD,"1,5",1,1',
        'the cost "1,5" is not a number in this file\'s format, or too long',
        undefined,
        { decimal: "point" },
      ],
      [
        "2026-10-01,A,1,USD,2000000000,1,1",
        'the cost "2000000000" is not a number in this file\'s format, or too long',
      ],
      ["2026-10-01,A,1,USD,1,1,1,, ", ""],
      ["2026-10-01,A,1,USD,1,1,1, ,x", "more cells than the header"],
      ['2026-10-01,A,1,USD,1,1," ""a\nb"', "an unclosed quote"],
      ["2026-10-01,1,,b", "no source", "day,cost,source,medium"],
      ["2026-10-01,1,a, ", "no medium", "day,cost,source,medium"],
      ["2026-10-01,1,null,b", "no source", "day,cost,source,medium"],
      ["2026-10-01,1,a,null", "no medium", "day,cost,source,medium"],
      ["2026-10-01,A,2.05E+10,USD,1,1,1", SHORTENED("2.05E+10")],
      ["2026-10-01,A,'2e9,USD,1,1,1", SHORTENED("'2e9")],
      ['2026-10-01,A,"2,05337E+10",USD,1,1,1', SHORTENED("2,05337E+10")],
      [
        "2026-10-01,EUR,1,A",
        "the currencies EUR and USD in one row",
        "Day,Currency,Amount spent (USD),Campaign name",
      ],
    ];
    for (const [line, expected, header, options] of table)
      expect([line, out(line, header, options)]).toEqual([line, expected]);
  });

  it("reads each member of a row, folded and trimmed, or null", () => {
    const header = "day,cost,source,medium,campaign,campaign_id,currency,clicks,impressions";
    const rows = (line: string, options: Partial<ReadOptions> = {}) =>
      read(`${header}\n${line}\n`, options).rows;
    expect(rows(" 2026-10-01 ,-1.5, Face  Book,CPC, Autumn , 7 ,eur,3,4")).toEqual([
      {
        line: 2,
        day: "2026-10-01",
        source: "face book",
        medium: "cpc",
        campaign: "Autumn",
        campaign_id: "7",
        cost_micros: -1_500_000,
        currency: "EUR",
        clicks: 3,
        impressions: 4,
      },
    ]);
    expect(rows("2026-10-01,--,,,Shop,n/a,--,--,--", { source: " Bing ", medium: "CPC" })).toMatchObject([
      {
        source: "bing",
        medium: "cpc",
        campaign: "Shop",
        campaign_id: null,
        cost_micros: 0,
        currency: null,
        clicks: null,
        impressions: null,
      },
    ]);
    expect(rows("2026-10-01,€1,a,b,,7,,,")).toMatchObject([{ currency: "EUR", campaign: null }]);
  });

  it("assigns each line of any file to exactly one group", () => {
    const cell = fc.constantFrom(
      "2026-10-01",
      "10/31/2026",
      "",
      "--",
      "Total",
      "Total: Account",
      "1,204.50",
      "12",
      "abc",
      '"',
      "©2026",
      "USD",
      "a\nb",
    );
    const seen = { rows: 0, left_out: 0, total_lines: 0, note_lines: 0, blank_lines: 0 };
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 30 }), (cells) => {
        const lines = cells.map((line) => line.map((each) => `"${each.replaceAll('"', '""')}"`).join());
        const text = `Title\n\nDay,Campaign,Cost,Impr.,Clicks\n${lines.map((line) => `${line}\n`).join("")}`;
        const report = read(text, { dates: "mdy", decimal: "point" });
        expect(report.lines).toBe(3 + lines.length);
        expect(sumOfLines(report)).toBe(report.lines);
        const { rows, left_out, total_lines, note_lines, blank_lines } = report;
        const lists = { rows, left_out, total_lines, note_lines, blank_lines };
        for (const name of ["rows", "left_out", "total_lines", "note_lines", "blank_lines"] as const) {
          seen[name] += lists[name].length;
        }
      }),
      { numRuns: 200 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });
});

function toDelimited(csv: string, delimiter: string): string {
  return csv.replaceAll(/("[^"]*")|,/g, (found, quoted) => quoted ?? found.replace(",", delimiter));
}
