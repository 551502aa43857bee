import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { answerCall } from "../../src/mcp/answer-call.ts";
import { toolsFor } from "../../src/mcp/tools.ts";
import { explainCall } from "../../src/operate/explain/explain-call.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { hasCapability } from "../support/commands.ts";
import { answering } from "../support/services/mcp.ts";
import { FULL_CALL, makeCall } from "../support/warehouses/calls.ts";
import { storeEnd, storeNotice, storeRestatement } from "../support/warehouses/findings.ts";
import { storeSpend } from "../support/warehouses/spend.ts";
import { closedWarehouse, markGone } from "../support/warehouses/warehouse.ts";

const FINISHED_AT = "2026-10-05T06:00:00.000Z";
const SEPTEMBER = { from: "2026-09-01", to: "2026-09-30" };

/** One call in August, and two more in September: of Google Ads, and direct. */
const CALLS = [
  makeCall({ call_id: 1, caller_id: "+491", call_started: "2026-08-10T10:00:00.000Z", duration: 90 }),
  { ...FULL_CALL, call_id: 2 },
  makeCall({ call_id: 3, caller_id: "+491", call_started: "2026-09-10T10:00:00.000Z", duration: 30 }),
];

/** As seen by an assistant. */
const NOTICE = {
  dimension: "tracking_number",
  key: { tracking_number: "…0117" },
  kind: "silent",
  since: "2026-10-01T09:10:00.000Z",
  calls: 0,
  expected: 18.3,
  judged_until: "2026-10-02T05:00:00.000Z",
  noticed_at: "2026-10-02T07:00:00.000Z",
  ended_at: null,
  end_reason: null,
  end_noticed_at: null,
} as const;

const RESTATEMENT = {
  found_at: "2026-10-02T07:00:00.000Z",
  exported_at: "2026-10-01T07:00:00.000Z",
  rules_changed: null,
  path: "/out/2026/campaign.csv",
  contents: "campaign",
  period: "2026-09",
  starts_at: "2026-09-01T00:00:00.000Z",
  ends_at: "2026-10-01T00:00:00.000Z",
  key: { campaign: "Autumn sale", campaign_id: "123456789" },
  metric: "calls",
  was: 3,
  now: 2,
  change: -1,
  reasons: [{ reason: "gone", calls: 1, effect: -1 }],
};

const HAS_NOTICES = hasCapability("notices");
const HAS_RESTATEMENTS = hasCapability("restatements");

function store(warehouse: Warehouse, { key, reasons, ...cells }: typeof RESTATEMENT): void {
  if (HAS_RESTATEMENTS) storeRestatement(warehouse, { key, reasons }, cells);
}

/** What changed, as far as a capability finds it. */
const changes = (restatements: readonly object[], notices: readonly object[]) => ({
  ...(HAS_RESTATEMENTS && { restatements }),
  ...(HAS_NOTICES && { notices }),
});

const READING = ["figures", "compare", "explain_call", "what_changed", "status"];

function makeFolder(calls = CALLS) {
  const closed = closedWarehouse(calls, { at: FINISHED_AT });
  const { key, ...notice } = NOTICE;
  closed.change((warehouse) => {
    store(warehouse, RESTATEMENT);
    if (HAS_NOTICES) storeNotice(warehouse, { tracking_number: "+15125550117" }, { ...notice, run_id: 1 });
  });
  return { ...closed, path: closed.folder };
}

const BASIS = {
  run: 1,
  verdict: "exact",
  verdict_reason: "Each page met the next.",
  finished_at: FINISHED_AT,
  timezone: "UTC",
  provisional: false,
  statements: [],
};
const IN_SEPTEMBER = {
  ...SEPTEMBER,
  short_history: true,
  starts_at: "2026-09-01T00:00:00.000Z",
  ends_at: "2026-10-01T00:00:00.000Z",
};
const HISTORY = {
  id: "short_history",
  level: "caution",
  values: { up_to: null },
  text: "First-time callers of these days may be too many: fewer than 90 days of calls lie before them.",
};

