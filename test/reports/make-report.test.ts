import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT } from "../../src/base/errors.ts";
import { exitCodeOfReport, makeReport } from "../../src/reports/make-report.ts";
import { claimWarehouse } from "../../src/sync/claim-warehouse.ts";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { origin } from "../../src/warehouse/origin.ts";
import { type Tx, writeTransaction } from "../../src/warehouse/transaction.ts";
import { hasCapability } from "../support/commands.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { storeEnd, storeNotice } from "../support/warehouses/findings.ts";
import { storeSpend } from "../support/warehouses/spend.ts";
import { closedWarehouse, readRows } from "../support/warehouses/warehouse.ts";
import { startMailServer } from "./delivery/mail-server.ts";
import { nameReport, startHook, TO_HOOK } from "./named-report.ts";

/** A Monday. */
const NOW = "2026-11-16T07:30:00.000Z";
const FINISHED_AT = "2026-11-16T06:00:00.000Z";
const WEEK = "9 Nov 2026 to 15 Nov 2026, days of UTC, compared with 2 Nov 2026 to 8 Nov 2026";
const LAST_WEEK = { contents: ["channel"], range: { last: "1w" } };

/** Calls of two weeks, twelve and four, of which three quarters were answered; and the first synced call in May. */
const CALLS = [
  makeCall({ call_id: 17, caller_id: "+49301235000", call_started: "2026-05-04T10:00:00.000Z" }),
  ...Array.from({ length: 16 }, (_, index) =>
    makeCall({
      call_id: index + 1,
      caller_id: `+49301234${index}`,
      call_started: index < 12 ? "2026-11-10T10:00:00.000Z" : "2026-11-03T10:00:00.000Z",
      utm_source: "google",
      campaign_name: "Brand",
      disposition: index % 4 === 0 ? "NO ANSWER" : "ANSWERED",
      duration: index % 4 === 1 ? 90 : 5,
    }),
  ),
];

const HAS_NOTICES = hasCapability("notices");
const NOTICE = {
  ...({ dimension: "source", kind: "silent", calls: 0, expected: 18.3, run_id: 1 } as const),
  since: "2026-11-15T07:00:00.000Z",
  judged_until: NOW,
  noticed_at: NOW,
};

type Named = ReturnType<typeof nameReport>;

const named = (content: object, options: Parameters<typeof nameReport>[1] = {}) =>
  nameReport(content, { calls: CALLS, finishedAt: FINISHED_AT, ...options });

function make({ report, folder }: Named, options: Partial<Parameters<typeof makeReport>[1]> = {}) {
  const { signal } = new AbortController();
  const clock = new FakeClock(NOW);
  const byHand = { scheduledFor: null, isDelivered: true, workingFolder: folder, signal, clock };
  return makeReport(report, { ...byHand, ...options });
}

function write({ database }: Named, work: (tx: Tx) => void): void {
  using warehouse = openExistingWarehouse(database);
  writeTransaction(warehouse, work);
}

function spend({ database }: Named, days: readonly string[]): void {
  using warehouse = openExistingWarehouse(database);
  const row = { source: "google", medium: "cpc", campaign: "Brand", cost_micros: 24_000_000 };
  storeSpend(
    warehouse,
    days.map((day) => ({ day, ...row })),
    { importedAt: NOW },
  );
}

