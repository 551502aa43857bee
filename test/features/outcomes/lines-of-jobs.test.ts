import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/base/errors.ts";
import {
  type ImportOutcomesOptions,
  importOutcomes,
} from "../../../src/features/outcomes/import-outcomes.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const NUMBERS = ["+15125550101", "+15125550102", "+15125550103"] as const;
const CALLS = NUMBERS.map((caller_id, index) =>
  makeCall({ call_id: index + 1, caller_id, call_started: `2026-10-0${index + 1}T15:00:00.000Z` }),
);

type Folder = Warehouse & { folder: string };

/** Imports files by their names, in one command. */
function importFiles(
  { path, folder }: Folder,
  files: Readonly<Record<string, string>>,
  options: Partial<ImportOutcomesOptions> = {},
) {
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const own = { database: path, currency: undefined, timezone: "UTC" };
  const defaults = { source: "jobs", named: "USD", withinDays: 30, map: {}, stages: new Map() };
  return importOutcomes(own, paths, { ...defaults, ...options });
}

/** Rows as [call, day, stage, amount]. */
const storedIn = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare(
      "SELECT call_id, day, stage, amount_micros / 1e6 FROM outcomes ORDER BY call_id, day, amount_micros",
    )
    .raw()
    .all();
const amountsIn = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare("SELECT amount_micros / 1e6 FROM outcomes ORDER BY call_id, day, amount_micros")
    .pluck()
    .all();

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.hint}`;
    throw error;
  }
  return "none";
}

const INVOICES = `Invoice Number,Customer phone,Date,Status,Item,Amount
501,${NUMBERS[0]},2026-10-05,sold,Pump,200
501,${NUMBERS[0]},2026-10-05,sold,Labor,150
501,${NUMBERS[0]},2026-10-05,sold,Parts,28
502,${NUMBERS[1]},2026-10-06,sold,Visit,100
`;

describe("importOutcomes: lines of one job", () => {
  it("adds up lines of one job whose amounts differ, in one file and in files of one command", () => {
    using warehouse = newWarehouse(CALLS);
    const { imports } = importFiles(warehouse, { "a.csv": INVOICES });
    expect(imports).toMatchObject([{ jobs: 2, matched: 2, revenue_micros: 478_000_000n }]);
    const [head = "", one = "", ...others] = INVOICES.split("\n");
    importFiles(warehouse, { "b.csv": [head, one].join("\n"), "c.csv": [head, ...others].join("\n") });
    expect(storedIn(warehouse)).toEqual([
      [1, "2026-10-05", "sold", 378],
      [2, "2026-10-06", "sold", 100],
    ]);
  });

  it("stops at equal amounts of one job, until --lines says what they are", () => {
    using warehouse = newWarehouse(CALLS);
    const text = `job_id,call_id,date,stage,amount\nA,1,2026-10-05,sold,478\nB,2,2026-10-06,sold,7\nA,1,2026-10-05,sold,478\n`;
    expect(refusal(() => importFiles(warehouse, { "a.csv": text }))).toBe(
      "Cannot add up line 2 and line 4: they have one job id and the same amount, 478.00, so it may be the total of the job | Pass --lines add if each line is an amount of its own, or --lines once if lines repeat an amount.",
    );
    expect(storedIn(warehouse)).toEqual([]);
    const once = importFiles(warehouse, { "a.csv": text }, { lines: "once" });
    expect(once.imports).toMatchObject([
      { amounts: { stored: 485_000_000n, repeated: 478_000_000n }, repeated_lines: 1 },
    ]);
    importFiles(warehouse, { "a.csv": text }, { lines: "add" });
    expect(storedIn(warehouse)).toEqual([
      [1, "2026-10-05", "sold", 956],
      [2, "2026-10-06", "sold", 7],
    ]);
  });

  it("leaves out lines of one job by number if callers or stages differ, and keeps what is stored", () => {
    using warehouse = newWarehouse(CALLS);
    const head = "job_id,call_id,date,stage,amount\n";
    importFiles(warehouse, { "a.csv": `${head}A,1,2026-10-05,sold,9\n` });
    const { rejected, imports } = importFiles(warehouse, {
      "b.csv": `${head}A,1,2026-10-05,sold,30\nA,1,2026-10-06,booked,70\nB,2,2026-10-05,sold,5\nB,3,2026-10-05,sold,6\nC,3,2026-10-07,sold,1\n`,
    });
    const reason = "one job has one caller and one stage: lines of this id contradict each other,";
    expect(rejected.map((each) => [each.line, each.reason])).toEqual([
      [2, `${reason} line 2, line 3`],
      [3, `${reason} line 2, line 3`],
      [4, `${reason} line 4, line 5`],
      [5, `${reason} line 4, line 5`],
    ]);
    expect(imports[0]?.amounts).toMatchObject({ stored: 1_000_000n, left_out: 111_000_000n });
    expect(storedIn(warehouse)).toEqual([
      [1, "2026-10-05", "sold", 9],
      [3, "2026-10-07", "sold", 1],
    ]);
  });

  it("asks about jobs without ids that two files have, such as the same file twice", () => {
    using warehouse = newWarehouse(CALLS);
    const text = "call_id,date,stage,amount\n1,2026-10-05,sold,5\n1,2026-10-05,sold,5\n2,2026-10-06,sold,3\n";
    const more = `${text}3,2026-10-07,sold,4\n`;
    const head = "call_id,date,stage,amount\n";
    const other = `${head}3,2026-10-08,sold,6\n`;
    const last = `${head}3,2026-10-09,lost,6\n3,2026-10-10,sold,6\n2,2026-10-06,sold,3\n`;
    expect(refusal(() => importFiles(warehouse, { "j.csv": other, "k.csv": text, "l.csv": last }))).toContain(
      "Cannot tell whether line 4 of l.csv is a job of its own: k.csv has the same | Pass --lines add",
    );
    const once = importFiles(warehouse, { "k.csv": text, "l.csv": more }, { lines: "once" });
    expect(once.imports.map(({ repeated_lines }) => repeated_lines)).toEqual([0, 3]);
    expect(amountsIn(warehouse)).toEqual([5, 5, 3, 4]);
    importFiles(warehouse, { "k.csv": text, "l.csv": more }, { lines: "add" });
    expect(storedIn(warehouse)).toHaveLength(7);
  });
});

describe("importOutcomes: earlier imports", () => {
  it("replaces a day of the same source alone, and returns what was there, from which file", () => {
    using warehouse = newWarehouse(CALLS);
    const head = "call_id,date,stage,amount\n";
    importFiles(warehouse, { "crm.csv": `${head}3,2026-10-05,sold,70\n` }, { source: "crm" });
    importFiles(warehouse, { "north.csv": `${head}1,2026-10-05,sold,200\n1,2026-10-06,sold,8\n` });
    const { replaced } = importFiles(warehouse, { "south.csv": `${head}2,2026-10-05,sold,300\n` });
    expect(replaced).toEqual([
      {
        by: "day",
        before: { jobs: 1, amount_micros: 200_000_000n },
        now: { jobs: 1, amount_micros: 300_000_000n },
        files: ["north.csv"],
      },
    ]);
    expect(storedIn(warehouse)).toEqual([
      [1, "2026-10-06", "sold", 8],
      [2, "2026-10-05", "sold", 300],
      [3, "2026-10-05", "sold", 70],
    ]);
    // Jobs with ids take the place of those without, in their source alone.
    importFiles(warehouse, { "ids.csv": `id,${head}X,1,2026-10-05,sold,1\n` }, { source: "crm" });
    expect(amountsIn(warehouse)).toEqual([1, 8, 300]);
  });

  it("replaces a job by its id, and returns the amounts before and now", () => {
    using warehouse = newWarehouse(CALLS);
    const head = "job_id,call_id,date,stage,amount\n";
    importFiles(warehouse, { "a.csv": `${head}A,1,2026-10-05,booked,20\nB,2,2026-10-05,sold,3\n` });
    const { replaced } = importFiles(warehouse, {
      "b.csv": `${head}A,1,2026-10-08,sold,25\nC,3,2026-10-08,sold,1\n`,
    });
    expect(replaced).toEqual([
      {
        by: "job_id",
        before: { jobs: 1, amount_micros: 20_000_000n },
        now: { jobs: 1, amount_micros: 25_000_000n },
        files: [],
      },
    ]);
  });
});

describe("importOutcomes: refunds", () => {
  it("counts refunds at any stage, and by words that need no mapping", () => {
    using warehouse = newWarehouse(CALLS);
    const { rejected, imports } = importFiles(warehouse, {
      "a.csv": `job_id,call_id,date,stage,amount
