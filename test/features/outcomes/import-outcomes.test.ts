import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import {
  type ImportOutcomesOptions,
  importOutcomes,
} from "../../../src/features/outcomes/import-outcomes.ts";
import { OUTCOME_LEDGER, readOutcomeImports } from "../../../src/features/outcomes/outcome-imports.ts";
import { removeImport } from "../../../src/intake/ledger.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { RollupSession } from "../../../src/sources/session.ts";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { locked, markGone, newWarehouse } from "../../support/warehouses/warehouse.ts";

const ANNA = "+15125550101";
const BERT = "+15125550102";
const CALLS: readonly Call[] = [
  { call_id: 1, caller_id: ANNA, call_started: "2026-10-01T15:00:00.000Z" },
  { call_id: 2, caller_id: ANNA, call_started: "2026-10-05T15:00:00.000Z" },
  { call_id: 3, caller_id: BERT, call_started: "2026-10-05T23:30:00.000Z" },
  { call_id: 4, caller_id: "anonymous", call_started: "2026-10-05T10:00:00.000Z" },
].map(makeCall);

const OPTIONS: ImportOutcomesOptions = {
  source: "jobs",
  named: "USD",
  withinDays: 30,
  map: {},
  stages: new Map(),
};

type Options = Partial<ImportOutcomesOptions> & { timezone?: string; currency?: string };

/** Imports texts as files, in one command. */
function importTexts(
  { path, folder }: Warehouse & { folder: string },
  texts: readonly (string | Buffer)[],
  { timezone = "UTC", currency, ...options }: Options = {},
) {
  const paths = texts.map((text, index) => {
    const file = join(folder, `jobs${index + 1}.csv`);
    writeFileSync(file, text);
    return file;
  });
  return importOutcomes({ database: path, currency, timezone }, paths, { ...OPTIONS, ...options });
}

const importText = (warehouse: Warehouse & { folder: string }, text: string | Buffer, options?: Options) =>
  importTexts(warehouse, [text], options);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof CalltallyError) return [error.message, error.hint].join(" | ");
    throw error;
  }
  return "none";
}

/** Rows as [call, day, stage, amount]. */
const readJobsOf = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare<[], [call_id: number, day: string, stage: string, amount_micros: number | null]>(
      "SELECT call_id, day, stage, amount_micros FROM outcomes ORDER BY call_id, day, stage, amount_micros",
    )
    .raw()
    .all();

async function readFigures({ sqlite }: Warehouse): Promise<unknown[]> {
  using session = new RollupSession(sqlite, { rules: DEFAULT_RULES });
  const outcomes = session.loadOutcomes("call", "UTC").form;
  const figures = ["booked_calls", "sold_calls", "revenue"];
  const [row = []] = [...(await session.rollup({ dimensions: [], figures, outcomes })).rows];
  return row;
}