describe("toolsFor", () => {
  it.each([true, false])(
    "describes each tool in at most three sentences, and each argument (personal data: %s)",
    (isPersonal) => {
      const tools = toolsFor(["one", "two"], { sql: true, isPersonal });
      expect(tools.map(({ name }) => name)).toEqual([...READING, "query"]);
      for (const { title, description } of tools) {
        expect(title).toMatch(/^[A-Z]/);
        expect(description.match(/\.( |$)/g)?.length).toBeOneOf([1, 2, 3]);
      }
      const undescribed = tools.flatMap(({ name, input }) =>
        Object.entries(z.toJSONSchema(input, { io: "input" }).properties ?? {})
          .filter(([, schema]) => !/^[A-Z].+\.$/.test(Object(schema).description))
          .map(([argument]) => `${name} ${argument}`),
      );
      expect(undescribed).toEqual([]);
    },
  );

  it.each([
    [["one", "two"], "Whose calls: one, two. "],
    [Array.from({ length: 21 }, (_, index) => `a${index}`), /^Whose calls: a0, a1, .*, a19, …\. /],
  ])("names the first twenty of the accounts %j", (accounts, named) => {
    const [figures] = toolsFor(accounts, { sql: false, isPersonal: false });
    const { properties } = z.toJSONSchema(figures?.input ?? z.object(), { io: "input" });
    expect(properties?.account).toMatchObject({
      description: typeof named === "string" ? expect.stringContaining(named) : expect.stringMatching(named),
    });
  });

  it("adds arguments for the account, callers and SQL only if they are useful", () => {
    const tools = toolsFor(["one"], { sql: false, isPersonal: true });
    expect(tools.map(({ name }) => name)).toEqual(READING);
    for (const { input } of tools) expect(input.shape).not.toHaveProperty("account");
  });

  it.each([
    ["explain_call", { call_id: 1 }, "calltally explain shows all."],
    ["what_changed", {}, "Ask with a later since."],
    ["status", {}, "calltally status shows all."],
  ])("explains how to request less from %s", async (name, args, less) => {
    using folder = makeFolder();
    const settings = loadSettings({ env: folder.env, folder: folder.path });
    const scope = { account: undefined, settings, reports: new Map(), nowMs: Date.now() };
    const tool = toolsFor([], { sql: false, isPersonal: false }).find((each) => each.name === name);
    expect(await tool?.answer(scope, args)).toMatchObject({ less });
  });
});

