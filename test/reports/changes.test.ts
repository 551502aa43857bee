import { describe, expect, it } from "vitest";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { readSurfaces, type Surfaces } from "../support/figures/surfaces.ts";
import { makeCall } from "../support/warehouses/calls.ts";

/** Answered and missed calls of a month. */
type Month = readonly [answered: number, missed: number];

interface Situation {
  situation: string;
  /** @default "calls" */
  figure?: string;
  august: Month;
  september: Month;
  /** Day of the first call. @default long before */
  first?: string;
  /** Changes the warehouse. */
  sql?: string;
  isLocked?: boolean;
  minCell?: number;
  /** Figure, previous, change, within chance: in CSV, JSON, SQLite, library and for assistants. */
  data: readonly (number | null)[];
  /** Figure, previous, change as shown in a workbook; a change in grey ends with `grey`. */
  sheet: readonly (string | null)[];
  /** Figure and the text next to it. */
  mail: string;
  /** Null if a page cannot be made. @default that of the mail */
  page?: string | null;
}

const FIRST_LOAD =
  "INSERT INTO counts (name, value) VALUES ('unsettled_calls', 1) ON CONFLICT DO UPDATE SET value = 1; UPDATE call_facts SET is_first_call = 0";

const SITUATIONS: Situation[] = [
  {
    situation: "beyond chance",
    august: [100, 0],
    september: [200, 0],
    data: [200, 100, 1, 0],
    sheet: ["200", "100", "+100.00%"],
    mail: "200 +100.0% from 100",
  },
  {
    situation: "within chance",
    august: [100, 0],
    september: [110, 0],
    data: [110, 100, 0.1, 1],
    sheet: ["110", "100", "+10.00% grey"],
    mail: "110 +10.0% from 100, within chance",
  },
  {
    situation: "zero before",
    august: [0, 0],
    september: [20, 0],
    data: [20, 0, null, 0],
    sheet: ["20", "0", null],
    mail: "20",
  },
  {
    situation: "a share within chance",
    figure: "answer_rate",
    august: [50, 50],
    september: [55, 45],
    data: [0.55, 0.5, 0.05, 1],
    sheet: ["55.00%", "50.00%", "+5.00 grey"],
    mail: "55.0% +5.0 points from 50.0%, within chance",
  },
  {
    situation: "days before that begin before the copy",
    august: [100, 0],
    september: [200, 0],
    first: "2026-08-02",
    data: [200, null, null, null],
    sheet: ["200", null, null],
    mail: "200",
  },
  {
    situation: "a short history",
    figure: "first_time_callers",
    august: [100, 0],
    september: [200, 0],
    first: "2026-07-01",
    data: [200, null, null, null],
    sheet: ["200", null, null],
    page: "200 may be too many: fewer than 90 days of calls before",
    mail: "200",
  },
  {
    situation: "a period that is not over",
    august: [100, 0],
    september: [50, 0],
    sql: "UPDATE sync_runs SET finished_at = '2026-09-16T00:00:00.000Z'",
    data: [50, 50, 0, null],
    sheet: ["50", "50", "0.00%"],
    mail: "50 0.0% from 50",
  },
  {
    situation: "a sync that ended before the days",
    august: [100, 0],
    september: [0, 0],
    sql: "UPDATE sync_runs SET finished_at = '2026-08-31T00:00:00.000Z'",
    data: [0, null, null, null],
    sheet: ["0", null, null],
    page: null,
    mail: "0",
  },
  {
    situation: "a first load",
    figure: "first_time_callers",
    august: [100, 0],
    september: [200, 0],
    sql: FIRST_LOAD,
    isLocked: true,
    data: [null, null, null, null],
    sheet: [null, null, null],
    page: "– unknown until the first load has finished",
    mail: "–",
  },
  {
    situation: "fewer calls than min_cell before",
    august: [3, 0],
    september: [20, 0],
    minCell: 5,
    data: [null, null, null, null],
    sheet: [null, null, null],
    page: null,
    mail: "–",
  },
];

const NAMES: Record<string, string> = {
  calls: "Calls",
  answer_rate: "Answer rate",
  first_time_callers: "First-time callers",
};

