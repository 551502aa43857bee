import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import { SPEND_FIELDS, type SpendField } from "../../../src/features/spend/spend-forms.ts";
import { BY_MAP, SPEND_INTAKE } from "../../../src/features/spend/spend-intake.ts";
import { findColumns } from "../../../src/intake/find-columns.ts";

type HeaderMap = Partial<Record<SpendField, string>>;

const find = (headers: readonly string[], map: HeaderMap = {}) =>
  findColumns(
    headers,
    SPEND_INTAKE,
    Object.fromEntries(Object.entries(map).map(([field, name]) => [field, [name]])),
  );

/** The interpretation of a header: the report, and the fields with their places. */
function columnsOf(headers: readonly string[], map: HeaderMap = {}) {
  const found = find(headers, map);
  if (found === undefined) return undefined;
  const { form, indexes, ...columns } = found;
  const { name: report = BY_MAP, source = null, medium = null } = form ?? {};
  const places = Object.fromEntries([...indexes].map(([field, [place]]) => [field, place]));
  return { report, source, medium, ...columns, indexes: places };
}

/** Reports with the possible headers of each field, of which the first counts; and the minimum. */
const REPORTS = [
  {
    is: { report: "Google Ads", source: "google", medium: "cpc" },
    least: ["Day", "Cost"],
    marks: ["Impr.", "Currency code"],
    fields: {
      day: ["Day"],
      cost: ["Cost"],
      campaign: ["Campaign"],
      campaign_id: ["Campaign ID"],
      currency: ["Currency code", "Currency"],
      clicks: ["Clicks"],
      impressions: ["Impr.", "Impressions"],
    },
  },
  {
    is: { report: "Microsoft Advertising", source: "bing", medium: "cpc" },
    least: ["Spend"],
    marks: ["Gregorian date", "GregorianDate"],
    fields: {
      day: ["Gregorian date", "GregorianDate"],
      cost: ["Spend"],
      campaign: ["Campaign name", "CampaignName", "Campaign"],
      campaign_id: ["Campaign ID", "CampaignId"],
      currency: ["Currency code", "CurrencyCode", "Currency"],
      clicks: ["Clicks"],
      impressions: ["Impressions", "Impr."],
    },
  },
  {
    is: { report: "Meta", source: "facebook", medium: "paid_social" },
    least: ["Day"],
    marks: ["Amount spent"],
    fields: {
      day: ["Day", "Reporting starts"],
      cost: ["Amount spent"],
      campaign: ["Campaign name"],
      campaign_id: ["Campaign ID"],
      currency: ["Currency"],
      clicks: ["Link clicks", "Clicks (all)", "Clicks"],
      impressions: ["Impressions"],
    },
  },
  {
    is: { report: "columns by calltally's names", source: null, medium: null },
    least: ["day"],
    marks: ["cost"],
    fields: Object.fromEntries(SPEND_FIELDS.map((field) => [field, [field]])),
  },
];

