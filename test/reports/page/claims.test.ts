import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { tryAcquireLock } from "../../../src/warehouse/file/lock.ts";
import { makeWarehouse, RUN_FINISHED_AT } from "../../support/figures/produce-files.ts";
import { readTables } from "../../support/page.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const DAYS = { from: "2026-08-31", to: "2026-09-27" };
/** Finds the head of the page with the completeness of the copy. */
const VERDICT = /<div class="verdict (\w+)">(.*?)<a /s;

const call = (id: number, members: Partial<Call> = {}) =>
  makeCall({ call_id: id, call_started: "2026-09-10T10:00:00.000Z", ...members });

interface Options {
  sql?: string;
  range?: { from: string; to: string };
  timezone?: string;
  /** Whether a sync is running meanwhile. */
  isLocked?: boolean;
}

/** Returns the page of these calls, its headings, and its statement about the copy. */
async function report(calls: readonly Call[], { sql, range = DAYS, timezone, isLocked }: Options = {}) {
  using warehouse = makeWarehouse(calls);
  if (sql !== undefined) warehouse.execute(sql);
  const options = { range, timezone, grain: "day", compare: "previous" } as const;
  using _lock = isLocked ? tryAcquireLock(warehouse.database) : undefined;
  await warehouse.export({ targets: [{ kind: "page" }], ...options });
  const page = readFileSync(join(warehouse.folder, "report.html"), "utf8");
  const [, trust = "", verdict = ""] = VERDICT.exec(page) ?? [];
  return {
    page,
    titles: [...page.matchAll(/<h[23][^>]*>(.*?)<\/h[23]>/gs)].map(([, title = ""]) =>
      title.replace(/<[^>]*>/g, ""),
    ),
    verdict: verdict
      .replace(/<\/?(?:p|li|summary)>/g, " ")
      .replace(/<[^>]*>/g, "")
      .replace(/ +/g, " "),
    trust,
  };
}

