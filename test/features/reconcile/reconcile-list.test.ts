import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { describeList, doAgree } from "../../../src/features/reconcile/describe-list.ts";
import { type AccountCopy, reconcileList } from "../../../src/features/reconcile/reconcile-list.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { closedWarehouse, markGone, setRules } from "../../support/warehouses/warehouse.ts";

/** On 1 November 2026, clocks in Chicago go back from 2:00 to 1:00: 701 and 702 begin at 1:20 and, an hour later, 1:20. */
const CALLS: readonly Call[] = [
  { call_id: 701, call_started: "2026-11-01T06:20:30.900Z", duration: 61, org_unit_id: 7 },
  { call_id: 702, call_started: "2026-11-01T07:20:31.100Z", duration: 62, org_unit_id: 7 },
  { call_id: 703, call_started: "2026-11-02T15:00:00.000Z", duration: 3723, org_unit_id: 8 },
  { call_id: 704, call_started: "2026-11-03T04:30:00.000Z", duration: null, org_unit_id: 8 },
  { call_id: 705, call_started: "2026-11-03T16:00:00.000Z", duration: 65, org_unit_id: 7 },
].map(makeCall);
const READ_AT = "2026-11-05T00:00:00.000Z";

const CHICAGO = "America/Chicago";

interface Options {
  account?: string;
  timezone?: string;
  others?: readonly AccountCopy[];
  copies?: readonly AccountCopy[];
  from?: string;
  to?: string;
  map?: { [field: string]: readonly string[] };
}

/** Compares a list with the calls of a warehouse, which is that of an account. */
function reconcile(
  { database }: { database: string },
  text: string | Buffer,
  { account, timezone = CHICAGO, others = [], copies = [], from, to, map = {} }: Options = {},
) {
  using folder = makeTempFolder();
  const path = join(folder.path, "list.csv");
  writeFileSync(path, text);
  return reconcileList(path, {
    copies: [{ database, account, timezone }, ...copies],
    others,
    map,
    range: { ...(from && { from }), ...(to && { to }) },
  });
}

/** The reason, the call and the line of each difference. */
const reasonsOf = ({ differences }: ReturnType<typeof reconcile>) =>
  differences.map(({ reason, call_id, line }) => [reason, call_id, line]);

