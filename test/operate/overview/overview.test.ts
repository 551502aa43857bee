import { describe, expect, it } from "vitest";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import type { Manifest } from "../../../src/export/manifest.ts";
import type { Counterpart } from "../../../src/export/timeframe.ts";
import { toOverviewPage } from "../../../src/operate/overview/overview-page.ts";
import { toTable } from "../../../src/operate/overview/overview-sheet.ts";
import { type Overview, type OverviewRow, totalOf } from "../../../src/operate/overview/read-overview.ts";
import { readTables } from "../../support/page.ts";

const COMPARED = { times: 1, isCovered: true } as Counterpart;
const BEFORE = { calls: 50, calls_previous: 40, calls_change: 0.25, missed_calls: 20, qualified_calls: 9 };

interface OverviewCase {
  figures?: OverviewRow["figures"];
  zone?: string;
  times?: number;
  currency?: string;
  problems?: string[];
  title?: string;
  status?: object;
  pages?: object[];
}

function rowOf(
  account: string,
  {
    figures,
    zone = "UTC",
    times = 1,
    currency,
    problems = [],
    title = account,
    status,
    pages = [],
  }: OverviewCase,
) {
  const range = { from: "2026-10-01", to: "2026-10-31" };
  const manifest = { timezone: zone, range, statements: [] as Manifest["statements"] } as Manifest;
  const table = { columns: [{ name: "calls", type: "integer" }], rows: [] };
  const accountFigures = { account, manifest, table, compared: { ...COMPARED, times } };
  return {
    account,
    title,
    accountFigures: figures && accountFigures,
    figures: figures ?? {},
    currency: currency ?? null,
    status,
    problems,
    pages,
  } as unknown as OverviewRow;
}

const overviewOf = (rows: OverviewRow[]): Overview => ({ rows, ...totalOf(rows) });
const pageIn = (folder: string) => ({ letterhead: PLAIN, statements: [], folder });

describe("totalOf", () => {
  it("adds counts and amounts, and computes shares from the sums", () => {
    const rows = [
      rowOf("a", { figures: { ...BEFORE, cost: 10.1, revenue: 0.3 }, currency: "USD" }),
      rowOf("b", {
        figures: { ...BEFORE, calls: 150, missed_calls: 0, cost: 0.2, revenue: null },
        currency: "USD",
      }),
    ];
    expect(totalOf(rows)).toEqual({
      total: {
        calls: 200,
        missed_calls: 20,
        qualified_calls: 18,
        missed_rate: 0.1,
        calls_previous: 80,
        calls_change: 1.5,
        cost: 10.3,
        revenue: 0.3,
      },
      compared: COMPARED,
      currency: "USD",
      remarks: [],
    });
  });

  it("adds nothing up across time zones, and says so", () => {
    const rows = [rowOf("a", { figures: BEFORE }), rowOf("b", { figures: BEFORE, zone: "Europe/Berlin" })];
    expect(totalOf(rows)).toEqual({
      total: {},
      compared: undefined,
      currency: null,
      remarks: [
        "There is no total: accounts have days of Europe/Berlin, UTC. --timezone chooses one zone for all.",
      ],
    });
  });

  it("adds up no amounts of several currencies and no changes of different days, and names missing accounts", () => {
    const { total, compared, currency, remarks } = totalOf([
      rowOf("a", { figures: { ...BEFORE, cost: 1 }, currency: "USD" }),
      rowOf("b", { figures: { ...BEFORE, cost: 1 }, currency: "EUR", times: 2 }),
      rowOf("c", {}),
    ]);
    expect([total.calls, total.calls_change, total.cost, compared, currency]).toEqual([
      100,
      undefined,
      undefined,
      undefined,
      null,
    ]);
    expect(remarks).toEqual([
      "The total lacks c.",
      "The change has no total: not all accounts have one of the same days.",
      "Costs and revenue have no total: they are in EUR, USD.",
    ]);
  });

  it("says that no account can be read", () => {
    expect(totalOf([rowOf("a", {})]).remarks).toEqual(["No account can be read."]);
  });
});