function makeCalls({ first = "2026-01-01", august, september }: Situation) {
  const callsOf = (month: string, [answered, missed]: Month) =>
    Array.from({ length: answered + missed }, (_, index) => ({
      // A call an hour, half of them before the 16th.
      call_started: `2026-${month}-${index % 2 === 0 ? "10" : "20"}T12:00:00.000Z`,
      disposition: index < answered ? "ANSWERED" : "NO ANSWER",
    }));
  const all = [
    { call_started: `${first}T12:00:00.000Z`, disposition: "BUSY" },
    ...callsOf("08", august),
    ...callsOf("09", september),
  ];
  return all.map((call, index) => makeCall({ ...call, call_id: index + 1, caller_id: `+49${1000 + index}` }));
}

const COMPARED = ["", "_previous", "_change", "_within_chance"];
const pick = (figure: string, rows: readonly object[]) => {
  const row = new Map<string, unknown>(Object.entries(rows[0] ?? {}));
  return COMPARED.map((ending) => row.get(figure + ending) ?? null);
};

function pageCell(page: string, name: string): string {
  const [, tile = ""] = new RegExp(`<span class="name">${name}</span>(.*?)</li>`, "s").exec(page) ?? [];
  return tile
    .replace(/<span class="(?:change|line)/g, " $&")
    .replace(/<[^>]*>/g, "")
    .trim();
}

function mailCell(mail: string, name: string): string {
  const line = mail.split("\n").find((each) => each.startsWith(`${name} `)) ?? "";
  return line.slice(name.length).trim().replace(/ +/g, " ");
}

function sheetCells(sheet: Surfaces["sheet"], figure: string) {
  return COMPARED.slice(0, 3).map((ending) => {
    const cell = sheet[0]?.[figure + ending];
    return cell ? `${cell.shown}${cell.isGrey ? " grey" : ""}` : null;
  });
}

describe("change of a figure", () => {
  it.each(SITUATIONS)("every surface has the same change: $situation", async (expected) => {
    const { figure = "calls", data, sheet, mail, page = mail, sql, isLocked, minCell } = expected;
    using warehouse = makeWarehouse(makeCalls(expected));
    if (sql !== undefined) warehouse.execute(sql);
    using _lock = isLocked ? tryAcquireLock(warehouse.database) : undefined;
    const seen = await readSurfaces(warehouse, "channel", { minCell });
    const name = NAMES[figure] ?? figure;
    const asks = minCell === undefined ? (["library", "mcp"] as const) : [];
    expect({
      ...Object.fromEntries(
        (["csv", "json", "sqlite", ...asks] as const).map((at) => [at, pick(figure, seen[at])]),
      ),
      sheet: sheetCells(seen.sheet, figure),
      page: page === null ? null : pageCell(seen.page, name),
      mail: mailCell(seen.mail, name),
    }).toEqual({
      ...Object.fromEntries(["csv", "json", "sqlite", ...asks].map((at) => [at, data])),
      sheet,
      page,
      mail,
    });
  });
});

describe("campaign whose name is a formula for spreadsheets", () => {
  it("every surface except CSV shows such a name unchanged", async () => {
    const campaign = "lead-gen,-q4";
    const calls = ["2026-01-01", "2026-09-10"].map((day, index) =>
      makeCall({ call_id: index, campaign_name: campaign, call_started: `${day}T12:00:00.000Z` }),
    );
    using warehouse = makeWarehouse(calls);
    const seen = await readSurfaces(warehouse, "campaign", { notices: [`Campaign ${campaign} is silent.`] });
    const named = (rows: readonly object[]) => pick("campaign", rows)[0];
    expect({ ...seen, csv: named(seen.csv) }).toMatchObject({
      csv: "lead-gen,'-q4",
      json: [{ campaign }],
      sqlite: [{ campaign }],
      library: [{ campaign }],
      mcp: [{ campaign }],
      sheet: [{ campaign: { shown: campaign } }],
    });
    for (const text of [seen.page, seen.mail]) {
      expect(text).toContain(campaign);
      expect(text).not.toContain("'-q4");
    }
  });
});