describe("a list of calls", () => {
  it.each([
    ["call_id,call_started,duration", (id: number) => `${id}`],
    ["Call ID;Start Time;Call Duration", (id: number) => `"000${id}"`],
    ["\ufeffCallID\tDate/Time\tLength", (id: number) => `="${id}"`],
  ])("a list under the header %s agrees with the copy", (header, spell) => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    const sign = /[,;\t]/.exec(header)?.[0] ?? "";
    const rows = [
      ["701", "2026-11-01 01:20:31", "61"],
      ["702", "1-Nov-26, 1:20 AM", "1:02"],
      ["703", "Nov 2, 2026 9:00:00 AM", "1:02:03"],
      ["704", "2026-11-02", ""],
      ["705", "2026-11-03T16:00:00Z", "1m 5s"],
    ].map(([id, ...cells]) => [spell(Number(id)), ...cells.map((cell) => `"${cell}"`)].join(sign));
    const list = reconcile(warehouse, [header, ...rows].join("\r\n"));
    expect(list).toMatchObject({ listed: 5, both: 5, differences: [], span: { by: "calls" } });
    expect(doAgree(list)).toBe(true);
  });

  it("names another start, another duration and lines that cannot be read", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    const list = reconcile(
      warehouse,
      `Call ID,Date,Time,Duration
701,2026-11-01,01:20:30,61
702,2026-11-01,1:22 AM,62
703,2026-11-02,09:00:00,3722
704,soon,,long
705,2026-11-03,25:00,65
+15125550101,2026-11-03,10:00,5
`,
    );
    expect(reasonsOf(list)).toEqual([
      ["start", 702, 3],
      ["duration", 703, 4],
      ["unreadable", 704, 5],
      ["unreadable", 704, 5],
      ["unreadable", 705, 6],
      ["unreadable", null, 7],
    ]);
    expect(list.differences.map(({ detail }) => detail)).toEqual([
      "2026-11-01 01:20:31 here",
      "3722 s, 3723 s here",
      "its start is not a date",
      "its duration is not a length of time",
      "its time is not a time of day",
      "its call id is not a whole number",
    ]);
    expect(list).toMatchObject({ listed: 5, both: 5 });
    expect(doAgree(list)).toBe(false);
  });

  it("each call on one side alone has a reason", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    using dallas = closedWarehouse([
      makeCall({ call_id: 940 }),
      makeCall({ call_id: 910, call_started: "2026-10-01T16:00:00.000Z" }),
    ]);
    warehouse.change((open) => {
      markGone(open, [702], "2026-11-04T00:00:00.000Z");
      open.sqlite.exec(`UPDATE origin SET org_unit_id = '7';
        UPDATE calls SET missing_since = '2026-11-04T12:00:00.000Z' WHERE call_id = 704;
        INSERT INTO rejected_calls VALUES ('id:920', 920, '{}', 'duration', 'not a number', 1, 1)`);
    });
    const list = reconcile(
      warehouse,
      `call_id,call_started,group_id
701,2026-11-01 01:20:30,7
702,2026-11-01 01:20:31,7
910,2026-11-01 10:00:00,7
920,2026-11-01 11:00:00,7
930,2026-11-04 17:59:59,7
931,2026-11-04 18:00:00,7
940,2026-11-01 12:00:00,9
950,2026-11-01 13:00:00,9
705,2026-11-03 10:00:00,7
705,2026-11-03 10:00:00,7
`,
      { account: "austin", others: [{ database: dallas.database, account: "dallas", timezone: "UTC" }] },
    );
    expect(reasonsOf(list)).toEqual([
      ["gone", 702, 3],
      ["not_in_copy", 910, 4],
      ["rejected", 920, 5],
      ["not_in_copy", 930, 6],
      ["too_new", 931, 7],
      ["other_account", 940, 8],
      ["other_unit", 950, 9],
      ["unit_not_in_list", 703, null],
      ["unit_not_in_list", 704, null],
    ]);
    expect(list).toMatchObject({ listed: 9, both: 2, repeated: 1 });
    expect(list.differences.find(({ call_id }) => call_id === 940)?.account).toBe("dallas");
  });

  it("a call is too new only if each copy was read before it", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    using dallas = closedWarehouse([makeCall({ call_id: 940 })], { at: "2026-11-06T00:00:00.000Z" });
    const list = reconcile(
      warehouse,
      "call_id,call_started\n930,2026-11-05 17:59:59\n931,2026-11-05 18:00:00\n",
      { account: "austin", copies: [{ database: dallas.database, account: "dallas", timezone: CHICAGO }] },
    );
    expect(reasonsOf(list)).toEqual([
      ["not_in_copy", 930, 2],
      ["too_new", 931, 3],
    ]);
  });

  it("a list with calls of another account or unit agrees", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    using dallas = closedWarehouse([makeCall({ call_id: 940 })]);
    warehouse.change(({ sqlite }) => sqlite.exec("UPDATE origin SET org_unit_id = '7'"));
    const list = reconcile(warehouse, "call_id,group_id\n701,7\n940,7\n950,9\n", {
      account: "austin",
      others: [{ database: dallas.database, account: "dallas", timezone: "UTC" }],
    });
    expect(reasonsOf(list).map(([reason]) => reason)).toEqual(["other_account", "other_unit"]);
    expect(doAgree(list)).toBe(true);
    expect(describeList(list, "rest.csv")).toContain("They agree.");
  });

  it("the compared time is from the first to the last call that both have, whatever other lines say", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    warehouse.change(({ sqlite }) =>
      sqlite.exec("UPDATE calls SET missing_since = '2026-11-04T12:00:00.000Z' WHERE call_id = 703"),
    );
    const list = reconcile(warehouse, "id,date\n999,1970-01-01\n704,2026-11-02\n702,2026-11-01\n");
    expect(reasonsOf(list)).toEqual([
      ["not_in_copy", 999, 2],
      ["missing", 703, null],
    ]);
    expect(describeList(list, "rest.csv")).toContain(
      "Compared: 2026-11-01 01:20:31 to 2026-11-02 22:30:00 (America/Chicago), from the first to the last call that both have",
    );
  });

  it("--from and --to limit the comparison to local days", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    const text = "id,date\n701,2026-11-01\n703,2026-11-02\n998,2026-11-03\n";
    const list = reconcile(warehouse, text, { from: "2026-11-02", to: "2026-11-02" });
    expect(reasonsOf(list)).toEqual([["not_in_list", 704, null]]);
    expect(list).toMatchObject({ listed: 1, both: 1, outside: 2, span: { by: "days" } });
    const east = reconcile(warehouse, text, { from: "2026-11-02", to: "2026-11-02", timezone: "UTC" });
    expect(reasonsOf(east)).toEqual([]);
    expect(reasonsOf(reconcile(warehouse, "id\n", { from: "2026-11-03", to: "2026-11-03" }))).toEqual([
      ["not_in_list", 705, null],
    ]);
  });

  it("a list of several accounts is compared with each, a call with the one that has its start", () => {
    using austin = closedWarehouse(CALLS, { at: READ_AT });
    using dallas = closedWarehouse(
      [
        makeCall({ call_id: 701, call_started: "2026-11-01T18:00:00.000Z", duration: 41 }),
        makeCall({ call_id: 802, call_started: "2026-11-01T19:00:00.000Z", duration: 42 }),
      ],
      { at: READ_AT },
    );
    const copy = { database: dallas.database, account: "dallas", timezone: CHICAGO };
    const list = reconcile(
      austin,
      "id,started,duration\n701,2026-11-01 12:00:00,41\n705,2026-11-03 10:00:00,65\n",
      { account: "austin", copies: [copy] },
    );
    expect(list.differences.map(({ reason, call_id, account }) => [reason, call_id, account])).toEqual([
      ["not_in_list", 703, "austin"],
      ["not_in_list", 704, "austin"],
      ["not_in_list", 802, "dallas"],
    ]);
    expect(() =>
      reconcile(austin, "id\n701\n", { account: "austin", copies: [{ ...copy, timezone: "Asia/Tokyo" }] }),
    ).toThrow(
      "Cannot compare one list with accounts in America/Chicago and Asia/Tokyo: its times are of one zone",
    );
  });

  it("compares plain numbers in the unit of the settings, and other durations in seconds", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    warehouse.change((open) => setRules(open, { ...DEFAULT_RULES, duration_unit: "milliseconds" }));
    const list = reconcile(warehouse, "id,duration\n701,61\n702,0.062\n703,0:03\n704,\n705,0:05\n");
    expect(reasonsOf(list)).toEqual([
      ["duration", 702, 3],
      ["duration", 705, 6],
    ]);
    expect(reconcile(warehouse, "id,duration (seconds)\n703,3.7\n")).toMatchObject({ differences: [] });
  });
});