describe("titles of a report", () => {
  it("name no leader if several are tied", async () => {
    const calls = [1, 2, 3, 4].map((id) =>
      call(id, {
        call_started: `2026-09-1${id}T1${id}:00:00.000Z`,
        utm_source: `source ${id}`,
        utm_medium: id % 2 ? "cpc" : "email",
        utm_campaign: `campaign ${id}`,
      }),
    );
    expect((await report(calls)).titles.slice(0, 7)).toEqual([
      "4 calls in 28 days, at most 1 in one day",
      "No channel leads: several have 2 of 4 calls each",
      "Sources: none of 4 leads, several have 1 call each",
      "Campaigns: none of 4 leads, several have 1 call each",
      "When calls come, and when they are missed",
      "Calls: at most 1 in one hour of the week",
      "Missed calls: none",
    ]);
  });

  it("describe a single call on a single day", async () => {
    const { titles, page } = await report(
      [call(1, { duration: null, disposition: "NO ANSWER", utm_term: "a" })],
      {
        range: { from: "2026-09-10", to: "2026-09-10" },
      },
    );
    expect(titles.slice(0, 9)).toEqual([
      "1 call in 1 day",
      "Unassigned is the only channel, with 1 call",
      "Sources: no call has one",
      "Campaigns: no call has one",
      "When calls come, and when they are missed",
      "Calls: most on Thursday from 10:00 to 11:00 (1)",
      "Missed calls: 100.0% of all, and no hour of the week has more beyond chance",
      "0 callers called for the first time",
      "No call has a duration",
    ]);
    expect(page).toContain("1 day is not a whole number of weeks");
  });

  it("do not treat calls without a source as a source, and include the year of a day", async () => {
    const untagged = { utm_term: "a" };
    const calls = [call(1, untagged), call(2, untagged), call(3, { utm_source: "google" })];
    const { titles } = await report([
      ...calls,
      call(4, { utm_source: "bing" }),
      call(5, { utm_source: "bing" }),
      call(6, untagged),
    ]);
    expect(titles[0]).toBe("6 calls in 28 days, most on 10 Sep 2026 (6)");
    expect(titles[2]).toBe("Sources: bing is first of 2, with 2 calls");
  });

  it("count qualified calls as the headline does, and average calls with a duration", async () => {
    const { titles, page } = await report([
      call(1, { duration: 90, disposition: "ANSWERED" }),
      call(2, { duration: 90, disposition: "NO ANSWER" }),
      call(3, { duration: null, disposition: "ANSWERED" }),
    ]);
    expect(titles).toContain("1 of 3 calls qualified: answered, and 1:00 or longer");
    expect(page).toContain("Of the calls that have a duration: average");
  });

  it("name the largest rise and fall beyond chance", async () => {
    const calls = (campaign: string, ...counts: [before: number, now: number]) =>
      counts.flatMap((count, index) =>
        Array.from({ length: count }, (_, at) =>
          call(0, {
            call_started: new Date(Date.UTC(2026, 7, index === 0 ? 10 : 31) + at * 3_600_000).toISOString(),
            utm_campaign: campaign,
          }),
        ),
      );
    const all = [...calls("risen", 10, 60), ...calls("fallen", 70, 20), ...calls("steady", 30, 36)];
    const { page } = await report(
      [call(0, { call_started: "2026-07-01T10:00:00.000Z" }), ...all].map((each, index) => ({
        ...each,
        call_id: index + 1,
      })),
    );
    const movers = readTables(page).filter(({ head }) => head[0] === "What");
    expect(movers.map(({ rows }) => rows.map((row) => row.map(({ text }) => text)))).toEqual([
      [["Campaign risen", "+50", "60", "10"]],
      [["Campaign fallen", "-50", "20", "70"]],
    ]);
  });

  it("distinguish days of two years, whose bars are not hidden by gaps", async () => {
    const { page } = await report([call(1)], { range: { from: "2025-08-01", to: "2026-09-27" } });
    expect(page).toContain(">1 Aug 2025</text>");
    const pictures = [page, (await report([call(1)])).page].map(
      (text) => /<svg role="img".*?<\/svg>/s.exec(text)?.[0],
    );
    expect(pictures.map((svg) => svg?.includes('stroke="var(--paper)"'))).toEqual([false, true]);
  });
});

