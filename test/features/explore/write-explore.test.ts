import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PageCalls } from "../../../src/features/explore/browser/page-calls.ts";
import { defaultView } from "../../../src/features/explore/browser/view.ts";
import { statementsOfView } from "../../../src/features/explore/browser/view-statements.ts";
import { findPersonalFiles } from "../../../src/operate/forget/personal-files.ts";
import { isOf, verifyFile } from "../../../src/operate/verify/verify-files.ts";
import { CALL_FACTS } from "../../../src/warehouse/calls/facts.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import "../../support/built.ts"; // for the script of the page
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { readPage } from "./read-page.ts";

const CALLS = Array.from({ length: 40 }, (_, index) => ({
  ...FULL_CALL,
  call_id: 731_000_000 + index,
  caller_id: `+4930123${400 + (index % 20)}`,
  call_started: new Date(Date.UTC(2026, 8, 1 + (index % 5), 14, index, 7, 125)).toISOString(),
}));

const EXPLORE = { kind: "explore", dimensions: ["channel", "campaign", "hour"] } as const;

async function makePage() {
  const warehouse = makeWarehouse(CALLS);
  await warehouse.export({ targets: [EXPLORE] });
  const file = join(warehouse.folder, "explore.html");
  return { ...warehouse, file, read: () => readFileSync(file, "utf8"), unpack: () => readPage(file).data };
}

/** SQL that adds so many copies of the facts of one call, a second apart. */
function copies(count: number): string {
  const others = CALL_FACTS.columns.map(({ name }) => name).filter((name) => name !== "call_id");
  const values = others.map((name) =>
    name === "call_started" ? "strftime('%Y-%m-%dT%H:%M:%fZ', call_started, value || ' seconds')" : name,
  );
  return `PRAGMA foreign_keys = OFF;
WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count})
INSERT INTO call_facts (call_id, ${others.join(", ")})
SELECT value, ${values.join(", ")} FROM series CROSS JOIN (SELECT * FROM call_facts LIMIT 1)`;
}

it.each([
  // A day begins there at 10:00 UTC.
  ["Pacific/Honolulu", "2026-04-02T10:00:00.000Z", "2026-04-02", "2026-07-01"],
  ["Pacific/Honolulu", "2026-04-02T10:00:00.001Z", "2026-04-03", "2026-07-02"],
  // and there at 13:00 UTC, from 5 April on at 13:30.
  ["Australia/Lord_Howe", "2026-04-01T13:00:00.000Z", "2026-04-02", "2026-07-01"],
  ["Australia/Lord_Howe", "2026-04-01T13:00:00.001Z", "2026-04-03", "2026-07-01"],
  ["Australia/Lord_Howe", "2026-04-01T13:30:00.001Z", "2026-04-03", "2026-07-02"],
])(
  "a page in %s whose first call came at %s has all calls from %s on, and knows first-time callers from %s on",
  async (timezone, call_started, coveredFrom, historyFrom) => {
    using warehouse = makeWarehouse([{ ...FULL_CALL, call_started }]);
    await warehouse.export({ targets: [EXPLORE], timezone });
    const { facts } = readPage(join(warehouse.folder, "explore.html"));
    expect(facts).toMatchObject({ coveredFrom, historyFrom });
  },
);

it.each([
  // The last sync ended at 00:01 UTC on 1 October, so that calls are settled until 00:01 on 28 September.
  {
    ...{ timezone: "Pacific/Honolulu", last: "2026-09-26", first: "2026-09-27" },
    ...{ today: "2026-09-30", until: "30 Sep 2026 14:01 (UTC-10:00)" },
  },
  {
    ...{ timezone: "Australia/Lord_Howe", last: "2026-09-27", first: "2026-09-28" },
    ...{ today: "2026-10-01", until: "1 Oct 2026 10:31 (UTC+10:30)" },
  },
])(
  "the statements of a page in $timezone warn of $first, whose calls may still change, and not of $last",
  async ({ timezone, last, first, today, until }) => {
    const calls = Array.from({ length: 30 }, (_, index) => ({
      ...FULL_CALL,
      ...{ call_id: index + 1, call_started: `2026-09-${String(index + 1).padStart(2, "0")}T23:00:00.000Z` },
    }));
    using warehouse = makeWarehouse(calls);
    await warehouse.export({ targets: [EXPLORE], timezone });
    const { facts, data } = readPage(join(warehouse.folder, "explore.html"));
    const source = { facts, calls: new PageCalls(facts, data) };
    const statementsOf = (to: string) =>
      statementsOfView(source, { ...defaultView(facts, ["calls"]), days: { from: "2026-09-26", to } });
    const isWarned = (to: string) => statementsOf(to).some(({ id }) => id === "provisional");
    expect([isWarned(last), isWarned(first)]).toEqual([false, true]);
    const unfinished = statementsOf(today).find(({ id }) => id === "unfinished");
    expect(unfinished?.values).toMatchObject({ until });
  },
);