describe("toOverviewPage", () => {
  it("writes a row for each account with its problem, and escapes text of others", async () => {
    const evil = '"><script>alert(1)</script>';
    const page = await toOverviewPage(
      overviewOf([
        rowOf("a", {
          figures: { ...BEFORE, calls: 60, missed_calls: 19, missed_rate: 0.3167, cost: 12.5 },
          currency: "USD",
          title: evil,
        }),
        rowOf("b", { problems: [evil] }),
      ]),
      pageIn("/srv"),
    );
    expect(page).not.toContain("<script>");
    const [table] = readTables(page);
    expect(table?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      [`${evil}a`, "60", "+50.0% within chance", "31.7%", "9", "12.50", "–", "–", "–"],
      ["b", "–", "–", "–", "–", "–", "–", "–", "–"],
      [`⚠ ${evil}`],
      ["(total)", "60", "+50.0% within chance", "31.7%", "9", "12.50", "", "", ""],
    ]);
    expect(table?.head[5]).toBe("Cost, USD");
    expect(page).toContain("2 accounts, 1 with a problem. The total lacks b.");
  });
});

/** Two accounts that differ in everything; the second has no good sync and no change. */
const TWO = () => [
  rowOf("a", {
    figures: { ...BEFORE, missed_rate: 0.4, cost: 12.5, revenue: 300 },
    currency: "USD",
    status: {
      last_done_run: { verdict: "unverified" },
      last_good_run: { finished_at: "2026-11-01T03:30:00.000Z", verdict: "exact" },
      notices: [{ ended_at: null }, { ended_at: null }, { ended_at: "2026-10-20T00:00:00.000Z" }],
      timezone: "America/Chicago",
    },
    pages: [
      { name: "page", path: "/srv/a/report/report.html" },
      { name: "explore", path: "/srv/a b/explore.html" },
    ],
  }),
  rowOf("b", {
    figures: {
      ...{ calls: 7, calls_previous: 0, calls_change: null, missed_calls: 1, missed_rate: 0.1429 },
      ...{ qualified_calls: 6, cost: 8 },
    },
    currency: "EUR",
    status: {
      last_done_run: { verdict: "probable" },
      last_good_run: null,
      notices: [],
      timezone: "Pacific/Honolulu",
    },
  }),
];

describe("the state of accounts", () => {
  it("the page shows each amount in its currency, the last good sync in the account's zone, and links", async () => {
    const page = await toOverviewPage(overviewOf(TWO()), pageIn("/srv/overview"));
    const [table] = readTables(page);
    expect(table?.rows.map((row) => row.map(({ text }) => text))).toEqual([
      [
        ...["a explore", "50", "+25.0% within chance", "40.0%", "9", "12.50 USD", "300.00 USD"],
        ...["unverified", "2026-10-31 22:30", "2"],
      ],
      ["b", "7", "–", "14.3%", "6", "8.00 EUR", "–", "probable", "never", "0"],
      ["(total)", "57", "–", "36.8%", "15", "–", "–", "", "", ""],
    ]);
    expect([...page.matchAll(/<a href="(.*?)"/g)].map(([, href]) => href)).toEqual([
      "../a/report/report.html",
      "../a%20b/explore.html",
    ]);
    expect(page).toContain("2 accounts, none with a problem.");
  });

  it("the table has each account's currency, verdict, last good sync and open notices", () => {
    const { columns, rows } = toTable(overviewOf(TWO()));
    expect(Array.from(rows, (row) => row.slice(-5))).toEqual([
      ["USD", "unverified", "2026-11-01T03:30:00.000Z", 2, ""],
      ["EUR", "probable", null, 0, ""],
    ]);
    expect(columns.slice(-5).map(({ name, help }) => [name, help])).toEqual([
      ["currency", ""],
      ["verdict", "Of the last sync."],
      ["last_good_sync", ""],
      ["open_notices", "Notices that have not ended."],
      ["problems", "What is wrong."],
    ]);
  });
});

describe("toTable", () => {
  it("returns the figures of the rollups, and blanks for an account that cannot be read", () => {
    const { columns, rows, totals } = toTable(
      overviewOf([
        rowOf("a", { figures: { ...BEFORE, missed_rate: 0.4 } }),
        rowOf("b", { problems: ["x", "y"] }),
      ]),
    );
    expect(columns.map(({ name }) => name)).toEqual([
      ...[
        "account",
        "title",
        "calls",
        "missed_rate",
        "currency",
        "verdict",
        "last_good_sync",
        "open_notices",
        "problems",
      ],
    ]);
    expect([...rows, totals?.[0]?.values]).toEqual([
      ["a", "a", 50, 0.4, null, null, null, null, ""],
      ["b", "b", null, null, null, null, null, null, "x; y"],
      ["(total)", null, 50, 0.4, null, null, null, null, null],
    ]);
  });
});