describe("answerCall", () => {
  it("figures: responds with rows, a total and the basis", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const columns = ["calls", "first_call_at"];
    const question = { by: ["campaign"], range: SEPTEMBER, grain: "month", columns, total: true };
    const row = { period: "2026-09", period_start: "2026-09-01", calls: 1 };
    expect(await assistant.ask("figures", question)).toEqual({
      basis: { ...BASIS, range: IN_SEPTEMBER },
      rows: [
        { ...row, campaign: "(not set)", campaign_id: null, first_call_at: "2026-09-10T10:00:00.000Z" },
        { ...row, campaign: "Autumn sale", campaign_id: "99", first_call_at: "2026-09-15T14:30:00.125Z" },
      ],
      total: {
        period: "(total)",
        period_start: null,
        campaign: null,
        campaign_id: null,
        calls: 2,
        first_call_at: "2026-09-10T10:00:00.000Z",
      },
    });
  });

  it("figures: uses days of the account's time zone, or of a requested one", async () => {
    using folder = makeFolder();
    const env = { CALLTALLY_TIMEZONE: "Europe/Berlin" };
    const assistant = answering(folder.path, { env: { ...env, ...folder.env } });
    const zoneOf = (question: object) => assistant.ask("figures", { by: [], range: SEPTEMBER, ...question });
    expect(await zoneOf({})).toMatchObject({
      basis: {
        timezone: "Europe/Berlin",
        range: { starts_at: "2026-08-31T22:00:00.000Z" },
        statements: [HISTORY],
      },
    });
    expect(await zoneOf({ timezone: "america/chicago" })).toMatchObject({
      basis: { timezone: "America/Chicago", range: { starts_at: "2026-09-01T05:00:00.000Z" } },
    });
  });

  it("compare: sorts by the largest change, and marks changes that chance may explain", async () => {
    const july = Array.from({ length: 25 }, (_, index) =>
      makeCall({ call_id: 61 + index, call_started: `2026-${index === 0 ? "06" : "07"}-10T10:00:00.000Z` }),
    );
    const calls = Array.from({ length: 60 }, (_, index) =>
      makeCall({
        call_id: index + 1,
        // 40 of September and 10 of August are from Google, 4 and 6 direct
        call_started: index < 44 ? "2026-09-10T10:00:00.000Z" : "2026-08-10T10:00:00.000Z",
        utm_source: index < 40 || index >= 50 ? "google" : null,
        utm_medium: index < 40 || index >= 50 ? "cpc" : null,
        disposition: "ANSWERED",
        duration: index % 2 === 0 ? 61 : 5,
      }),
    );
    using folder = makeFolder([...calls, ...july]);
    const assistant = answering(folder.path, { env: folder.env });
    const compared = {
      as: "previous",
      from: "2026-08-01",
      to: "2026-08-31",
      short_history: true,
      starts_at: "2026-08-01T00:00:00.000Z",
      ends_at: "2026-09-01T00:00:00.000Z",
    };
    const row = (
      channel: string,
      change: number,
      ...[calls, before, qualified, qualifiedBefore]: number[]
    ) => {
      const isByChance = Number(channel === "Direct");
      return {
        channel,
        calls,
        calls_previous: before,
        calls_change: change,
        calls_within_chance: isByChance,
        qualified_calls: qualified,
        qualified_calls_previous: qualifiedBefore,
        qualified_calls_change: change,
        qualified_calls_within_chance: isByChance,
      };
    };
    expect(await assistant.ask("compare", { range: SEPTEMBER, total: true })).toEqual({
      basis: { ...BASIS, range: IN_SEPTEMBER, compared_with: [compared] },
      rows: [row("Paid Search", 3, 40, 10, 20, 5), row("Direct", -0.3333, 4, 6, 2, 3)],
      total: row("(total)", 1.75, 44, 16, 22, 8),
    });
    const august = { from: "2026-08-01", to: "2026-08-31" };
    expect(await assistant.ask("compare", { range: august })).toMatchObject({
      rows: [
        { channel: "Direct", calls: 6, calls_previous: 24 },
        { channel: "Paid Search", calls: 10, calls_previous: 0 },
      ],
    });
    expect(await assistant.ask("compare", { by: [], range: SEPTEMBER, against: "year" })).toMatchObject({
      basis: {
        compared_with: [{ as: "year", from: "2025-09-01", to: "2025-09-30", begins_before_first_call: true }],
      },
      rows: [{ calls: 44, calls_year_ago: null, calls_year_change: null, calls_year_within_chance: null }],
    });
  });

  it("explain_call: shows the steps of a call, at its local time", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const timezone = "America/Chicago";
    const asked = { database: folder.database, callId: 2, rules: DEFAULT_RULES, timezone };
    const explained = (await explainCall(asked))?.data;
    const { google_analytics_cid: _, referring_url: __, ...dni } = explained?.dni ?? {};
    const expected = { basis: BASIS, ...explained, dni, local_time: "2026-09-15 09:30:00 -05:00" };
    expect(await assistant.ask("explain_call", { call_id: 2, timezone })).toEqual(expected);
    const berlin = answering(folder.path, { env: { ...folder.env, CALLTALLY_TIMEZONE: "Europe/Berlin" } });
    expect(await berlin.ask("explain_call", { call_id: 2 })).toMatchObject({
      local_time: "2026-09-15 16:30:00 +02:00",
    });
    expect(await assistant.ask("explain_call", { call_id: 99 })).toMatch(
      /^There is no call 99 in .*calls\.db\nRun `calltally sync` if it is new; the API lists only calls with DNI data/,
    );
  });

  it("what_changed: lists restatements since a local day or a time", async () => {
    using folder = makeFolder();
    const env = { CALLTALLY_TIMEZONE: "Europe/Berlin" };
    const assistant = answering(folder.path, { env: { ...env, ...folder.env } });
    const basis = { ...BASIS, timezone: "Europe/Berlin" };
    const all = await assistant.ask("what_changed");
    expect(all).toEqual({ basis, ...changes([RESTATEMENT], [NOTICE]) });
    expect(await assistant.ask("what_changed", { since: "2026-10-02" })).toEqual(all);
    expect(await assistant.ask("what_changed", { since: "2026-10-02T09:00:00+02:00" })).toEqual(all);
    const none = { basis, ...changes([], []) };
    expect(await assistant.ask("what_changed", { since: "2026-10-02T09:00:01+02:00" })).toEqual(none);
    expect(await assistant.ask("what_changed", { since: "2026-10-03" })).toEqual(none);
  });

  it.runIf(HAS_RESTATEMENTS).each([
    // 2 October begins there at 10:00 UTC.
    ["Pacific/Honolulu", "2026-10-02T09:59:59.999Z", "2026-10-01"],
    ["Pacific/Honolulu", "2026-10-02T10:00:00.000Z", "2026-10-02"],
    // and there at 13:30 UTC of the day before.
    ["Australia/Lord_Howe", "2026-10-01T13:29:59.999Z", "2026-10-01"],
    ["Australia/Lord_Howe", "2026-10-01T13:30:00.000Z", "2026-10-02"],
  ])("what_changed: in %s, what was found at %s was found on %s", async (zone, found_at, day) => {
    using folder = makeFolder();
    folder.change((warehouse) => {
      warehouse.sqlite.exec(`DELETE FROM restatements${HAS_NOTICES ? "; DELETE FROM notices" : ""}`);
      store(warehouse, { ...RESTATEMENT, found_at });
    });
    const assistant = answering(folder.path, { env: { CALLTALLY_TIMEZONE: zone, ...folder.env } });
    const since = async (date: string) => Object(await assistant.ask("what_changed", { since: date }));
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    expect(await since(day)).toMatchObject({ basis: { timezone: zone }, restatements: [{ found_at }] });
    expect(await since(next)).toMatchObject({ basis: { timezone: zone }, restatements: [] });
  });

  it.runIf(HAS_NOTICES)("what_changed: lists notices that started or ended since", async () => {
    using folder = makeFolder();
    const end = { ended_at: "2026-10-03T05:00:00.000Z", end_reason: "calls again" } as const;
    const ended = { ...NOTICE, ...end, end_noticed_at: "2026-10-03T07:00:00.000Z" };
    {
      using warehouse = openWarehouse(folder.database);
      const { ended_at, end_reason, end_noticed_at } = ended;
      storeEnd(warehouse, 1, { ended_at, end_reason, end_noticed_at });
    }
    const assistant = answering(folder.path, { env: folder.env });
    for (const since of ["2026-10-02", "2026-10-02T07:00:01Z", "2026-10-03", "2026-10-03T07:00:00Z"]) {
      expect(await assistant.ask("what_changed", { since })).toMatchObject({ notices: [ended] });
    }
    for (const since of ["2026-10-03T07:00:01Z", "2026-10-04"]) {
      expect(await assistant.ask("what_changed", { since })).toMatchObject({ notices: [] });
    }
  });

  it("status: shows what the syncs proved and what fails", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await assistant.ask("status")).toEqual({
      basis: BASIS,
      ...{
        last_proven_pass: { run_id: 1, finished_at: FINISHED_AT },
        newest_call: "2026-09-15T14:30:00.125Z",
      },
      ...{
        calls: 3,
        calls_gone: 0,
        calls_of_the_service: null,
        failures: [],
        remarks: [],
        notices: HAS_NOTICES ? [NOTICE] : [],
      },
      next_sync: { mode: "full", at: time, not_before: null },
    });
  });

  it("status: reports a failed delivery without its recipient and the server's response", async () => {
    using folder = makeFolder();
    const yaml = { reports: { weekly: { contents: ["channel"] } } };
    writeFileSync(join(folder.path, "calltally.yaml"), JSON.stringify(yaml), { mode: 0o600 });
    {
      using warehouse = openWarehouse(folder.database);
      markGone(warehouse, [1]);
      warehouse.sqlite.exec(`UPDATE sync_runs SET verdict = 'probable', last_total = 7;
        INSERT INTO report_runs (report, started_at, status, process) VALUES ('weekly', '${FINISHED_AT}', 'done', '1');
        INSERT INTO deliveries (report_run_id, channel, recipient, status, last_error)
          VALUES (1, 'webhook', 'hooks.example.com', 'failed', 'unknown service')`);
    }
    expect(await answering(folder.path, { env: folder.env }).ask("status")).toMatchObject({
      last_proven_pass: null,
      calls: 2,
      calls_gone: 1,
      calls_of_the_service: 7,
      failures: ["weekly: webhook to its recipient: failed"],
      remarks: [],
    });
  });

  it.each([
    ["status", {}, true],
    ["explain_call", { call_id: 4 }, true],
    ["explain_call", { call_id: 2 }, false],
    ["query", { sql: "SELECT 1 AS one" }, true],
    ["what_changed", {}, HAS_RESTATEMENTS || HAS_NOTICES],
    ["what_changed", { since: "2026-10-05" }, HAS_NOTICES],
    ["what_changed", { since: "2026-10-06" }, false],
    ["figures", { by: [], range: { from: "2026-10-01", to: "2026-10-03" } }, true],
    ["figures", { by: [], range: SEPTEMBER }, false],
    ["compare", { range: { from: "2026-10-01", to: "2026-10-03" } }, true],
  ])("%s %o is provisional if its calls may still change: %s", async (name, args, provisional) => {
    using folder = makeFolder([...CALLS, makeCall({ call_id: 4, call_started: "2026-10-05T05:00:00.000Z" })]);
    {
      using warehouse = openWarehouse(folder.database);
      const late = { ...RESTATEMENT, starts_at: "2026-10-04T00:00:00.000Z", ends_at: FINISHED_AT };
      store(warehouse, late);
      const { key: _, ...notice } = NOTICE;
      const noticed = { judged_until: "2026-10-05T05:00:00.000Z", noticed_at: FINISHED_AT };
      if (HAS_NOTICES) storeNotice(warehouse, {}, { ...notice, ...noticed, run_id: 1, dimension: "all" });
    }
    const assistant = answering(folder.path, { env: folder.env, sql: true, isPersonal: true });
    expect(await assistant.ask(name, args)).toMatchObject({ basis: { provisional } });
  });

  it("figures: describes in its basis what its costs are about", async () => {
    using folder = makeFolder();
    {
      using warehouse = openWarehouse(folder.database);
      const campaign = { source: "google", medium: "cpc", campaign: "Autumn sale" };
      const row = { day: "2026-09-15", ...campaign, cost_micros: 24_000_000 };
      storeSpend(warehouse, [row], { importedAt: FINISHED_AT });
    }
    const question = { by: ["campaign"], range: SEPTEMBER, columns: ["cost"], spend: true };
    expect(await answering(folder.path, { env: folder.env }).ask("figures", question)).toMatchObject({
      basis: { spend: expect.arrayContaining(["From spend.csv."]) },
      rows: [
        { campaign: "(not set)", cost: null },
        { campaign: "Autumn sale", cost: 24 },
      ],
    });
  });

  it("without an account, status is of all, with the error of one that cannot be read; others say which there are", async () => {
    using folder = makeFolder();
    writeFileSync(join(folder.path, "token"), "t0ken", { mode: 0o600 });
    const account = { base_url: "https://api.example.com", token_file: join(folder.path, "token") };
    const two = { ...account, base_url: "https://two.example.com" };
    const accounts = { one: { ...account, database: folder.database }, two };
    writeFileSync(join(folder.path, "calltally.yaml"), JSON.stringify({ accounts }), { mode: 0o600 });
    const assistant = answering(folder.path);
    expect(await assistant.ask("status")).toMatchObject({
      accounts: [
        { account: "one", calls: 3, verdict: expect.any(String) },
        { account: "two", error: expect.stringContaining("data/two/calltally.db") },
      ],
    });
    const status = await assistant.ask("status", { account: "one" });
    expect(status).toMatchObject({ basis: { account: "one" }, calls: 3 });
    expect(await assistant.ask("status", { account: "three" })).toMatch(/^Cannot .*\baccount\b.*one, two/s);
    expect(await assistant.ask("figures", { by: ["channel"] })).toBe(
      "This tool works on one account, but there are 2: one, two\nName one with the argument account; the tool status answers for all.",
    );
  });

  it.each([
    ['{"name":"nothing","arguments":{}}', "There is no tool nothing"],
    ["no JSON", "Unexpected token"],
    ['{"name":"status"}', "arguments"],
  ])("reports an error of the call %s without quoting it to the client", async (json, says) => {
    const complaints: string[] = [];
    const complain = (text: string) => void complaints.push(text);
    const tools = toolsFor([], { sql: false, isPersonal: false });
    const none = { accounts: [], file: undefined, isPersonal: false };
    expect(await answerCall(json, { tools, ...none, complain })).toEqual({
      error: "This should not have happened: see the server's standard error",
    });
    expect(complaints).toEqual([expect.stringMatching(`^calltally: This should .*[^]*${says}`)]);
  });

  it("query: runs reading SQL if both flags allow it", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env, sql: true, isPersonal: true });
    const sql =
      "SELECT call_id, caller, x'00ff' AS x, 9007199254740993 AS big, 0.5, NULL, 1e999 FROM call_facts JOIN callers USING (caller_id)";
    expect(await assistant.ask("query", { sql: `${sql} WHERE call_id = 2` })).toEqual({
      basis: BASIS,
      rows: [
        {
          call_id: 2,
          caller: "+4930123456",
          x: "00ff",
          big: "9007199254740993",
          "0.5": 0.5,
          NULL: null,
          "1e999": null,
        },
      ],
    });
    expect(await assistant.ask("query", { sql: "SELECT 1 AS a, 2 AS a" })).toContain(
      "two have the same name",
    );
    expect(await assistant.ask("query", { sql: "DELETE FROM calls" })).toContain("it is not SELECT, WITH");
    expect(await assistant.ask("query", { sql: "SELECT 1; SELECT 2" })).toContain("more than one statement");
    expect(await assistant.ask("query", { sql: "ATTACH 'stolen' AS other" })).toContain("it is not SELECT");
  });

  it("refuses a filter by callers without --personal-data, which would reveal their calls by their absence", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const filter = { exclude_callers: ["+4930123456"] };
    for (const name of ["figures", "compare"]) {
      const said = await assistant.ask(name, { by: ["channel"], range: SEPTEMBER, filter });
      expect(said).toMatch(/^Cannot use filter\.exclude_callers: is not a known key\nKnown are org_unit, /);
    }
  });

  it("refuses arguments as tool errors", async () => {
    using folder = makeFolder();
    const assistant = answering(folder.path, { env: folder.env });
    const refusals: [name: string, args: Record<string, unknown>, says: RegExp][] = [
      ["figures", {}, /^Cannot continue: by is missing/],
      ["figures", { by: ["caller_id"] }, /^Cannot use by\.0: .*utm_source/],
      ["figures", { by: [], limit: 5 }, /limit/],
      ["figures", { by: [], timezone: "Berlin" }, /^Cannot use timezone: Berlin .*Europe\/Berlin/s],
      ["figures", { by: [], range: { last: "4x" } }, /^Cannot use range\.last: /],
      ["figures", { by: [], fill: true }, /^fill needs grain/],
      [
        "figures",
        { by: [], filter: { source: "bing" } },
        /^Cannot use filter\.source bing: no call .*\nThe tool figures lists the values, by source\.$/,
      ],
      ["compare", {}, /^Cannot continue: range is missing/],
      ["compare", { range: { from: "2026-09-01" } }, /needs range\.from and range\.to/],
      ["compare", { range: SEPTEMBER, grain: "week" }, /grain/],
      ["explain_call", { call_id: "2" }, /^Cannot use call_id: /],
      ["what_changed", { since: "yesterday" }, /^Cannot use since: "yesterday" is not a date .*YYYY-MM-DD/],
      ["status", { account: "one" }, /account/],
    ];
    for (const [name, args, says] of refusals) expect(await assistant.ask(name, args)).toMatch(says);
  });
});
