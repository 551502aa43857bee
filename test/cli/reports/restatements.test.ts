import { describe, expect, it } from "vitest";
import { insertRestatements } from "../../../src/features/restatements/restatement-table.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { hasCommand } from "../../support/commands.ts";
import { readCsv } from "../../support/page.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeCalls } from "../../support/warehouses/warehouse.ts";
import { type Folder, makeCallsFolder } from "../folder.ts";

const AUGUST = "--from 2026-08-01 --to 2026-08-31";

const rowsOf = (folder: Folder, file: string) => readCsv(readText(folder.path, file));

describe("calltally restatements", () => {
  it("prints a line for each call, its figures below, and what changed in it with --calls", async () => {
    const call = (call_id: number, members: Parameters<typeof makeCall>[0]) =>
      makeCall({ call_id, caller_id: `+49${call_id}`, duration: 90, disposition: "ANSWERED", ...members });
    const google = { call_started: "2026-08-01T12:00:00.000Z", utm_source: "google" };
    const bing = { call_started: "2026-08-20T12:00:00.000Z", utm_source: "bing" };
    using folder = makeCallsFolder([call(1, google), call(2, bing)]);
    const { say: run } = folder;
    const write = () => run(`export source medium ${AUGUST} --grain day --columns calls,missed_calls`);
    await write();
    {
      using writer = openExistingWarehouse(folder.database);
      storeCalls(writer, [call(2, { ...bing, disposition: "BUSY" }), call(31, google)]);
    }
    await write();

    const minute = /^\d{4}-\d\d-\d\d \d\d:\d\d/gm;
    const at = (text: string) => text.replace(minute, "AT").replaceAll(/exported .*/g, "exported THEN");
    expect(at(await run("restatements"))).toBe(`AT  1 call came late: 31
  data/exports/source.csv, source, exported THEN
    2026-08-01  google  calls 1 → 2 (+1)
  data/exports/medium.csv, medium, exported THEN
    2026-08-01  (not set)  calls 1 → 2 (+1)

AT  1 call corrected: 2
  data/exports/source.csv, source, exported THEN
    2026-08-20  bing  missed_calls 0 → 1 (+1)
  data/exports/medium.csv, medium, exported THEN
    2026-08-20  (not set)  missed_calls 0 → 1 (+1)
`);
    expect(at(await run("restatements --calls"))).toBe(`AT  data/exports/source.csv, source, exported THEN
  2026-08-01  google  calls
    1 → 2 (+1): 1 came late (+1)
      31 came late
  2026-08-20  bing  missed_calls
    0 → 1 (+1): 1 corrected (+1)
      2 corrected: outcome, is_qualified, disposition

AT  data/exports/medium.csv, medium, exported THEN
  2026-08-01  (not set)  calls
    1 → 2 (+1): 1 came late (+1)
      31 came late
  2026-08-20  (not set)  missed_calls
    0 → 1 (+1): 1 corrected (+1)
      2 corrected: outcome, is_qualified, disposition
`);
    const [, second] = JSON.parse(await run("restatements --json"));
    expect(second.reasons).toEqual([
      {
        reason: "corrected",
        calls: 1,
        effect: 1,
        listed: [{ call_id: 2, changed: ["outcome", "is_qualified", "disposition"] }],
      },
    ]);
  });
});

