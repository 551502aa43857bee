import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lte } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { type SyncRun, startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { readBySheetJs } from "../../export/workbook-readers.ts";
import { startMailServer } from "../../reports/delivery/mail-server.ts";
import { startServer } from "../../support/services/server.ts";
import { readFiles, readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { type Folder, makeCallsFolder } from "../folder.ts";

/** Calls by utm_source and month: each number of callers. */
const CALLS: Record<string, Record<string, number>> = {
  "2026-09": { google: 12, bing: 4, meta: 2, "": 1 },
  "2026-10": { google: 9, bing: 6, meta: 5, "": 3 },
  "2026-11": { google: 2, bing: 1 },
};

const makeFolder = (sources = CALLS) => {
  let id = 0;
  const calls = Object.entries(sources).flatMap(([month, counts]) =>
    Object.entries(counts).flatMap(([source, count]) =>
      Array.from({ length: count }, () =>
        makeCall({
          call_id: ++id,
          call_started: `${month}-10T12:00:00.000Z`,
          caller_id: `+4930${1000 + id}`,
          utm_source: source || null,
        }),
      ),
    ),
  );
  const folder = makeCallsFolder(calls);
  return Object.assign(folder, { exports: join(folder.path, "data/exports") });
};

/** Records full and incremental passes with a result, on 1 November. */
function recordRuns(
  { database }: Folder,
  results: readonly Pick<SyncRun, "mode" | "verdict">[],
  withheld = 0,
) {
  using warehouse = openExistingWarehouse(database);
  const started_at = "2026-11-01T00:00:00.000Z";
  const ended = { status: "done", finished_at: "2026-11-01T00:01:00.000Z" } as const;
  for (const { mode, verdict } of results) {
    const run = startRun(warehouse, { started_at, mode, plan_reason: "a test", pid: 1 });
    const verdict_reason = "61 calls read, total 61";
    updateRun(warehouse, run, { ...ended, verdict, verdict_reason, calls_withheld: withheld });
  }
}

describe("export --min-cell", () => {
  it("counts combined rows in the manifest, and leaves gclid out of the default files", async () => {
    using folder = makeFolder();
    const { stdout } = await folder.run("export --min-cell 5");
    expect(stdout).toContain("utm_source.csv  3 rows, 45 calls; 2 rows in (other)\n");
    expect(readdirSync(folder.exports).toSorted()).toEqual([
      "campaign.csv",
      "manifest.json",
      "utm_source.csv",
    ]);
    expect(JSON.parse(readText(folder.exports, "manifest.json")).files[0]).toMatchObject({
      min_cell: 5,
      rows_in_other: 2,
      calls_in_other: 11,
      blank_rows: 0,
    });
  });

  it.each(["csv", "json", "ndjson", "parquet", "xlsx"])(
    "refuses %s with a phone number, names its place but not the number, and keeps the existing files",
    async (format) => {
      using folder = makeFolder({ "2026-09": { google: 9, "call (415) 555-2671": 6 } });
      await folder.run("export channel --min-cell 5");
      const before = readFiles(folder.exports);
      const file = format === "xlsx" ? "calltally.xlsx, table utm_source" : `utm_source.${format}`;
      for (const where of ["", " --stdout"]) {
        const refused = await folder.run(`export utm_source --min-cell 5 --format ${format}${where}`);
        expect(refused).toMatchObject({ code: 2, stdout: "" });
        expect(refused.stderr).toContain(
          `Cannot write ${file}: row 2, column utm_source, looks like a phone number\n`,
        );
        expect(refused.stderr).not.toMatch(/2671/);
      }
      expect(readFiles(folder.exports)).toEqual(before);
      expect((await folder.run(`export utm_source --min-cell 7 --format ${format}`)).code).toBe(0);
    },
  );

  it("refuses a filter that the manifest would show", async () => {
    using folder = makeFolder();
    expect(await folder.run("export --source jane@example.com --allow-empty --min-cell 5")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "Cannot write manifest.json: filter source, looks like a mail address\n",
      ),
    });
  });
});

describe("share-safe report", () => {
  it("shows in no mail, web hook, manifest or About sheet how many calls a row without figures has", async () => {
    using folder = makeFolder({ "2026-09": { google: 31, bing: 26 }, "2026-10": { google: 4 } });
    recordRuns(
      folder,
      [
        { mode: "full", verdict: "probable" },
        { mode: "incremental", verdict: "unverified" },
      ],
      4,
    );
    {
      using warehouse = openExistingWarehouse(folder.database);
      const unlisted_since = "2026-11-01T00:00:00.000Z";
      warehouse.db.update(calls).set({ unlisted_since }).where(lte(calls.call_id, 3)).run();
    }
    await using hook = await startServer();
    await using mail = await startMailServer({ lacksTls: true });
    const { write } = folder;
    write("smtp.url", `smtp://127.0.0.1:${mail.port}?from=calls@example.com`);
    write("hook.url", hook.url.href);
    const report = (name: string, format: string) => `  ${name}:
    contents: [utm_source]
    range: { from: 2026-09-01, to: 2026-10-31 }
    grain: month
    total: true
    min_cell: 5
    format: ${format}
    deliver: [{ email: { to: [a@acme.example] } }, { webhook: { url_file: hook.url } }]
`;
    write(
      "calltally.yaml",
      `smtp_url_file: smtp.url\nreports:\n${report("table", "csv")}${report("book", "xlsx")}`,
    );
    const { code, stderr } = await folder.run("run table book --deliver");
    expect([code, stderr]).toEqual([3, ""]);
    const read = (file: string) => readFileSync(join(folder.path, "reports", file));
    expect(read("table/utm_source.csv").toString()).toContain("2026-10,2026-10-01,(other),,,");
    const manifests = ["table", "book"].map((name) => read(`${name}/manifest.json`).toString());
    const sheets = readBySheetJs(read("book/calltally.xlsx"));
    const mails = mail.taken.map(({ raw }) => raw.slice(0, raw.indexOf("Content-Disposition: attachment")));
    const bodies = hook.requests.map(({ body }) => String(body));
    expect([mails.length, bodies.length]).toEqual([2, 2]);
    const all = [...mails, ...bodies, ...manifests, JSON.stringify(sheets.About)];
    // All of its headline figures are withheld.
    expect(Object.keys(sheets)).toEqual(["utm_source", "About"]);
    for (const one of all) expect(one).not.toMatch(/\b61\b|\b4 calls|"withheld_calls": 4|unlisted/i);
    expect(all.map((one) => /the reason counts calls/.test(one.replaceAll(/=\r\n/g, "")))).toEqual(
      all.map(() => true),
    );
    expect(
      bodies.map((body) => JSON.parse(body).headline.map(({ value }: { value: string }) => value)),
    ).toEqual(bodies.map(() => ["–", "–", "–", "–", "–"]));
    expect(JSON.parse(manifests[0] ?? "")).toMatchObject({
      statements: expect.arrayContaining([
        expect.objectContaining({ id: "withheld_calls", values: { calls: null } }),
      ]),
      files: [{ rows_in_other: 0, blank_rows: 1 }],
    });
  });
});