describe("importOutcomes", () => {
  it("finds a call by its id, or the caller's latest live call before the job", async () => {
    using warehouse = newWarehouse(CALLS);
    markGone(warehouse, [2]);
    const { imports, rejected } = importText(
      warehouse,
      `Job ID,Call ID,Phone,Date,Status,Amount
A,3,,2026-10-06,sold,1000.50
B,,(512) 555-0101,2026-10-20,booked,
C,,+1 512 555 0101,2026-10-02,sold,"$2,000"
D,,+15125550102,2026-10-05T23:24:59Z,sold,7
`,
      { countryCode: "1" },
    );
    expect(imports.map(({ jobs, matched, revenue_micros }) => [jobs, matched, revenue_micros])).toEqual([
      [4, 3, 3_000_500_000n],
    ]);
    expect(rejected.map(({ line, job_id, kind, reason }) => [line, job_id, kind, reason])).toEqual([
      [5, "D", "unmatched", "the caller has no call before it"],
    ]);
    expect(readJobsOf(warehouse)).toEqual([
      [1, "2026-10-02", "sold", 2_000_000_000],
      [1, "2026-10-20", "booked", null],
      [3, "2026-10-06", "sold", 1_000_500_000],
    ]);
    expect(await readFigures(warehouse)).toEqual([3, 2, 2, 3000.5]);
  });

  it.each([
    // The first call is of 4 October in each zone, the second of the next day.
    ["Pacific/Honolulu", "2026-10-05T09:59:59.000Z", "2026-10-05T10:00:00.000Z"],
    ["America/Chicago", "2026-10-05T04:59:59.000Z", "2026-10-05T05:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-04T12:59:59.000Z", "2026-10-04T13:00:00.000Z"],
  ])("a job's day ends at midnight in %s: later calls are not before it", (timezone, ...starts) => {
    using warehouse = newWarehouse(
      starts.map((call_started, index) => makeCall({ call_id: index + 1, caller_id: ANNA, call_started })),
    );
    importText(warehouse, `phone,date,stage\n${ANNA},2026-10-04,sold\n${ANNA},2026-10-05,booked\n`, {
      timezone,
    });
    expect(readJobsOf(warehouse)).toEqual([
      [1, "2026-10-04", "sold", null],
      [2, "2026-10-05", "booked", null],
    ]);
  });

  it("picks the last of several calls before the job, and of two at the same moment the higher id", () => {
    const started = ["2026-10-03", "2026-10-04", "2026-10-04", "2026-10-01", "2026-10-09"];
    const calls = started.map((day, index) =>
      makeCall({ call_id: index + 1, caller_id: ANNA, call_started: `${day}T15:00:00.000Z` }),
    );
    using warehouse = newWarehouse(calls);
    importText(warehouse, `phone,date,stage\n${ANNA},2026-10-06,sold\n`);
    expect(readJobsOf(warehouse)).toEqual([[3, "2026-10-06", "sold", null]]);
  });

  it("gives the reason why a job has no call", () => {
    using warehouse = newWarehouse([
      ...CALLS,
      makeCall({ call_id: 9, caller_id: "+5125550101", call_started: "2026-10-01T00:00:00.000Z" }),
    ]);
    const { rejected } = importText(
      warehouse,
      `phone,call id,date,stage
+15125550199,,2026-10-06,sold
+15125550102,,2026-12-06,sold
+15125550101,,2026-09-30,sold
anonymous,,2026-10-06,sold
512-555-0101,,2026-10-06,sold
,77,2026-10-06,sold
`,
      { countryCode: "1" },
    );
    expect(rejected.map(({ reason }) => reason)).toEqual([
      "no call has this number",
      "the last call before it is more than 30 days older",
      "the caller has no call before it",
      "not a phone number, or a hidden one",
      "the number fits the calls of several callers",
      "no call has this id",
    ]);
    expect(readJobsOf(warehouse)).toEqual([]);
  });

  it("reads days and times in the time zone, and keeps offsets", () => {
    using warehouse = newWarehouse(CALLS);
    // Bert's call is at 18:30 in Chicago.
    const read = (date: string) => {
      importText(warehouse, `phone,date,stage\n${BERT},${date},sold\n`, { timezone: "America/Chicago" });
      return readJobsOf(warehouse);
    };
    expect(read("2026-10-05")).toEqual([[3, "2026-10-05", "sold", null]]);
    expect(read("10/25/2026 6:24 PM")).toEqual([
      [3, "2026-10-05", "sold", null],
      [3, "2026-10-25", "sold", null],
    ]);
    expect(read("2026-10-05 18:24")).toEqual([[3, "2026-10-25", "sold", null]]);
    expect(read("2026-10-05 6:31 p.m.")).toEqual([
      [3, "2026-10-05", "sold", null],
      [3, "2026-10-25", "sold", null],
    ]);
    expect(read("2026-10-06T01:24:00+02:00")).toEqual([[3, "2026-10-25", "sold", null]]);
  });

  it.each([
    ["Pacific/Honolulu", "2026-10-04", "2026-10-05T04:00:00.000Z"],
    // The clocks change early on these days: back by an hour, forward by an hour, forward by half an hour.
    ["America/Chicago", "2026-11-01", "2026-11-02T00:00:00.000Z"],
    ["America/Chicago", "2026-03-08", "2026-03-08T23:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-04", "2026-10-04T07:00:00.000Z"],
  ])("a job in the evening in %s of %s follows the clock of that hour", (timezone, day, call_started) => {
    using warehouse = newWarehouse([makeCall({ call_id: 1, caller_id: ANNA, call_started })]);
    const read = (time: string) => {
      importText(warehouse, `job_id,phone,date,stage\nA,${ANNA},${day} ${time},sold\n`, { timezone });
      return readJobsOf(warehouse);
    };
    // The call is at six.
    expect(read("17:40")).toEqual([]);
    expect(read("18:20")).toEqual([[1, day, "sold", null]]);
  });

  it("takes calls from exactly the days before a job, to the end of its second", () => {
    const matchOf = (starts: string[], job: string) => {
      using warehouse = newWarehouse(
        starts.map((call_started, index) => makeCall({ call_id: index + 1, caller_id: ANNA, call_started })),
      );
      importText(warehouse, `phone,date,stage\n${ANNA},${job},sold\n`, { withinDays: 9 });
      return readJobsOf(warehouse).map(([call]) => call);
    };
    expect(matchOf(["2026-10-01T15:00:00.000Z"], "2026-10-10T15:00:00Z")).toEqual([1]);
    expect(matchOf(["2026-10-01T15:00:00.000Z"], "2026-10-10T15:00:01Z")).toEqual([]);
    const before = "2026-10-10T14:50:00.000Z";
    expect(matchOf([before, "2026-10-10T15:00:00.999Z"], "2026-10-10T15:00:00Z")).toEqual([2]);
    expect(matchOf([before, "2026-10-10T15:00:01.000Z"], "2026-10-10T15:00:00Z")).toEqual([1]);
  });

  it.each([
    ["2026-10-10T15:05:00.999Z", 0],
    ["2026-10-10T15:05:01.000Z", 1],
  ])("a call of %s that a job of 15:00:00 names counts as later: %i", (call_started, early) => {
    using warehouse = newWarehouse([makeCall({ call_id: 7, call_started })]);
    const text = "call_id,date,stage\n7,2026-10-10T15:00:00Z,sold\n";
    expect(importText(warehouse, text)).toMatchObject({ early, rejected: [] });
  });

  it("replaces a repeated job, and adds up the amounts of one that is twice in a file", async () => {
    using warehouse = newWarehouse(CALLS);
    const first = "job_id,call_id,date,stage,amount\nA,1,2026-10-06,booked,\nB,2,2026-10-06,sold,10\n";
    importText(warehouse, first);
    importText(warehouse, first);
    expect(await readFigures(warehouse)).toEqual([4, 2, 1, 10]);
    importText(warehouse, "job_id,call_id,date,stage,amount\nA,3,2026-10-07,sold,5\nA,3,2026-10-08,sold,6\n");
    expect(readJobsOf(warehouse)).toEqual([
      [2, "2026-10-06", "sold", 10_000_000],
      [3, "2026-10-07", "sold", 11_000_000],
    ]);
    // In another list it is another job.
    importText(warehouse, first, { source: "crm" });
    expect(await readFigures(warehouse)).toEqual([4, 3, 2, 31]);
  });

  it("replaces the days of a list without ids, and jobs without ids by jobs with them", async () => {
    using warehouse = newWarehouse(CALLS);
    const text = "call_id,date,stage,amount\n1,2026-10-06,sold,1\n1,2026-10-06,sold,1\n2,2026-10-07,sold,4\n";
    importText(warehouse, text);
    importText(warehouse, text);
    expect(await readFigures(warehouse)).toEqual([4, 2, 2, 6]);
    importText(warehouse, "call_id,date,stage,amount\n3,2026-10-06,sold,9\n");
    expect(await readFigures(warehouse)).toEqual([4, 2, 2, 13]);
    importText(warehouse, "id,call_id,date,stage,amount\nX,3,2026-10-06,sold,9\n");
    expect(await readFigures(warehouse)).toEqual([4, 2, 2, 13]);
    // A day whose jobs no longer have a call is replaced, too.
    importText(warehouse, "call_id,date,stage,amount\n77,2026-10-07,sold,9\n");
    expect(await readFigures(warehouse)).toEqual([4, 1, 1, 9]);
  });

  it("leaves revenue blank until a job has an amount", async () => {
    using warehouse = newWarehouse(CALLS);
    importText(warehouse, "job_id,call_id,date,stage\nA,1,2026-10-06,sold\nB,2,2026-10-07,booked\n");
    expect(await readFigures(warehouse)).toEqual([4, 2, 1, null]);
    importText(warehouse, "job_id,call_id,date,stage,amount\nC,3,2026-10-08,sold,0\n");
    expect(await readFigures(warehouse)).toEqual([4, 3, 2, 0]);
  });

  it("removes the entry of a job that no longer has a call", () => {
    using warehouse = newWarehouse(CALLS);
    importText(warehouse, "job_id,phone,date,stage\nA,+15125550101,2026-10-06,sold\n");
    importText(warehouse, "job_id,phone,date,stage\nA,+15125550199,2026-10-06,sold\n");
    expect(readJobsOf(warehouse)).toEqual([]);
  });

  it("subtracts refunds, and does not let a refund replace its job", async () => {
    using warehouse = newWarehouse(CALLS);
    const header = "job_id,call_id,date,stage,amount\n";
    importText(warehouse, `${header}A,1,2026-10-06,sold,100\nA-refund,1,2026-10-09,sold,(30.25)\n`);
    expect(await readFigures(warehouse)).toEqual([4, 1, 1, 69.75]);
    const { rejected } = importTexts(warehouse, [
      `${header}A-refund,1,2026-10-09,sold,-29\n`,
      `${header}C,3,2026-10-06,lost,\nD,3,2026-10-06,lost,\nA,1,2026-10-09,sold,-30.25\n`,
    ]);
    expect(rejected.map(({ file, line, reason }) => [file, line, reason])).toEqual([
      ["jobs2.csv", 4, "a refund would replace its job: give it an id of its own"],
    ]);
    // A refund replaces a refund of its id.
    expect(await readFigures(warehouse)).toEqual([4, 1, 1, 71]);
    importText(warehouse, `${header}B,2,2026-10-09,sold,5\nB,2,2026-10-09,sold,-1\n`);
    expect(await readFigures(warehouse)).toEqual([4, 2, 2, 75]);
  });

  it("keeps exact amounts of any size and currency", async () => {
    using warehouse = newWarehouse(CALLS);
    const row = "1,2026-10-06,sold,999999999.999999\n";
    importText(warehouse, `call_id,date,stage,amount\n${row.repeat(30)}`);
    expect(await readFigures(warehouse)).toEqual([4, 1, 1, 29_999_999_999.99997]);
    using yen = newWarehouse(CALLS);
    importText(yen, 'call_id,date,stage,amount\n1,2026-10-06,sold,"1,204"\n', { named: "JPY" });
    expect(readJobsOf(yen)).toEqual([[1, "2026-10-06", "sold", 1_204_000_000]]);
  });

  it("leaves out unreadable rows with the reason", () => {
    using warehouse = newWarehouse(CALLS);
    const { rejected, imports } = importText(
      warehouse,
      `List of jobs

call_id,phone,date,stage,amount,currency
1,,2026-10-06,won,1,USD
1,,2026-13-06,sold,1,USD
1,,2026-10-06 25:00,sold,1,USD
1,,2026-10-06,sold,much,USD
1,,2026-10-06,sold,1,XYZQ
1,,2026-10-06,sold,€1,USD
x,,2026-10-06,sold,1,USD
,,2026-10-06,sold,1,USD
,+15125550101,,sold,1,USD
1,,2026-10-06,,1,USD
1,,2026-10-06,sold,1,USD,more

2,,,sold,1,USD
`,
    );
    expect(rejected.map(({ line, kind, reason }) => [line, kind, reason])).toEqual([
      [4, "left out", 'the stage "won" is none of lost, booked, sold: translate it with --map-stage'],
      [5, "left out", '"2026-13-06" is not a date'],
      [6, "left out", '"2026-10-06 25:00" is not a date'],
      [7, "left out", 'the amount "much" is not a number'],
      [8, "left out", '"XYZQ" is not a currency'],
      [9, "left out", "the currencies USD and EUR in one row"],
      [10, "left out", '"x" is not a call id'],
      [11, "left out", "neither a call id nor a phone number"],
      [12, "left out", "no date"],
      [13, "left out", "no stage"],
      [14, "left out", "more cells than the header"],
    ]);
    expect(imports[0]).toMatchObject({ jobs: 1, matched: 1 });
    // Without a date it gets the day of its call.
    expect(readJobsOf(warehouse)).toEqual([[2, "2026-10-05", "sold", 1_000_000]]);
  });

  it("refuses an unusable file and changes nothing", () => {
    using warehouse = newWarehouse(CALLS);
    const table: [text: string, options: Options, expected: string][] = [
      [
        "Name,Total\nx,1\n",
        {},
        "Cannot import FILE: none of its first 60 lines is the header of a list of jobs; line 1 has Name, Total | Name the columns: --map phone=Telephone,date=Done,stage=State. A call id is needed, or a phone number and a date.",
      ],
      [
        "call_id,amount\n1,1\n",
        {},
        "Cannot import FILE: it has no column with the stage of a job | Name it, --map stage=HEADER, or pass --stage sold for jobs that all were sold.",
      ],
      [
        "call_id,stage,amount,currency\n1,sold,1,EUR\n",
        {},
        "Cannot import revenue in two currencies: --currency is in USD, and jobs1.csv, line 2 in EUR | Nothing was imported. An account has one currency: convert the report, or keep another account for it.",
      ],
      [
        "call_id,stage,amount\n1,sold,1\n",
        { named: undefined },
        "Cannot import revenue: its currency is unknown | Pass --currency, such as --currency USD, or give it as the setting currency.",
      ],
      [
        "call_id,date,stage\n1,10/5/2026,sold\n",
        {},
        "Cannot import FILE: its dates can be read in two ways: 10/5/2026 in line 2, and none has a number above 12 there | Say which comes first: --dates mdy (month) or --dates dmy (day).",
      ],
    ];
    for (const [text, options, expected] of table) {
      const found = refusal(() => importText(warehouse, text, options));
      expect(found.replace(join(warehouse.folder, "jobs1.csv"), "FILE")).toBe(expected);
    }
    expect(readJobsOf(warehouse)).toEqual([]);
    expect(readOutcomeImports(warehouse)).toEqual([]);
  });

  it("requires the currency of spend", () => {
    using warehouse = newWarehouse(CALLS);
    const row = { day: "2026-10-05", source: "google", medium: "cpc", cost_micros: 1, currency: "EUR" };
    storeSpend(warehouse, [row], { file: "a.csv", importedAt: "2026-10-06T00:00:00.000Z" });
    expect(refusal(() => importText(warehouse, "call_id,stage,amount\n1,sold,1\n"))).toContain(
      "the warehouse is in EUR, and --currency in USD",
    );
    importText(warehouse, "call_id,stage,amount\n1,sold,1\n", { named: undefined });
    expect(warehouse.sqlite.prepare("SELECT currency FROM outcomes").pluck().all()).toEqual(["EUR"]);
  });

  it("jobs without ids replace the day of their own list alone, jobs with ids those of their own list", () => {
    using warehouse = newWarehouse(CALLS);
    const stages = new Map([
      ["closed won", "sold"],
      ["yes", "booked"],
      ["no", "lost"],
    ] as const);
    const lists = {
      jobs: {
        source: "jobs",
        text: "call id,date,status,total\n1,2026-10-06,sold,420\n2,2026-10-07,sold,81\n",
      },
      crm: {
        source: "crm",
        text: "deal,call id,date,status,total\nD,2,2026-10-06,closed won,1180\nE,3,2026-10-08,closed won,64\n",
      },
      clinic: { source: "clinic", text: "call id,date,status\n3,2026-10-06,yes\n1,2026-10-08,no\n" },
    };
    const put = ({ source, text }: { source: string; text: string }) =>
      importText(warehouse, text, { source, stages, map: source === "crm" ? { job_id: ["deal"] } : {} });
    const readAll = () =>
      warehouse.sqlite
        .prepare(
          "SELECT source, call_id, day, stage, amount_micros / 1000000 FROM outcomes ORDER BY source, day",
        )
        .raw()
        .all();
    for (const list of Object.values(lists)) put(list);
    const clinic = [
      ["clinic", 3, "2026-10-06", "booked", null],
      ["clinic", 1, "2026-10-08", "lost", null],
    ];
    const crm = [
      ["crm", 2, "2026-10-06", "sold", 1180],
      ["crm", 3, "2026-10-08", "sold", 64],
    ];
    const second = ["jobs", 2, "2026-10-07", "sold", 81];
    expect(readAll()).toEqual([...clinic, ...crm, ["jobs", 1, "2026-10-06", "sold", 420], second]);
    for (const list of Object.values(lists)) put(list);
    expect(readAll()).toEqual([...clinic, ...crm, ["jobs", 1, "2026-10-06", "sold", 420], second]);
    put({ source: "jobs", text: "call id,date,status,total\n3,2026-10-06,sold,500\n" });
    expect(readAll()).toEqual([...clinic, ...crm, ["jobs", 3, "2026-10-06", "sold", 500], second]);
    // The same id in another list is another job.
    put({ source: "jobs", text: "job id,call id,date,status,total\nD,1,2026-10-09,sold,7\n" });
    expect(readAll()).toEqual([
      ...clinic,
      ...crm,
      ["jobs", 3, "2026-10-06", "sold", 500],
      second,
      ["jobs", 1, "2026-10-09", "sold", 7],
    ]);
    // The part of an import that is left does not count as replaced.
    const replaced = readOutcomeImports(warehouse).map(({ number, replaced_by }) => [number, replaced_by]);
    expect(replaced.reverse()).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
      ...[4, 5, 6, 7, 8].map((each) => [each, null]),
    ]);
  });

  it("stores neither numbers nor ids of jobs, nor other columns", () => {
    using warehouse = newWarehouse(CALLS);
    importText(
      warehouse,
      `job_id,phone,date,stage,name\n${BERT},${BERT},2026-10-06,sold,Bert Brown\nSECRET-JOB,+15125559999,2026-10-06,sold,Nobody\n`,
    );
    const stored = JSON.stringify(
      ["outcomes", "outcome_imports"].map((table) =>
        warehouse.sqlite.prepare(`SELECT * FROM ${table}`).all(),
      ),
    );
    expect(readJobsOf(warehouse)).toHaveLength(1);
    for (const text of ["5125550102", "Brown", "SECRET", "5125559999"]) expect(stored).not.toContain(text);
    warehouse.sqlite.pragma("wal_checkpoint(TRUNCATE)");
    expect(readFileSync(warehouse.path).includes("5125559999")).toBe(false);
  });

  it("keeps the call of a known job whose caller was forgotten, and finds none for a new one", () => {
    using warehouse = newWarehouse(CALLS);
    const text = `job_id,phone,call_id,date,stage\nA,${BERT},,2026-10-06,sold\nB,,3,2026-10-06,sold\n`;
    importText(warehouse, text);
    forgetCallers(locked(warehouse), [{ caller: BERT }], { nowMs: Date.parse("2026-10-07T00:00:00Z") });
    expect(readJobsOf(warehouse)).toHaveLength(2);
    const again = importText(
      warehouse,
      `job_id,phone,call_id,date,stage,amount\nA,${BERT},,2026-10-06,sold,80\nB,,3,2026-10-07,lost,\nC,${BERT},,2026-10-06,sold,7\nD,,3,2026-10-06,sold,9\n`,
    );
    expect(again.rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [4, "no call has this number"],
      [5, "the call's caller was forgotten"],
    ]);
    expect(again.kept).toBe(2);
    expect(readJobsOf(warehouse)).toEqual([
      [3, "2026-10-06", "sold", 80_000_000],
      [3, "2026-10-07", "lost", null],
    ]);
  });

  it("refuses another key than that of earlier jobs, which would count them twice", () => {
    using warehouse = newWarehouse(CALLS);
    const text = "job_id,call_id,stage\nA,1,sold\n";
    importText(warehouse, text);
    writeFileSync(callerKeyOf(warehouse.path), `${"ab".repeat(32)}\n`);
    expect(refusal(() => importText(warehouse, text))).toContain(
      "Cannot recognize the jobs of earlier imports",
    );
    // Jobs that were removed need not be recognized.
    removeImport(warehouse, OUTCOME_LEDGER, { number: 1, removedAt: "2026-10-09T00:00:00.000Z" });
    expect(refusal(() => importText(warehouse, text))).toBe("none");
  });

  it("stores code in any column as text", () => {
    using warehouse = newWarehouse(CALLS);
    const evil = `"'); DROP TABLE outcomes; --"`;
    const { rejected } = importText(warehouse, `job_id,phone,date,stage\n${evil},${evil},2026-10-06,sold\n`, {
      source: "x'; DROP TABLE outcomes; --",
    });
    expect(rejected).toHaveLength(1);
    expect(readOutcomeImports(warehouse)).toMatchObject([
      { source: "x'; DROP TABLE outcomes; --", matched: 0 },
    ]);
  });
});