it.each([
  // 2 October begins there at 10:00 UTC.
  { zone: "Pacific/Honolulu", found: ["2026-10-02T09:59:59.999Z", "2026-10-02T10:00:00.000Z"] },
  // and there at 13:30 UTC of the day before.
  { zone: "Australia/Lord_Howe", found: ["2026-10-01T13:29:59.999Z", "2026-10-01T13:30:00.000Z"] },
])(
  "restatements --since begins with the local day of $zone, and lists local times",
  async ({ zone, found }) => {
    using folder = makeCallsFolder([], { CALLTALLY_TIMEZONE: zone });
    {
      using writer = openExistingWarehouse(folder.database);
      const restatements = found.map((found_at, index) => ({
        ...{
          found_at,
          exported_at: "2026-09-20T05:00:00.000Z",
          rules_changed: null,
          path: "/out/source.csv",
        },
        ...{ contents: "source", period: `2026-08-1${index}`, starts_at: "2026-08-10T00:00:00.000Z" },
        ...{ ends_at: "2026-08-11T00:00:00.000Z", key: { source: "google" }, metric: "calls" },
        ...{ was: 3, now: 2, change: -1, reasons: [{ reason: "gone", calls: 1, effect: -1 } as const] },
      }));
      insertRestatements(writer, restatements);
    }
    const since = async (day: string) =>
      JSON.parse(await folder.say("restatements --json --since", day)).map(
        ({ found_at }: { found_at: string }) => found_at,
      );
    expect(await since("2026-10-01")).toEqual(found.toReversed());
    expect(await since("2026-10-02")).toEqual(found.slice(1));
    const text = await folder.say("restatements --calls");
    expect(text).toMatch(/^2026-10-02 00:00 .*\n.*2026-08-11/m);
    expect(text).toMatch(/^2026-10-01 23:59 .*\n.*2026-08-10/m);
    const exported = zone === "Pacific/Honolulu" ? "2026-09-19 19:00" : "2026-09-20 15:30";
    expect(text).toContain(`exported ${exported}`);
  },
);