A,1,2026-10-05,sold,500
A-R,1,2026-10-06,lost,-120
B,2,2026-10-05,sold,80
B,2,2026-10-09,Refunded,(30)
C,3,2026-10-05,Credit Note,7.00-
D,3,2026-10-05,chargeback,9
E,3,2026-10-05,void,55
`,
    });
    expect(imports[0]?.revenue_micros).toBe(423_000_000n);
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [
        7,
        'a refund is written below 0, and the amount of this line ("chargeback") is above: write -, or pass --map-stage "chargeback=lost" for a job that earned nothing',
      ],
    ]);
  });
});

describe("importOutcomes: lines that are no jobs", () => {
  it("a line is a job by its call id or number alone; others are totals, notes or left out", () => {
    using warehouse = newWarehouse(CALLS);
    const { imports, rejected } = importFiles(
      warehouse,
      {
        "a.csv": `Call ID,Phone,Date,Job ID,Amount,Note
1,,,,,
,${NUMBERS[1]},2026-10-06,,20,
,${NUMBERS[1]},,,7,
,none,2026-10-06,,8,
,,,,35,
,,,,,Thank you
,,2026-10-06,,9,
,,,X,11,
`,
      },
      { stage: "booked" },
    );
    expect(storedIn(warehouse)).toEqual([
      [1, "2026-10-01", "booked", null],
      [2, "2026-10-06", "booked", 20],
    ]);
    expect(imports).toMatchObject([{ total_lines: [6], note_lines: [7] }]);
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [4, "no date"],
      [5, "not a phone number, or a hidden one"],
      [8, "neither a call id nor a phone number"],
      [9, "neither a call id nor a phone number"],
    ]);
  });
});

describe("importOutcomes: times", () => {
  it("takes a time without seconds for its whole minute, lets clocks differ by five minutes, and trusts an id", () => {
    using warehouse = newWarehouse([
      makeCall({ call_id: 1, caller_id: NUMBERS[0], call_started: "2026-10-05T10:00:40.000Z" }),
      makeCall({ call_id: 2, caller_id: NUMBERS[1], call_started: "2026-10-05T09:00:00.000Z" }),
      makeCall({ call_id: 3, caller_id: NUMBERS[1], call_started: "2026-10-05T10:03:00.000Z" }),
    ]);
    const call = (date: string, who = 0) => {
      const text = `job_id,phone,date,stage\nA,${NUMBERS[who]},"${date}",sold\n`;
      const { rejected } = importFiles(warehouse, { "a.csv": text }, { source: date, dates: "mdy" });
      const key = warehouse.sqlite.prepare("SELECT call_id FROM outcomes WHERE source = ?").pluck().get(date);
      return rejected[0]?.reason ?? key;
    };
    expect(call("10/5/26, 10:00 AM")).toBe(1);
    expect(call("10/5/2026 - 9:55:41 AM")).toBe(1);
    expect(call("10/5/2026 9:55:39 AM")).toBe("the caller has no call before it");
    // The call before a job takes precedence over one right behind it.
    expect(call("10/5/2026 10:00", 1)).toBe(2);
    const early = importFiles(
      warehouse,
      { "a.csv": "call_id,date,stage\n1,2026-10-01,sold\n3,2026-10-05 10:00,sold\n" },
      { source: "ids" },
    );
    expect([early.imports[0]?.matched, early.early]).toEqual([2, 1]);
  });
});

describe("importOutcomes: odd cells", () => {
  it.each([
    [
      "constructor",
      "2026-10-05",
      'the stage "constructor" is none of lost, booked, sold: translate it with --map-stage',
    ],
    [
      "__proto__",
      "2026-10-05",
      'the stage "__proto__" is none of lost, booked, sold: translate it with --map-stage',
    ],
    [
      "sodl",
      "2026-10-05",
      'the stage "sodl" is none of lost, booked, sold: translate it with --map-stage; did you mean sold?',
    ],
    ["sold", "2026-10-20T10:00+99:99", '"2026-10-20T10:00+99:99" is not a date'],
    ["so\0ld", "2026-10-05", "a cell has a NUL character"],
    [
      "x".repeat(1_000_000),
      "2026-10-05",
      `the stage "${"x".repeat(39)}…" is none of lost, booked, sold: translate it with --map-stage`,
    ],
  ])("names the line of an odd cell: %.12s", (stage, date, reason) => {
    using warehouse = newWarehouse(CALLS);
    const text = `call_id,date,stage,note\n1,${date},${stage},\n2,2026-10-05,sold,${"many words ".repeat(50)}\n`;
    const { rejected } = importFiles(warehouse, { "a.csv": text });
    expect(rejected.map((each) => [each.line, each.reason])).toEqual([[2, reason]]);
  });

  it("refuses a file without a known stage, and suggests what its words mean", () => {
    using warehouse = newWarehouse(CALLS);
    const text =
      'call_id,date,stage\n1,2026-10-05,"Completed, unpaid"\n2,2026-10-05,Quote\n3,2026-10-05,quote\n';
    expect(refusal(() => importFiles(warehouse, { "a.csv": text }))).toBe(
      'Cannot import a.csv: none of the stages is known, "quote" (2 lines), "completed, unpaid" (1 line) | Say what they mean, lost, booked, sold, such as --map-stage "quote=booked,completed, unpaid=sold".',
    );
  });
});

describe("importOutcomes: phone numbers", () => {
  it("tries the numbers of several columns until one has a call; ten digits fit a warehouse of +1", () => {
    using warehouse = newWarehouse(CALLS);
    const { imports, rejected, assumed } = importFiles(warehouse, {
      "a.csv":
        "Job #,Mobile Phone,Home Phone,Date,Status\n1,,(512) 555-0101,2026-10-05,sold\n2,512-555-9999,5125550102,2026-10-05,sold\n3,,,2026-10-05,sold\n",
    });
    expect([imports[0]?.matched, assumed]).toEqual([2, 2]);
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [4, "neither a call id nor a phone number"],
    ]);
    const mapped = importFiles(
      warehouse,
      { "b.csv": `First,Second,Date,Status\nx,${NUMBERS[2]},2026-10-05,sold\n` },
      { map: { phone: ["First", "Second"] } },
    );
    expect(mapped.imports[0]?.matched).toBe(1);
  });
});

/** A line of a drawn list. */
interface Drawn {
  id: string;
  call: number;
  stage: string;
  amount: number | "" | "much";
}

const OWN_CALLS: Readonly<Record<string, number>> = { A: 1, B: 2, C: 3, D: 99 };
/** Lines of one id mostly have one caller and stage, and few different amounts. */
const line: fc.Arbitrary<Drawn> = fc
  .record({
    id: fc.constantFrom("", "A", "B", "C", "D"),
    other: fc.constantFrom(...Array.from({ length: 12 }, () => undefined), 1, 2, 3, 99),
    stage: fc.constantFrom("sold", "sold", "sold", "sold", "lost", "odd"),
    amount: fc.constantFrom(10, 20, 35, 50, -5, "" as const, "much" as const),
  })
  .map(({ id, other, ...drawn }) => ({ id, call: other ?? OWN_CALLS[id] ?? 1, ...drawn }));
/** Computes what calls earned from a list without ids: nothing but sums. */
function earnedBy(lines: readonly Drawn[]): number {
  return lines
    .filter(({ call, stage, amount }) => call !== 99 && stage !== "odd" && amount !== "much")
    .map(({ stage, amount }) => (stage === "sold" || Number(amount) < 0 ? Number(amount) : 0))
    .reduce((sum, amount) => sum + amount, 0);
}

describe("importOutcomes: amounts", () => {
  it("imports, leaves out or repeats each amount of a file: their sum is the file's", () => {
    const seen = { stored: 0n, without_call: 0n, left_out: 0n, repeated: 0n };
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("add" as const, "once" as const),
        fc.boolean(),
        (lists, lines, isWithIds) => {
          using warehouse = newWarehouse(CALLS);
          const files = lists.map((list, index): [string, string] => {
            const rows = list.map(
              ({ id, call, stage, amount }) => `${isWithIds ? id : ""},${call},2026-10-05,${stage},${amount}`,
            );
            // One line is always known.
            return [
              `${index}.csv`,
              `job_id,call_id,date,stage,amount\nZ${index},1,2026-10-05,booked,\n${rows.join("\n")}\n`,
            ];
          });
          const { imports } = importFiles(warehouse, Object.fromEntries(files), { lines });
          for (const [index, { amounts }] of imports.entries()) {
            const whole = (lists[index] ?? []).reduce((sum, { amount }) => sum + (Number(amount) || 0), 0);
            const all = Object.values(amounts).reduce((sum, amount) => sum + amount, 0n);
            expect(all).toBe(BigInt(whole) * 1_000_000n);
            for (const fate of ["stored", "without_call", "left_out", "repeated"] as const)
              seen[fate] += amounts[fate] === 0n ? 0n : 1n;
          }
          const stored = imports.reduce((sum, { amounts }) => sum + amounts.stored, 0n);
          const sum = warehouse.sqlite
            .prepare("SELECT coalesce(sum(amount_micros), 0) FROM outcomes")
            .pluck()
            .get();
          expect(BigInt(Number(sum))).toBe(stored);
          const revenue = imports.reduce(
            (total, { revenue_micros }) => total + Number(revenue_micros ?? 0n),
            0,
          );
          if (!isWithIds && lines === "add") expect(revenue / 1e6).toBe(earnedBy(lists.flat()));
        },
      ),
      { numRuns: 60 },
    );
    for (const [fate, times] of Object.entries(seen)) expect([fate, times > 2n]).toEqual([fate, true]);
  });
});
