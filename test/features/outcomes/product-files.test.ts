import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import {
  type ImportOutcomesOptions,
  importOutcomes,
} from "../../../src/features/outcomes/import-outcomes.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const CALLS = [
  makeCall({ call_id: 1, caller_id: "+15125550101", call_started: "2026-10-01T15:00:00.000Z" }),
  makeCall({ call_id: 2, caller_id: "+15125550102", call_started: "2026-10-02T15:00:00.000Z" }),
  makeCall({ call_id: 3, caller_id: "+15125550103", call_started: "2026-10-03T15:00:00.000Z" }),
];

/** Imports a file as its user would, and returns the call, day and amount of each job, and the reasons of left-out lines. */
function read(text: string, options: Partial<ImportOutcomesOptions> = {}) {
  using warehouse = newWarehouse(CALLS);
  const file = join(warehouse.folder, "export.csv");
  writeFileSync(file, text);
  const own = { database: warehouse.path, currency: "USD", timezone: "America/Chicago" };
  const defaults = { source: "jobs", named: undefined, withinDays: 30, map: {}, stages: new Map() };
  try {
    const { imports, rejected } = importOutcomes(own, [file], { ...defaults, ...options });
    const jobs = warehouse.sqlite
      .prepare("SELECT call_id, day, amount_micros / 1e6 FROM outcomes ORDER BY call_id, day")
      .raw()
      .all();
    return {
      jobs,
      left: rejected.map(({ line, reason }) => `${line} ${reason}`),
      totals: imports[0]?.total_lines,
    };
  } catch (error) {
    if (error instanceof UsageError) return `${error.message.replace(file, "FILE")} | ${error.hint}`;
    throw error;
  }
}

const SOLD = { stage: "sold" } as const;
const stages = (map: Readonly<Record<string, "sold" | "booked" | "lost">>) => ({
  stages: new Map(Object.entries(map)),
});

/**
 * Headers that these products write, as far as they are known: the words are the products' own, their order and the
 * columns around them are not.
 */
describe("a list of jobs with the headers of", () => {
  it("Jobber: the sign in the header is the currency's, and the name without it is the amount's", () => {
    const header = "Job #,Client name,Client phone,Closed date,Status,Total revenue ($)";
    expect(read(`${header}\n501,Ann,(512) 555-0101,"Oct 05, 2026",Sold,478.00\n`)).toEqual({
      jobs: [[1, "2026-10-05", 478]],
      left: [],
      totals: [],
    });
    expect(read("Job #,Phone,Date,Status,Total ($)\n501,5125550102,10/31/2026,sold,12.50\n")).toMatchObject({
      jobs: [[2, "2026-10-31", 12.5]],
    });
  });

  it("Housecall Pro: the mobile number, and else that of the home", () => {
    const text = `Job #,Mobile Phone,Home Phone,Job Amount,Completed date,Job status
1,512-555-0101,,100.00,2026-10-05,sold
2,,512-555-0102,"1,250.00",2026-10-06,sold
3,5125550999,5125550103,7.00,2026-10-07,sold
`;
    expect(read(text)).toEqual({
      jobs: [
        [1, "2026-10-05", 100],
        [2, "2026-10-06", 1250],
        [3, "2026-10-07", 7],
      ],
      left: [],
      totals: [],
    });
  });

  it("ServiceTitan: the total and subtotals at the bottom are none of the jobs", () => {
    const text = `Job #,Customer Phone Number,Completed Date,Job Status,Jobs Total Revenue
1,(512) 555-0101,10/15/2026,Completed,"$1,000.00"
2,(512) 555-0102,10/16/2026,Completed,($420.00)
Subtotal Mike,,,,$580.00
Count,,,,2
Total,,,,$580.00
,,,,$580.00
`;
    expect(read(text, stages({ completed: "sold" }))).toEqual({
      jobs: [
        [1, "2026-10-15", 1000],
        [2, "2026-10-16", -420],
      ],
      left: [],
      totals: [4, 5, 6, 7],
    });
    // Without flags it stops.
    expect(read(text)).toBe(
      'Cannot import export.csv: none of the stages is known, "completed" (2 lines) | Say what they mean, lost, booked, sold, such as --map-stage "completed=sold".',
    );
  });

  it("HubSpot: the stage of the deal", () => {
    const text = `Record ID,Deal Name,Deal Stage,Close Date,Amount,Phone Number
9001,Pump,Closed Won,2026-10-05 14:30,478,+1 512-555-0101
9002,Leak,Closed Lost,2026-10-06 09:00,90,+1 512-555-0102
9003,Roof,Appointment Scheduled,2026-10-07 10:15,,+1 512-555-0103
`;
    const words = { "closed won": "sold", "closed lost": "lost", "appointment scheduled": "booked" } as const;
    expect(read(text, stages(words))).toMatchObject({
      jobs: [
        [1, "2026-10-05", 478],
        [2, "2026-10-06", 90],
        [3, "2026-10-07", null],
      ],
      left: [],
    });
    expect(read(text)).toContain(
      '--map-stage "closed won=sold,closed lost=lost,appointment scheduled=booked"',
    );
  });

  it("QuickBooks: two digits of the year, a minus behind the amount, and several lines of an invoice", () => {
    const text = `Invoices
Date,Invoice No.,Primary Phone,Total Amount
10/15/26,1001,(512) 555-0101,200.00
10/15/26,1001,(512) 555-0101,150.00
10/16/26,1002,(512) 555-0102,50.00-
TOTAL,,,300.00
`;
    expect(read(text, SOLD)).toMatchObject({
      jobs: [
        [1, "2026-10-15", 350],
        [2, "2026-10-16", -50],
      ],
      left: [],
      totals: [6],
    });
    expect(read(text)).toContain("it has no column with the stage of a job");
  });

  it("Invoice Ninja: points, commas, and the currency's code in a cell", () => {
    const text = `Invoice Number;Invoice Date;Invoice Status;Mobile Number;Invoice Total;Currency
0007;15.10.26;Paid;'+15125550101;1.478,00;USD
0008;16.10.26;Refunded;'+15125550101;-78,00;USD
`;
    expect(read(text, stages({ paid: "sold" }))).toMatchObject({
      jobs: [
        [1, "2026-10-15", 1478],
        [1, "2026-10-16", -78],
      ],
      left: [],
    });
  });

  it("nobody: the error suggests headers that are nearly known", () => {
    expect(read("Job #,Custmer phone,Close dte,Status\n1,5125550101,2026-10-05,sold\n")).toContain(
      '| Did you mean --map "phone=Custmer phone,date=Close dte"? Name the columns',
    );
  });
});