describe("removeImport", () => {
  it("removes the remaining rows of an import, and names the imports that it had replaced", async () => {
    using warehouse = newWarehouse(CALLS);
    importText(warehouse, "job_id,call_id,stage,amount\nA,1,sold,1\nB,2,sold,2\n");
    importText(warehouse, "job_id,call_id,stage,amount\nB,2,sold,4\n");
    importText(warehouse, "job_id,call_id,stage,amount\nB,2,sold,8\n");
    expect(
      readOutcomeImports(warehouse).map(({ number, rows, replaced_by }) => [number, rows, replaced_by]),
    ).toEqual([
      [3, 1, null],
      [2, 0, 3],
      [1, 1, null],
    ]);
    expect(
      refusal(() =>
        removeImport(warehouse, OUTCOME_LEDGER, { number: 2, removedAt: "2026-10-09T00:00:00.000Z" }),
      ),
    ).toBe("Cannot remove import 2: import 3 has replaced all its rows | calltally outcome list shows all.");
    const { removed, lost } = removeImport(warehouse, OUTCOME_LEDGER, {
      number: 3,
      removedAt: "2026-10-09T00:00:00.000Z",
    });
    expect([removed.number, lost.map(({ number }) => number)]).toEqual([3, [2, 1]]);
    expect(await readFigures(warehouse)).toEqual([4, 1, 1, 1]);
    expect(
      refusal(() =>
        removeImport(warehouse, OUTCOME_LEDGER, { number: 3, removedAt: "2026-10-09T00:00:00.000Z" }),
      ),
    ).toContain("it was removed before");
  });

  it("names no import that has all its rows, or lost all of them to another one", () => {
    using warehouse = newWarehouse(CALLS);
    const header = "job_id,call_id,stage,amount\n";
    importText(warehouse, `${header}A,1,sold,1\n`);
    importText(warehouse, `${header}B,2,sold,2\n`);
    importText(warehouse, `${header}B,2,sold,4\n`);
    importText(warehouse, `${header}C,3,sold,8\nD,3,sold,16\n`);
    importText(warehouse, `${header}C,3,sold,32\n`, { source: "crm" });
    importText(warehouse, `${header}C,3,sold,64\n`);
    const { lost } = removeImport(warehouse, OUTCOME_LEDGER, {
      number: 6,
      removedAt: "2026-10-09T00:00:00.000Z",
    });
    expect(lost.map(({ number }) => number)).toEqual([4]);
  });
});