describe("starts of another zone", () => {
  it.each([
    ["UTC", "06:20:30", "07:20:31", "15:00:00", "--timezone UTC"],
    ["Denver", "00:20:30", "00:20:31", "08:00:00", "its zone, --timezone"],
  ])("notices that all starts of a list are from %s", (_, first, second, third, advice) => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    const list = reconcile(
      warehouse,
      `id,started\n701,2026-11-01 ${first}\n702,2026-11-01 ${second}\n703,2026-11-02 ${third}\n`,
    );
    expect(describeList(list, "rest.csv").at(-1)).toContain(`Compare again with ${advice}.`);
  });
});

describe("a list that cannot be compared", () => {
  it.each([
    [
      "ids that a spreadsheet has rounded",
      "id,date\n701,2026-11-01\n1.23E+15,2026-11-02\n",
      'line 3 has a call id that a spreadsheet has rounded, "1.23E+15"',
    ],
    [
      "long ids that all end in zero",
      "id\n701\n1234567890123450\n1234567890123460\n1234567890123470\n",
      "all of its long call ids end in zero, as if a spreadsheet had rounded them",
    ],
    ["a header alone", "id,date\n", "it has no calls"],
    ["no text", "", "none of its first 60 lines is the header of a list of calls"],
    [
      "another column as the id",
      "id,date\n+15125550101,2026-11-01\n",
      "none of its lines has a call id, line 2: its call id is not a whole number",
    ],
    ["a time without its day", "id,time\n701,10:00\n", "it has a column with the time of a call"],
  ])("refuses %s", (_, text, problem) => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    expect(() => reconcile(warehouse, text)).toThrow(problem);
  });

  it("refuses a copy before the first finished sync", () => {
    using warehouse = closedWarehouse(CALLS, { at: READ_AT });
    warehouse.change(({ sqlite }) => sqlite.exec("UPDATE sync_runs SET status = 'failed'"));
    expect(() => reconcile(warehouse, "id\n701\n")).toThrow("no sync has finished yet");
  });

  it("keeps long ids that do not end in zero, and ids that are here", () => {
    using warehouse = closedWarehouse([makeCall({ call_id: 1234567890123450 })], { at: READ_AT });
    const text = "id\n1234567890123450\n1234567890123460\n1234567890123470\n1234567890123480\n";
    expect(reconcile(warehouse, text)).toMatchObject({ listed: 4, both: 1 });
  });
});