describe("makeReport", () => {
  it("writes and sends nothing of calls that another account has, too", async () => {
    await using hook = await startHook();
    using own = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets: hook.secrets });
    using austin = closedWarehouse(CALLS, { at: FINISHED_AT });
    const atOneAddress = (tx: Tx) => tx.db.update(origin).set({ base_url: "https://api.example.com" }).run();
    write(own, atOneAddress);
    austin.change((warehouse) => writeTransaction(warehouse, atOneAddress));
    const accounts = [
      { account: "austin", database: austin.database },
      { account: "dallas", database: own.database },
    ];
    const settings = { ...own.report.settings, accounts };
    const makeWith = (isDelivered: boolean) =>
      make({ ...own, report: { ...own.report, settings } }, { isDelivered });
    for (const isDelivered of [true, false])
      await expect(makeWith(isDelivered)).rejects.toMatchObject({
        exitCode: EXIT.unverified,
        message: expect.stringContaining("The account austin has the same calls"),
      });
    expect(hook.bodies).toEqual([]);
    expect(existsSync(join(own.folder, "reports"))).toBe(false);
    austin.change(({ sqlite }) =>
      sqlite.exec("UPDATE call_facts SET call_started = '2026-11-15T11:00:00.000Z'"),
    );
    expect((await makeWith(true))?.run.deliveries).toMatchObject([{ status: "delivered" }]);
  });

  it("writes files, delivers their summary and records both", async () => {
    await using hook = await startHook();
    const { secrets } = hook;
    const hasFile = (name: string) => ({ command: ["test", "-s", `{folder}/${name}`] });
    const deliver = [...TO_HOOK, hasFile("channel.csv"), hasFile("manifest.json")];
    const content = { ...LAST_WEEK, deliver };
    using weekly = named(content, { secrets, account: "acme", top: { accounts: ACCOUNTS } });
    const made = await make(weekly);
    const folder = join(weekly.folder, "reports/acme/weekly");
    expect(made).toMatchObject({ report: "weekly", run: { id: 1, isStale: false }, files: { folder } });
    expect(made?.run.deliveries.map(({ status }) => status)).toEqual(deliver.map(() => "delivered"));
    const change = { change: "+200.0%", within_chance: true };
    const rate = { change: "0.0 points", within_chance: false };
    expect(hook.bodies).toEqual([
      {
        text: expect.any(String),
        title: "Calls: weekly, 2026-W46",
        account: "acme",
        name: "acme",
        range: WEEK,
        headline: [
          { name: "Calls", value: "12", previous: "4", ...change },
          { ...rate, name: "Answer rate", value: "75.0%", previous: "75.0%" },
          { name: "Qualified calls", value: "3", previous: "1", ...change },
          { name: "First-time callers", value: "12", previous: "4", ...change },
          { name: "Missed calls", value: "3", previous: "1", ...change },
        ],
        sentences: [],
        verdict: expect.stringMatching(
          /^Complete as of .* \(UTC\)\. Run 1 proved that it read every call\. The last sync, .*, is exact\.$/,
        ),
        statements: [expect.objectContaining({ id: "provisional", text: expect.any(String) })],
        notices: [],
        files: [{ name: "channel.csv", bytes: expect.any(Number), sha256: expect.any(String) }],
      },
    ]);
    expect(readRows(weekly.database, "SELECT * FROM report_runs")).toEqual([
      {
        report_run_id: 1,
        report: "weekly",
        account: "acme",
        scheduled_for: null,
        started_at: NOW,
        finished_at: NOW,
        status: "done",
        verdict: "exact",
        is_stale: 0,
        news_until: 0,
        folder,
        range_from: "2026-11-09",
        range_to: "2026-11-15",
        error: null,
        process: expect.any(String),
        files: expect.stringMatching(
          /^\[\{"name":"channel.csv","path":"\/.*\/channel.csv","bytes":\d+,"sha256":"\w{64}","is_personal":false\}\]$/,
        ),
      },
    ]);
  });

  it("compares costs, also of the previous days", async () => {
    await using hook = await startHook();
    using weekly = named(
      { contents: ["campaign"], range: { last: "1w" }, spend: true, deliver: TO_HOOK },
      { secrets: hook.secrets },
    );
    spend(weekly, ["2026-11-10", "2026-11-03"]);
    await make(weekly);
    const cost = { change: "0.0%", within_chance: false };
    const known = " (campaigns with spend)";
    expect(hook.bodies).toMatchObject([
      {
        headline: [
          ...Array(5).fill(expect.anything()),
          { ...cost, name: "Cost", value: "24.00 EUR", previous: "24.00 EUR" },
          { name: `Cost per call${known}`, value: "2.00 EUR", previous: "6.00 EUR", change: "-66.7%" },
          { name: `Cost per qualified call${known}`, value: "8.00 EUR", previous: "24.00 EUR" },
        ],
      },
    ]);
  });

  it.each([
    {
      what: "all days",
      content: { contents: ["channel"] },
      calls: { value: "17", change: null, previous: null },
      range: "All calls, days of UTC",
      statements: { short_history: { up_to: null }, provisional: {} },
      title: "Calls: weekly",
    },
    {
      what: "days of another zone with a grain and its comparison",
      content: { ...LAST_WEEK, grain: "day", compare: "year" },
      env: { CALLTALLY_TIMEZONE: "Asia/Tokyo" },
      calls: { value: "12", change: null, previous: null },
      range: "9 Nov 2026 to 15 Nov 2026, days of Asia/Tokyo, compared with 9 Nov 2025 to 15 Nov 2025",
      statements: {
        previous_not_covered: { from: "2025-11-09", up_to: null, of: null },
        short_history_before: { of: null },
        provisional: {},
      },
    },
    {
      what: "days before the copy begins",
      content: { contents: ["channel"], range: { from: "2026-05-01", to: "2026-06-30" } },
      calls: { value: "1", change: null, previous: null },
      range: "1 May 2026 to 30 Jun 2026, days of UTC, compared with 1 Mar 2026 to 30 Apr 2026",
      title: "Calls: weekly, 1 May 2026 to 30 Jun 2026",
      statements: {
        previous_not_covered: { from: "2026-03-01", up_to: null, of: null },
        short_history: { up_to: null },
      },
    },
    {
      what: "a sync within the days",
      content: { contents: ["channel"], range: { from: "2026-11-10", to: "2026-11-16" } },
      range: "10 Nov 2026 to 16 Nov 2026, days of UTC, compared with 3 Nov 2026 to 9 Nov 2026, 06:00",
      title: "Calls: weekly, 10 Nov 2026 to 16 Nov 2026",
      statements: {
        provisional: {},
        unfinished: { compared_until: null, period: null, until: "16 Nov 2026 06:00 (UTC)" },
      },
    },
    {
      what: "small numbers",
      content: { ...LAST_WEEK, grain: "day", min_cell: 20 },
      calls: { value: "–", change: null, previous: null },
      statements: { headline_left_out: { min_cell: 20 }, provisional: {} },
    },
    {
      what: "a sync that is just recent enough",
      content: { ...LAST_WEEK, fresh: "90m" },
    },
    {
      what: "an old sync",
      content: { ...LAST_WEEK, fresh: "1h" },
      statements: { stale: { older_than: "1h" }, provisional: {} },
      exit: EXIT.unverified,
    },
  ])("describes what figures of $what are about", async (row) => {
    const { content, env = {}, calls = { value: "12", change: "+200.0%", previous: "4" }, title } = row;
    const { statements = { provisional: {} }, exit = EXIT.done } = row;
    await using hook = await startHook();
    using weekly = named({ ...content, deliver: TO_HOOK }, { secrets: hook.secrets, env });
    const made = await make(weekly);
    expect(hook.bodies).toMatchObject([
      {
        title: title ?? "Calls: weekly, 2026-W46",
        account: null,
        range: row.range ?? WEEK,
        headline: [{ name: "Calls", ...calls }, {}, {}, {}, {}],
      },
    ]);
    expect(
      Object.fromEntries(made?.files.manifest.statements.map(({ id, values }) => [id, values]) ?? []),
    ).toEqual(statements);
    const is_stale = "stale" in statements;
    expect(made?.run.isStale).toBe(is_stale);
    expect(readRows(weekly.database, "SELECT is_stale FROM report_runs")).toEqual([
      { is_stale: Number(is_stale) },
    ]);
    expect(made && exitCodeOfReport(made)).toBe(exit);
  });

  it.each([
    { contents: ["calls", "channel"], format: "csv", names: { "calls.csv": true, "channel.csv": false } },
    { contents: ["calls", "channel"], format: "xlsx", names: { "calltally.xlsx": true } },
    { contents: ["channel"], format: "xlsx", names: { "calltally.xlsx": false } },
  ])("marks files with personal data: $contents as $format", async ({ contents, format, names }) => {
    using weekly = named({ contents, format });
    await make(weekly);
    const [run] = readRows(weekly.database, "SELECT files FROM report_runs");
    const files: { name: string; is_personal: boolean }[] = JSON.parse(String(run?.files));
    expect(Object.fromEntries(files.map(({ name, is_personal }) => [name, is_personal]))).toEqual(names);
  });

  it("states what a delivered headline needs, and without a delivery only what its files need", async () => {
    await using hook = await startHook();
    const content = { ...LAST_WEEK, columns: ["calls"], deliver: TO_HOOK };
    using own = named(content, { secrets: hook.secrets, calls: CALLS.slice(1) });
    const stated = async (isDelivered: boolean) =>
      (await make(own, { isDelivered }))?.files.manifest.statements.map(({ id }) => id).sort();
    expect(await stated(true)).toEqual(["previous_not_covered", "provisional", "short_history"]);
    expect(await stated(false)).toEqual(["previous_not_covered", "provisional"]);
  });

  it.runIf(HAS_NOTICES)(
    "reports each notice once, when it starts and when it ends, if somebody got the report",
    async () => {
      await using hook = await startHook(200, 404);
      const secrets = { ...hook.secrets };
      using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets });
      const said = async () => {
        await make(weekly);
        return Object(hook.bodies.at(-1)).notices;
      };
      const insert = (source: string) => write(weekly, (tx) => storeNotice(tx, { source }, NOTICE));
      const ended = { ended_at: NOW, end_reason: "calls again", end_noticed_at: NOW } as const;
      const end = (id: number) => write(weekly, (tx) => storeEnd(tx, id, ended));
      insert("bing");
      insert("google");
      end(1);
      const google = "Notice: source google: no call since 15 Nov 2026 07:00, 18.3 expected.";
      expect(await said()).toEqual([google]);
      insert("yelp");
      const yelp = google.replace("google", "yelp");
      expect(await said()).toEqual([yelp]);
      end(2);
      const over = expect.stringContaining(
        "google: calls again since 16 Nov 2026 07:30, after no call since",
      );
      expect(await said()).toEqual([over, yelp]);
      expect(await said()).toEqual([]);
    },
  );

  it("shows whose figures they are, and writes them as their locale does", async () => {
    await using hook = await startHook();
    const env = { CALLTALLY_TITLE: "Acme Roofing", CALLTALLY_LOCALE: "de-DE" };
    using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { ...hook, env });
    if (HAS_NOTICES) write(weekly, (tx) => storeNotice(tx, { source: "google" }, NOTICE));
    await make(weekly);
    expect(hook.bodies).toMatchObject([
      {
        account: null,
        name: "Acme Roofing",
        range: expect.stringMatching(/^9\.–15\. Nov\. 2026, days of UTC/),
        headline: expect.arrayContaining([
          expect.objectContaining({ name: "Answer rate", value: "75,0\u00a0%" }),
        ]),
        notices: HAS_NOTICES
          ? ["Notice: source google: no call since 15. Nov. 2026 07:00, 18,3 expected."]
          : [],
      },
    ]);
  });

  it.each([{ filter: { channel: "Direct" } }, { min_cell: 5 }])(
    "reports no notices with %o, as they are about all calls",
    async (part) => {
      await using hook = await startHook();
      using weekly = named({ ...LAST_WEEK, ...part, deliver: TO_HOOK }, { secrets: hook.secrets });
      if (HAS_NOTICES) write(weekly, (tx) => storeNotice(tx, { source: "bing" }, NOTICE));
      await make(weekly);
      expect(hook.bodies).toMatchObject([{ notices: [] }]);
      expect(readRows(weekly.database, "SELECT news_until FROM report_runs")).toEqual([{ news_until: null }]);
    },
  );

  it("makes a due run once, and repeats its delivery while a recipient is pending", async () => {
    await using hook = await startHook(...Array(14).fill(503));
    using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets: hook.secrets });
    const due = async () => {
      const made = await make(weekly, { scheduledFor: "2026-11-16T07:00:00.000Z", isResumed: true });
      const [run] = readRows(weekly.database, "SELECT status, error FROM report_runs");
      return [run?.status, run?.error, made && exitCodeOfReport(made)];
    };
    for (const _ of [1, 2, 3, 4])
      expect(await due()).toEqual(["interrupted", "not yet delivered to every recipient", EXIT.undelivered]);
    expect(await due()).toEqual(["done", null, EXIT.done]);
    expect(hook.bodies).toHaveLength(15);
    expect(await due()).toEqual(["done", null, undefined]);
    expect(hook.bodies).toHaveLength(15);
  });

  it("gives up on a recipient after fifteen attempts, and after three in a manual run", async () => {
    await using hook = await startHook(...Array(19).fill(503));
    using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets: hook.secrets });
    const [scheduledFor, isResumed] = ["2026-11-16T07:00:00.000Z", true];
    for (const _ of [1, 2, 3, 4]) await make(weekly, { scheduledFor, isResumed });
    for (const options of [{ scheduledFor, isResumed }, {}]) {
      const made = await make(weekly, options);
      expect(made?.run.deliveries).toMatchObject([
        { status: "failed", attempts: made?.run.id === 1 ? 15 : 3 },
      ]);
      expect(made && exitCodeOfReport(made)).toBe(EXIT.undelivered);
    }
    expect(readRows(weekly.database, "SELECT status FROM report_runs")).toEqual([
      { status: "done" },
      { status: "done" },
    ]);
  });

  it("counts days from its due time, and delivers only changes on request", async () => {
    await using hook = await startHook();
    using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets: hook.secrets });
    const dueMs = Date.parse("2026-11-10T07:00:00.000Z");
    expect(await make(weekly, { dueMs, isOnlyRestated: true })).toMatchObject({ run: { deliveries: [] } });
    expect(hook.bodies).toEqual([]);
    expect(readRows(weekly.database, "SELECT range_to, scheduled_for FROM report_runs")).toEqual([
      { range_to: "2026-11-08", scheduled_for: null },
    ]);
  });

  it("delivers nothing from another token's account, and keeps its own token out of the ledger", async () => {
    await using hook = await startHook();
    const deliver = [...TO_HOOK, { command: ["cat", "/TOKEN-17"] }];
    const env = { CALLTALLY_BASE_URL: "https://api.example.com", CALLTALLY_TOKEN: "TOKEN-17" };
    using weekly = named({ ...LAST_WEEK, deliver }, { secrets: hook.secrets, env });
    const service = { baseUrl: new URL("https://api.example.com/"), isRebound: true };
    const bind = (token: string) => write(weekly, (tx) => claimWarehouse(tx, { ...service, token }, [], NOW));
    bind("other");
    await expect(make(weekly)).rejects.toThrow("token");
    expect(await make(weekly, { isDelivered: false })).toMatchObject({ run: { deliveries: [] } });
    expect(hook.bodies).toEqual([]);
    expect(readRows(weekly.database, "SELECT news_until FROM report_runs")).toEqual([{ news_until: null }]);
    bind("TOKEN-17");
    expect((await make(weekly))?.run.deliveries).toMatchObject([
      { status: "delivered" },
      { status: "failed", last_error: expect.stringContaining("/[secret]") },
    ]);
  });

  it("records its error with the place in the file", async () => {
    using weekly = named({ ...LAST_WEEK, filter: { source: "nowhere" } });
    const error = "reports.weekly: Cannot use filter.source nowhere";
    await expect(make(weekly)).rejects.toThrow(error);
    expect(readRows(weekly.database, "SELECT status, error, finished_at, folder FROM report_runs")).toEqual([
      { status: "failed", error: expect.stringContaining(error), finished_at: NOW, folder: null },
    ]);
  });

  it("stops at its signal, and is then made under the same id", async () => {
    const stop = new AbortController();
    await using hook = await startHook();
    using weekly = named({ ...LAST_WEEK, deliver: TO_HOOK }, { secrets: hook.secrets });
    const due = { scheduledFor: "2026-11-16T07:00:00.000Z" };
    stop.abort(new CalltallyError(EXIT.failed, "Stopped by SIGTERM", { hint: "" }));
    await expect(make(weekly, { ...due, signal: stop.signal })).rejects.toThrow("Stopped");
    expect(readRows(weekly.database, "SELECT status, error FROM report_runs")).toEqual([
      { status: "interrupted", error: "Stopped by SIGTERM" },
    ]);
    expect(await make(weekly, due)).toMatchObject({ run: { id: 1 } });
    expect(hook.bodies).toHaveLength(1);
  });

  it.each([
    { verdict: "exact", require: "verified", isDelivered: true },
    { verdict: "verified", require: "verified", isDelivered: true },
    { verdict: "probable", require: "verified", isDelivered: false },
    { verdict: "unverified", require: "verified", isDelivered: false },
    { verdict: "probable", isDelivered: true },
    { verdict: "unverified", isDelivered: true },
  ])("delivers a $verdict copy if it requires $require: $isDelivered", async (row) => {
    const { verdict, require, isDelivered } = row;
    await using hook = await startHook();
    using weekly = named({ ...LAST_WEEK, require, deliver: TO_HOOK }, { secrets: hook.secrets });
    write(weekly, ({ sqlite }) => sqlite.prepare("UPDATE sync_runs SET verdict = ?").run(verdict));
    const made = await make(weekly).catch((error: unknown) => error);
    if (isDelivered) expect(made).toMatchObject({ files: { manifest: { run: { verdict } } } });
    else
      expect(made).toMatchObject({
        exitCode: EXIT.undelivered,
        message: expect.stringMatching(
          /^Cannot deliver the report weekly, which requires a proven copy: (sync 1 was|Run 1, the last sync, is) .+/,
        ),
        hint: expect.stringMatching(/--full.* `calltally run` without --deliver makes the report anyway\.$/),
      });
    expect(hook.bodies).toHaveLength(Number(isDelivered));
    expect(existsSync(join(weekly.folder, "reports"))).toBe(isDelivered);
    expect(await make(weekly, { isDelivered: false })).toMatchObject({ run: { deliveries: [] } });
  });
});