describe("statement of a report about the copy", () => {
  it.each([
    {
      copy: "with a proven pass after these days",
      sql: "SELECT 1",
      trust: "proven",
      says: "Complete as of 1 Oct 2026 00:01 (UTC). 3 things to know. Run 1 proved that it read every call. The last sync, 1 Oct 2026 00:01 (UTC), is exact.",
    },
    {
      copy: "with a last sync that ended within these days",
      sql: "UPDATE sync_runs SET finished_at = '2026-09-20T00:00:00.000Z'",
      trust: "proven",
      says: "ends after the last sync, 20 Sep 2026 00:00 (UTC): later calls are not here yet.",
    },
    {
      copy: "that was proven only before these days",
      sql: `UPDATE sync_runs SET finished_at = '2026-08-01T00:00:00.000Z';
        INSERT INTO sync_runs (started_at, finished_at, status, mode, plan_reason, pid, verdict, verdict_reason)
        VALUES ('${RUN_FINISHED_AT}', '${RUN_FINISHED_AT}', 'done', 'incremental', 'a test', 1, 'probable', 'The counts agree')`,
      trust: "usual",
      says: "Not proven complete for these days. Last sync: 1 Oct 2026 00:01 (UTC). 3 things to know. Run 1 proved at 1 Aug 2026 00:00 (UTC) that it read every call. The last sync, 1 Oct 2026 00:01 (UTC), is probable.",
    },
    {
      copy: "with rows that could not all be read",
      sql: `INSERT INTO rejected_calls (row_key, json, path, reason, first_run_id, last_run_id)
        VALUES ('x', '{}', 'call_id', 'is missing', 1, 1)`,
      trust: "proven",
      says: "is exact. Caution: 1 row of the service (50.0%) could not be read, and is in no figure.",
    },
    {
      copy: "with an unverified sync and a hostile reason",
      sql: "UPDATE sync_runs SET verdict = 'unverified', verdict_reason = '</p><script>'",
      trust: "doubtful",
      says: "In doubt.",
    },
    {
      copy: "that calltally demo made",
      sql: "UPDATE origin SET is_demo = 1",
      trust: "proven",
      says: "These calls are made up: calltally demo made the warehouse.",
    },
  ])("the statement is true for a copy $copy", async ({ sql, trust, says }) => {
    const found = await report([call(1)], { sql });
    expect(found.verdict).toContain(says);
    expect(found.trust).toBe(trust);
    expect(found.page).not.toContain("<script");
  });

  it("shows when the last sync ended and the newest call began in the zone of the page", async () => {
    const { page, verdict } = await report([call(1)], { timezone: "Pacific/Honolulu" });
    const [, newest] = /<dt>Newest call<\/dt><dd>(.*?)<\/dd>/.exec(page) ?? [];
    expect(newest).toBe("10 Sep 2026 00:00 (UTC-10:00).");
    expect(page).toContain("as clocks in Pacific/Honolulu showed them");
    expect(verdict).toContain("Complete as of 30 Sep 2026 14:01 (UTC-10:00).");
    expect(verdict).toContain("The last sync, 30 Sep 2026 14:01 (UTC-10:00), is exact.");
  });

  it("does not count callers of an unfinished first load as known", async () => {
    const { page, titles } = await report([call(1, { caller_id: "+491" })], {
      sql: "INSERT INTO counts (name, value) VALUES ('unsettled_calls', 1) ON CONFLICT DO UPDATE SET value = 1",
      isLocked: true,
    });
    expect(titles).toContain("First-time callers are unknown until the first load has finished");
    expect(page).toContain('<span class="name">First-time callers</span><span class="figure">–</span>');
    expect(page).not.toContain("called before");
  });

  it("show first-time callers in each table, and unknown ones in none during a first load", async () => {
    const calls = [
      call(1, { caller_id: "+491", utm_source: "a", campaign_name: "x" }),
      call(2, { caller_id: "+492", utm_source: "b", campaign_name: "y" }),
    ];
    const columns = (page: string) =>
      readTables(page).flatMap(({ label, head, rows }) => {
        const place = head.findIndex((name) => /first-time/i.test(name));
        return place < 0 ? [] : [[label, ...rows.map((row) => row[place]?.text)]];
      });
    expect(columns((await report(calls)).page)).toEqual([
      ["Calls by channel", "2", "2"],
      ["Calls by source", "1", "1", "2"],
      ["Calls by campaign", "1", "1", "2"],
    ]);
    const loading = await report(calls, {
      sql: "INSERT INTO counts (name, value) VALUES ('unsettled_calls', 1) ON CONFLICT DO UPDATE SET value = 1",
      isLocked: true,
    });
    expect(columns(loading.page)).toEqual([
      ["Calls by channel", "–", "–"],
      ["Calls by source", "–", "–", "–"],
      ["Calls by campaign", "–", "–", "–"],
    ]);
  });
});

describe("rows of a report", () => {
  it("a thousand campaigns with an id and no name get 26 rows", async () => {
    const calls = Array.from({ length: 2000 }, (_, index) =>
      call(index, { campaign_id: `id ${index % 1000}` }),
    );
    const { page, titles } = await report([...calls, call(2000)]);
    const table = readTables(page).find(({ label }) => label === "Calls by campaign");
    expect(table?.rows.map(([name]) => name?.text).slice(-3)).toEqual([
      "(not set)",
      "(other): 975 more",
      "(total)",
    ]);
    expect(table?.rows).toHaveLength(28);
    expect(titles[3]).toBe("Campaigns: none of 1,000 leads, several have 2 calls each");
  });
});