describe("second export", () => {
  it("reports in the file, the page, the list and the summary what changed and why, and a third one reports nothing", async () => {
    const CALLS = ["google", "bing"].map((utm_source, index) =>
      makeCall({ call_id: index + 1, call_started: "2026-08-01T12:00:00.000Z", utm_source }),
    );
    using folder = makeCallsFolder(CALLS);
    const { say: run } = folder;
    const write = () => run(`export source ${AUGUST} --grain month --out out`);
    const report = async () => {
      await run(`report ${AUGUST} --grain month --out page`);
      return readText(folder.path, "page/report.html");
    };
    expect(await write()).not.toContain("restatements.csv");
    expect(await report()).not.toContain("What changed since");
    folder.execute("UPDATE call_facts SET source = 'google', outcome = 'answered' WHERE call_id = 2");

    expect(await write()).toMatch(/\d+ figures exported on [\d-]+ have changed: see restatements\.csv/);
    const lines = rowsOf(folder, "out/restatements.csv");
    const ofCalls = lines.filter(({ metric }) => metric === "calls");
    expect(ofCalls.map(({ key, was, now, corrected_effect }) => [key, was, now, corrected_effect])).toEqual([
      ['{"source":"google"}', 1, 2, 1],
      ['{"source":"bing"}', 1, 0, -1],
    ]);
    expect(await report()).toContain("What changed since");
    const ofPage = rowsOf(folder, "page/restatements.csv");
    expect(new Set(ofPage.map(({ contents }) => contents))).toEqual(
      new Set(["report", "channel", "source", "campaign"]),
    );
    const listed = await run("restatements --since 2000-01-01");
    expect(listed).toContain("corrected");
    expect(Math.max(...listed.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const asJson = JSON.parse(await run("restatements --json"));
    expect(asJson.filter(({ path }: { path: string }) => path.endsWith("/source.csv"))).toHaveLength(
      lines.length,
    );
    expect(await run("restatements --since 2100-01-01")).toBe("No restatements.\n");
    expect(await write()).not.toContain("restatements.csv");
  });

  it.runIf(hasCommand("spend import"))(
    "attributes the whole change of costs to changed spend, but no part of the change of costs per call",
    async () => {
      const calls = [1, 2, 3, 4].map((call_id) =>
        makeCall({
          call_id,
          call_started: "2026-08-01T12:00:00.000Z",
          caller_id: `+49${call_id}`,
          disposition: "answered",
          duration: 90,
          utm_source: "google",
          campaign_name: "Brand",
        }),
      );
      using folder = makeCallsFolder(calls);
      const { say: run } = folder;
      const load = (cost: string) => {
        const header = "day,cost,clicks,source,medium,campaign,currency";
        folder.write("own.csv", `${header}\n2026-08-01,${cost},google,cpc,Brand,EUR\n`);
        return run("spend import own.csv");
      };
      const write = () => run(`export campaign --grain month --spend ${AUGUST} --out out`);

      await load("10,7");
      expect(await write()).not.toContain("restatements.csv");
      await load("12.50,7");
      expect(await write()).toContain("have changed: see restatements.csv");
      const names = ["period", "metric", "was", "now", "change", "spend_changed_effect"];
      const derived = ["cost_per_call", "cost_per_qualified_call", "cost_per_first_time_caller"];
      expect(rowsOf(folder, "out/restatements.csv").map((line) => names.map((name) => line[name]))).toEqual([
        ["2026-08", "cost", 10, 12.5, 2.5, 2.5],
        ...derived.map((metric) => ["2026-08", metric, 2.5, 3.13, 0.63, null]),
      ]);
      const listed = JSON.parse(await run("restatements --json"));
      expect(listed.map(({ metric, reasons }: Record<string, unknown>) => [metric, reasons])).toEqual([
        ["cost", [{ reason: "spend_changed", calls: null, effect: 2.5 }]],
        ...derived.map((metric) => [metric, [{ reason: "spend_changed", calls: null, effect: null }]]),
      ]);
      expect(await write()).not.toContain("restatements.csv");
    },
  );

  it.runIf(hasCommand("outcome import"))("attributes changed jobs to later jobs", async () => {
    const calls = ["google", "newsletter"].map((utm_source, index) =>
      makeCall({ call_id: index + 1, call_started: "2026-08-10T12:00:00.000Z", utm_source }),
    );
    using folder = makeCallsFolder(calls);
    const { say } = folder;
    const load = (job: string) => {
      folder.write("jobs.csv", `job id,call id,date,status,amount\n${job}\n`);
      return say("outcome import jobs.csv --currency USD");
    };
    const columns = "calls,booked_calls,sold_calls,revenue";
    const write = () =>
      say(`export source --outcomes --grain month ${AUGUST} --columns ${columns} --total --out out`);

    await load("A,1,2026-08-20,sold,100");
    await write();
    await load("D,2,2026-09-20,sold,50");
    await write();
    expect(rowsOf(folder, "out/restatements.csv").map(({ key, metric }) => [key, metric])).toEqual(
      ["booked_calls", "sold_calls", "revenue"].map((metric) => ['{"source":"newsletter"}', metric]),
    );
    expect(await say("restatements")).toMatch(/1 call with changed jobs: 2\n.*revenue 0 → 50 \(\+50\)/s);
  });

  it.each([
    ["channels", "channel,source,medium,campaign,referrer\nPartners,partner-*,,,\n"],
    ["topics", "topic,phrase,speaker,qualifies,value\nleak,burst pipe,,yes,\n"],
  ])("names the file of %s by which calls were attributed again", async (what, lines) => {
    const call = { call_id: 1, call_started: "2026-08-01T12:00:00.000Z", utm_source: "partner-north" };
    using folder = makeCallsFolder([
      makeCall({ ...call, transcription: "A burst pipe.", disposition: "ANSWERED", duration: 10 }),
    ]);
    folder.write("lines.csv", lines);
    const exporting = `export channel --columns calls,qualified_calls ${AUGUST}`;
    await folder.say(exporting);
    const setting = { [`CALLTALLY_${what.toUpperCase()}`]: "lines.csv" };
    expect(await folder.runWith(setting, exporting)).toMatchObject({ code: 0 });
    expect(await folder.say("restatements")).toContain(`attributed again by changed ${what}`);
  });
});