describe("page to explore", () => {
  it("writes days and hours instead of times, and nothing that identifies a call or a caller", async () => {
    using page = await makePage();
    const html = page.read();
    const { columns, values } = page.unpack();
    expect([...columns.keys()]).toEqual([
      "day",
      "channel",
      "campaign",
      "campaign_id",
      "hour",
      "marks",
      "duration",
      "caller",
    ]);
    expect(values.hour).toEqual(["14"]);
    const texts = html.replace(/<script>[\s\S]*/, "") + JSON.stringify(values);
    for (const secret of [
      "731000",
      "30123",
      "14:0",
      FULL_CALL.gclid,
      FULL_CALL.summary,
      "123.456",
      "recordings",
    ])
      expect(texts).not.toContain(secret);
  });

  it("sorts calls by their shown values, and numbers callers randomly in each file", async () => {
    using page = await makePage();
    const first = page.unpack();
    await page.export({ targets: [EXPLORE] });
    const second = page.unpack();
    const callers = ({ columns }: typeof first) => [...(columns.get("caller") ?? [])];
    expect(callers(second)).not.toEqual(callers(first));
    expect(new Set(callers(second))).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 1)));
    const rows = Array.from({ length: first.rows }, (_, row) =>
      [...first.columns.values()].map((own) => own[row] ?? 0),
    );
    const order = (a: number[], b: number[]) =>
      a.map((own, index) => own - (b[index] ?? 0)).find(Boolean) ?? 0;
    expect(rows).toEqual(rows.toSorted(order));
  });

  it("lists calls by time on request: what the list calls has of them, and what decided the source", async () => {
    using page = await makePage();
    const own = { targets: [EXPLORE], rows: true };
    await page.export(own);
    const { columns, values } = page.unpack();
    const listed = [...columns.keys()].filter((name) => name.startsWith("call."));
    expect(listed).toEqual(
      ["call_id", "call_started_local", "duration_seconds", "disposition", "source_rule"].map(
        (name) => `call.${name}`,
      ),
    );
    const rows = Array.from({ length: CALLS.length }, (_, row) =>
      listed.map((name) => values[name]?.[columns.get(name)?.[row] ?? 0]),
    );
    const byTime = CALLS.toSorted((a, b) => (a.call_started < b.call_started ? -1 : 1));
    expect(rows).toEqual(
      byTime.map((call) => [
        call.call_id,
        call.call_started.slice(0, 19).replace("T", " "),
        call.duration,
        call.disposition,
        "utm",
      ]),
    );
    expect(statSync(page.file).mode & 0o077).not.toBe(0);
    const text = JSON.stringify(values);
    for (const secret of ["30123", FULL_CALL.summary, FULL_CALL.gclid]) expect(text).not.toContain(secret);

    await page.export({ ...own, targets: [{ ...EXPLORE, with: ["caller_id", "summary"] }] });
    const all = page.unpack();
    expect(new Set(all.values["call.caller_id"])).toEqual(new Set(CALLS.map(({ caller_id }) => caller_id)));
    expect(all.values["call.summary"]).toEqual([FULL_CALL.summary]);
    expect(statSync(page.file).mode & 0o777).toBe(0o600);
  });

  it("refuses to list more than 100,000 calls, or more text than a browser takes", async () => {
    using page = await makePage();
    page.execute(copies(99_961));
    await expect(page.export({ targets: [EXPLORE], rows: true })).rejects.toThrow(
      "that lists 100001 calls: the maximum is 100000",
    );
    using long = makeWarehouse(
      CALLS.map((call, index) => ({ ...call, transcription: `${index} `.padEnd(1_000_000, "word ") })),
    );
    const own = { targets: [{ ...EXPLORE, with: ["transcription"] as const }], rows: true };
    await expect(long.export(own)).rejects.toThrow("their texts have more than 25 million characters");
  });

  it("refuses more than 250,000 calls", async () => {
    using page = await makePage();
    page.execute(copies(249_961));
    await expect(page.export({ targets: [EXPLORE] })).rejects.toThrow(
      "of 250001 calls: the maximum is 250000",
    );
  });

  it("verify checks the recorded hash of the page's bytes at any path", async () => {
    using page = await makePage();
    const says = async (path: string) => {
      const open = (id: string) => {
        const reader = openReader(page.database);
        return isOf(reader, id) ? reader : undefined;
      };
      const [found] = await Array.fromAsync(verifyFile(path, open));
      return found?.message.replace(page.folder, "");
    };
    const moved = join(page.folder, "moved.html");
    writeFileSync(moved, page.read());
    expect(await says(moved)).toMatch(/^\/moved.html is as it was exported at 2026-10-01T/);
    writeFileSync(moved, page.read().replace("Calls, ", "Fewer, "));
    expect(await says(moved)).toMatch(/^\/moved.html is not a file that .* recorded$/);
  });

  it("forget names the page among its files, since it cannot be searched", async () => {
    using page = await makePage();
    using reader = openReader(page.database);
    const found = findPersonalFiles(reader, {
      exportFolder: page.folder,
      traces: { numbers: ["+4930123400"], texts: [] },
      suspects: new Set(),
      maskJson: (json) => json,
    });
    expect(found).toEqual([{ path: page.file, holds: "perhaps" }]);
  });
});