describe("ring_back", () => {
  const MISSED = { caller_id: "+49 30 7", disposition: "busy", utm_source: "bing" };
  const calls = [
    ...CALLS,
    makeCall({ call_id: 20, ...MISSED, call_started: "2026-11-13T10:00:00.000Z" }),
    makeCall({ call_id: 21, ...MISSED, call_started: "2026-11-16T05:00:00.000Z" }),
    // Rang again, and was answered.
    makeCall({ call_id: 22, ...MISSED, caller_id: "+49308", call_started: "2026-11-14T10:00:00.000Z" }),
    makeCall({
      call_id: 23,
      caller_id: "+49308",
      call_started: "2026-11-15T10:00:00.000Z",
      disposition: "answered",
    }),
  ];
  const env = { CALLTALLY_HOURS: "Mon 04:00-06:00" };

  it.each(["times", "numbers", undefined])(
    "lists callers in mails by %s, and never in web hooks",
    async (ring_back) => {
      await using hook = await startHook();
      await using mail = await startMailServer({ lacksTls: true });
      const email = { email: { to: ["owner@example.com"], from: "calls@example.com" } };
      const top = { smtp_url_file: "smtp.url" };
      const secrets = { ...hook.secrets, "smtp.url": `smtp://127.0.0.1:${mail.port}` };
      const content = { ...LAST_WEEK, personal_data: true, deliver: [...TO_HOOK, email] };
      using weekly = named({ ...content, ...(ring_back && { ring_back }) }, { calls, env, top, secrets });
      await make(weekly);
      const [text = ""] =
        /To ring back[\s\S]*?\r\n\r\n/.exec((mail.taken[0]?.raw ?? "").replaceAll("=\r\n", "")) ?? [];
      const number = ring_back === "numbers" ? ": +49 30 7" : "";
      const lines = text.trim().split("\r\n");
      expect(lines.slice(0, 2)).toEqual(
        ring_back === undefined
          ? [""]
          : ["To ring back: 4 callers", `- 2026-11-16 05:00, 2 missed calls, in hours, from bing${number}`],
      );
      expect(text).not.toContain("49308");
      expect(JSON.stringify(hook.bodies)).not.toMatch(/ring|49 30 7/);
    },
  );
});

const ACCOUNTS = { acme: { base_url: "https://api.example.com", token_file: "hook.url" } };