describe("findColumns of spend", () => {
  it.each(REPORTS)(
    "recognizes each header of $is.report, and the first of several for one field",
    ({ is, least, marks, fields }) => {
      for (const mark of marks) {
        const bare = [...least, mark];
        expect(columnsOf(bare)).toMatchObject({ ...is, width: bare.length, currency: null });
        // Without one of them it is another report or unknown.
        for (const missing of bare)
          expect(columnsOf(bare.filter((each) => each !== missing))?.report).not.toBe(is.report);
      }
      for (const [field, names] of Object.entries(fields)) {
        for (const [rank, name] of names.entries()) {
          // The minimum of such a report, without the field's other headers if possible.
          const [mark = ""] = marks.filter((each) => !names.includes(each) || each === name);
          const others = [...least, mark].filter(
            (each) => each !== name && !(names.includes(each) && rank < names.indexOf(each)),
          );
          const rest =
            field === "day" || field === "cost" ? others.filter((each) => !names.includes(each)) : others;
          const full = [...names.slice(rank).toReversed(), ...rest.filter((each) => !names.includes(each))];
          const found = columnsOf(["x", ...full.map((each) => ` ${each.toUpperCase()} `)]);
          expect([name, found?.report, found?.indexes[field]]).toEqual([
            name,
            is.report,
            1 + full.indexOf(name),
          ]);
        }
      }
    },
  );

  it("reads all columns of a header", () => {
    expect(
      columnsOf(["Campaign", "Day", "Cost", "Impr.", "Clicks", "Campaign ID", "Currency code", "", " "]),
    ).toEqual({
      report: "Google Ads",
      source: "google",
      medium: "cpc",
      indexes: { day: 1, cost: 2, campaign: 0, campaign_id: 5, currency: 6, clicks: 4, impressions: 3 },
      currency: null,
      width: 7,
      unused: [],
    });
    expect(columnsOf(["a", "", "Day", "Cost", "impr."])?.width).toBe(5);
  });

  it.each([
    ["no header", []],
    ["a title", ["Campaign report"]],
    ["a day without a cost", ["Day", "Campaign"]],
    ["a cost without a day", ["Cost", "Impr."]],
  ])("does not accept %s", (_, headers) => {
    expect(find(headers)).toBeUndefined();
  });

  it.each([
    ["Amount spent (USD)", "USD"],
    ["amount spent(eur)", "EUR"],
    ["Amount spent  (Gbp) ", "GBP"],
    ["Amount spent", null],
  ])("reads the currency from the header %s", (header, currency) => {
    expect(columnsOf(["Day", header])).toMatchObject({ report: "Meta", currency, indexes: { cost: 1 } });
  });

  it.each(["Amount spent (EURO)"])("finds no currency in %s", (header) => {
    expect(columnsOf(["Day", header])).toBeUndefined();
    expect(columnsOf(["Day", header], { day: "day", cost: header })).toMatchObject({
      report: "columns by --map",
      currency: null,
    });
  });

  it.each([
    ["Amount EUR", "EUR"],
    ["Kosten [CHF]", "CHF"],
    ["Cost all", null],
  ])("reads the currency of a mapped cost from %s", (header, currency) => {
    expect(columnsOf(["Day", header], { cost: header })?.currency).toBe(currency);
  });

  it("recognizes headers of all known reports in addition to a map, and lists unused columns", () => {
    const headers = ["Date", "Campaign", "Amount", "Currency", "Clicks", "Impressions", "CTR", ""];
    expect(columnsOf(headers, { day: "Date", cost: "Amount" })).toMatchObject({
      report: "columns by --map",
      source: null,
      indexes: { day: 0, campaign: 1, cost: 2, currency: 3, clicks: 4, impressions: 5 },
      unused: ["CTR"],
    });
    expect(columnsOf(["Day", "Spend", "Campaign name", "Konto"], { source: "Konto" })?.indexes).toEqual({
      day: 0,
      cost: 1,
      campaign: 2,
      source: 3,
    });
    // A mapped column belongs to no other field, and of two headers of a field one is used.
    expect(
      columnsOf(["Date", "Amount", "Campaign", "Campaign name"], {
        day: "Date",
        cost: "Amount",
        source: "Campaign",
      }),
    ).toMatchObject({ indexes: { source: 2, campaign: 3 }, unused: [] });
    expect(columnsOf(["Day", "Cost", "Impr.", "Impressions"])?.unused).toEqual(["Impressions"]);
  });

  it("reads the end of Meta's range only if its start is the day", () => {
    const stretch = ["Reporting starts", "Reporting ends", "Amount spent (USD)"];
    expect(columnsOf(stretch)?.indexes).toEqual({ day: 0, last_day: 1, cost: 2 });
    expect(columnsOf(["Day", ...stretch])?.indexes).toEqual({ day: 0, cost: 3 });
    expect(columnsOf(["Date", ...stretch], { day: "Date" })?.indexes).toEqual({ day: 0, cost: 3 });
    expect(columnsOf(["Day", ...stretch], { day: "reporting STARTS" })?.indexes).toEqual({
      day: 1,
      last_day: 2,
      cost: 3,
    });
  });

  it("accepts mapped columns in addition to known ones, and refuses if one is missing", () => {
    expect(columnsOf(["Datum", "Preis (EUR)"], { day: " DATUM", cost: "preis" })).toEqual({
      report: "columns by --map",
      source: null,
      medium: null,
      indexes: { day: 0, cost: 1 },
      currency: "EUR",
      width: 2,
      unused: [],
    });
    const google = ["Day", "Cost", "Impr.", "Netto"];
    expect(columnsOf(google, { cost: "Netto" })).toMatchObject({
      report: "Google Ads",
      indexes: { day: 0, cost: 3, impressions: 2 },
    });
    for (const field of SPEND_FIELDS) expect(columnsOf(google, { [field]: "Brutto" })).toBeUndefined();
    expect(columnsOf(["Datum", "Preis"], { day: "Datum" })).toBeUndefined();
    expect(columnsOf(["Datum", "Preis"], { cost: "Preis" })).toBeUndefined();
    for (const field of SPEND_FIELDS)
      expect(columnsOf([...google, "Own"], { [field]: "own" })?.indexes[field]).toBe(4);
  });

  it("refuses two columns for one field", () => {
    const twice = (name: string) =>
      new UsageError(`it has several columns "${name}"`, {
        hint: "Remove all but one of them from the file.",
      });
    const refusal = (headers: string[], map: HeaderMap = {}) => {
      try {
        find(headers, map);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    for (const [headers, name, map] of [
      [["Day", "Cost", "Impr.", "COST"], "cost"],
      [["Day", "Cost (EUR)", "Impr.", "Cost (USD)"], "cost"],
      [["Day", "Cost (EUR)", "Impr.", "Cost (EUR)"], "cost"],
      [["Day", "Cost", "Impr.", "Cost (EUR)"], "cost"],
      [["Day", "day", "Cost", "Impr."], "day"],
      [["Day", "Cost (EUR)", "Impr.", "Cost (EUR)"], "cost (eur)", { cost: "Cost (EUR)" }],
    ] as const) {
      const error = refusal([...headers], map);
      expect(error).toEqual(twice(name));
      expect(error).toMatchObject({ hint: "Remove all but one of them from the file." });
    }
    // Unknown columns, other currencies of another field, and mapped columns are ignored.
    expect(refusal(["Day", "Cost", "Impr.", "x", "x"])).toBeUndefined();
    expect(refusal(["Day", "Cost (EUR)", "Impr.", "Cost (USD)"], { cost: "Cost (USD)" })).toBeUndefined();
    expect(refusal(["Day", "Cost", "Impr.", "Clicks (EUR)", "Clicks (USD)"])).toBeUndefined();
  });
});
