import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { readBySheetJs } from "../export/workbook-readers.ts";
import { readLines } from "../support/figures/tables.ts";
import { BIN, HAS_PROCESSES } from "../support/run.ts";
import { listFiles, readText } from "../support/temp-folder.ts";
import { FULL_CALL, makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse, markGone } from "../support/warehouses/warehouse.ts";
import { makeCallsFolder, makeFolder } from "./folder.ts";

const DAY_MS = 24 * 3_600_000;
/** Noon in UTC, that many days ago. */
const daysAgo = (days: number) =>
  `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)}T12:00:00.000Z`;

const FORMULA = '=HYPERLINK("https://example.com";"see")';
const CAMPAIGN = 'Herbst, "groß"\r\n🍂; -1+1';

const CALLS = [
  {
    call_started: "2025-03-29T23:30:00.000Z", // the 30th in Berlin
    caller_id: "+4930555",
    duration: 0,
    disposition: "BUSY",
    utm_source: "newsletter",
    utm_medium: "email",
  },
  {
    call_started: "2025-03-30T22:00:00.000Z", // the 31st in Berlin, since clocks changed
    caller_id: "+49 30 555",
    duration: 61,
    disposition: "ANSWERED",
    utm_source: "NEWSLETTER ",
    utm_medium: "email",
  },
  {
    call_started: daysAgo(40),
    caller_id: "+4930111",
    duration: 90,
    disposition: "ANSWERED",
    tracking_number: "+49 89 100",
    org_unit_id: 7,
    org_unit_name: "Munich",
    utm_source: "Google",
    utm_medium: "cpc",
    gclid: "CjABC",
    campaign_id: "99",
  },
  {
    call_started: daysAgo(20),
    caller_id: "+4930111",
    duration: 60,
    disposition: "TRANSFERRED",
    org_unit_id: 8,
    org_unit_name: "Berlin",
    utm_source: "google",
    utm_medium: "cpc",
    gclid: "CjABC",
  },
  {
    call_started: daysAgo(2),
    caller_id: "+4930222",
    duration: 0,
    disposition: "NO ANSWER",
    org_unit_name: "Berlin",
    utm_source: FORMULA,
    campaign_name: CAMPAIGN,
  },
].map((members, index) => makeCall({ call_id: index + 1, ...members }));
/** More than a pipe holds. */
const MANY = Array.from({ length: 2000 }, (_, index) => ({ ...FULL_CALL, call_id: index + 1 }));

/** The cautions for few and recent calls. */
const CAUTIONS =
  /^(First-time callers of .* may be too many|The change of first-time callers is not computed|The latest days are provisional|The days compared with begin on 29 Mar 2025)[:,] .*\n/gm;

/** A folder with a warehouse of {@link CALLS}, and how to run `export` in it. */
function makeSyncedFolder() {
  const folder = makeCallsFolder(CALLS);
  const run = async (first = "", ...args: string[]) => {
    const finished = await folder.run(`export ${first}`.trimEnd(), ...args);
    expect(finished, [first, ...args].join(" ")).toMatchObject({ code: 0 });
    return finished;
  };
  return {
    path: folder.path,
    exports: join(folder.path, "data/exports"),
    run,
    /** Exports one file to standard output; returns its rows under their columns' names. */
    rows: async (...args: string[]): Promise<Record<string, string>[]> => {
      const { stdout, stderr } = await run(...args, "--stdout");
      expect(stderr.replace(CAUTIONS, "")).toBe("");
      const [header = [], ...lines] = readLines(stdout);
      return lines.map((line) => Object.fromEntries(header.map((name, place) => [name, line[place] ?? ""])));
    },
    /** The ids of the calls that `export calls` lists with these flags. */
    ids: async (...args: string[]): Promise<number[]> => {
      const { stdout } = await run("calls", "--stdout", ...args);
      return readLines(stdout)
        .slice(1)
        .map(([id]) => Number(id));
    },
    markGone: (...ids: number[]) => {
      using warehouse = openExistingWarehouse(folder.database);
      markGone(warehouse, ids, "2026-01-01T00:00:00.000Z");
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe.concurrent("calltally export", () => {
  it("selects calls by its flags", async () => {
    using folder = makeSyncedFolder();
    writeFileSync(join(folder.path, "test-calls.txt"), "+49 (30) 555 # ours\r\n\n# nothing\n4930111");
    const flags = {
      all: [],
      utc: ["--from", "2025-03-30", "--to", "2025-03-30"],
      berlin: ["--from", "2025-03-30", "--to", "2025-03-30", "--timezone", "Europe/Berlin"],
      last: ["--last", "7d"],
      orgUnit: ["--org-unit", "Munich", "--org-unit", "8"],
      channel: ["--channel", "paid search", "--channel", "Email"],
      source: ["--source", "GOOGLE"],
      campaign: ["--campaign", "99", "--campaign", CAMPAIGN],
      disposition: ["--disposition", "no-answer", "--disposition", "busy"],
      minDuration: ["--min-duration", "61"],
      hasGclid: ["--has-gclid"],
      trackingNumber: ["--tracking-number", "+49 (89) 100"],
      excludeCallers: ["--exclude-callers", "test-calls.txt"],
      firstTime: ["--first-time"],
      together: ["--source", "google", "--min-duration", "61"],
      nothing: ["--source", "nowhere", "--allow-empty"],
    };
    const picked = Object.entries(flags).map(async ([name, args]) => [name, await folder.ids(...args)]);
    expect(Object.fromEntries(await Promise.all(picked))).toEqual({
      all: [1, 2, 3, 4, 5],
      utc: [2],
      berlin: [1],
      last: [5],
      orgUnit: [3, 4],
      channel: [1, 2, 3, 4],
      source: [3, 4],
      campaign: [3, 5],
      disposition: [1, 5],
      minDuration: [2, 3],
      hasGclid: [3, 4],
      trackingNumber: [3],
      excludeCallers: [5],
      firstTime: [1, 3, 5],
      together: [3],
      nothing: [],
    });
    folder.markGone(3);
    expect(await folder.ids("--has-gclid")).toEqual([4]);
    expect(await folder.ids("--has-gclid", "--include-gone")).toEqual([3, 4]);
  });

  it("tallies by its flags for figures", async () => {
    using folder = makeSyncedFolder();
    const spring = ["--from", "2025-03-29", "--to", "2025-03-31"];
    const berlin = [...spring, "--timezone", "Europe/Berlin"];
    const halfYear = ["--from", "2025-01-01", "--to", "2025-06-30"];
    const flags = {
      raw: ["utm_source", "--raw"],
      by: ["--by", "source,medium", "--total"],
      fill: ["channel", ...berlin, "--grain", "day", "--fill"],
      hours: ["--by", "weekday,hour", ...spring],
      localHours: ["--by", "weekday,hour", ...berlin],
      top: ["source", "--top", "1", "--total", "--grain", "quarter", "--fill", ...halfYear, "--include-gone"],
      other: ["--by", "source,campaign", "--top", "1"],
      // The first synced call is within the compared days.
      compare: ["channel", "--from", "2025-03-30", "--to", "2025-03-30", "--compare", "previous"],
    };
    const shown = ["period", "utm_source", "channel", "source", "medium", "weekday", "hour", "campaign"];
    const tallied = Object.entries(flags).map(async ([name, args]) => [
      name,
      (await folder.rows(...args)).map((row) =>
        [...shown, "calls", "calls_previous"].flatMap((column) => row[column] ?? []).join(" "),
      ),
    ]);
    expect(Object.fromEntries(await Promise.all(tallied))).toEqual({
      raw: [`'${FORMULA} 1`, "Google 1", "NEWSLETTER  1", "google 1", "newsletter 1"],
      by: ["google cpc 2", "newsletter email 2", `'${FORMULA.toLowerCase()} (not set) 1`, "(total)  5"],
      fill: ["2025-03-29 Email 0", "2025-03-30 Email 1", "2025-03-31 Email 1"],
      hours: ["Saturday 23 1", "Sunday 22 1"],
      localHours: ["Monday 00 1", "Sunday 00 1"],
      top: ["2025-Q1 newsletter 2", "2025-Q2 newsletter 0", "(total)  2"],
      other: ["newsletter (not set) 2", "(other)  3"],
      compare: ["Email 1 "],
    });
    const { stdout } = await folder.run("source --top 2");
    expect(stdout).toMatch(/^data\/exports\/source\.csv {2}3 rows, 5 calls; 1 key in \(other\)\n/);
  });

  it("reports how many calls without a caller are not in the list of callers", async () => {
    using folder = makeCallsFolder([makeCall({ call_id: 1 }), makeCall({ call_id: 2, caller_id: "null" })]);
    const counts = "0 callers, 0 calls; left out: 2 no caller\n";
    for (const [flags, stream, shown] of [
      [[], "stdout", `callers.csv  ${counts}`],
      [["--stdout"], "stderr", counts],
      [["--format", "xlsx"], "stdout", `  callers  ${counts}`],
      [["--format", "xlsx", "--stdout"], "stderr", `callers  ${counts}`],
    ] as const) {
      const finished = await folder.run("export callers", ...flags);
      expect(finished[stream]).toContain(shown);
      expect(finished[stream]).not.toContain("the files have no rows");
    }
  });

  it("notes that the daily export replaces files of other days or options in the default folder", async () => {
    using folder = makeSyncedFolder();
    const range = ["--from", "2025-03-01", "--to", "2025-03-31"];
    const note =
      "The daily export of `calltally schedule` replaces these files: --out names a folder of their own.\n";
    expect((await folder.run(...range)).stderr).toBe(note);
    for (const other of [["channel"], ["--json"], ["--out", "march"], ["gclid", "--stdout"]]) {
      expect((await folder.run(...other, ...range)).stderr).not.toContain("daily export");
    }
  });

  it("writes files and manifest to the given folder, and lists what it wrote", async () => {
    using folder = makeSyncedFolder();
    const { stdout, stderr } = await folder.run();
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^data\/exports\/utm_source\.csv {2}3 rows, 5 calls\ndata\/exports\/campaign\.csv {2}\d rows, 5 calls\ndata\/exports\/gclid\.csv {2}2 rows, 5 calls\nFrom run 1, finished .*Z, verdict exact\nFirst-time callers of these days may be too many: .*\nThe latest days are provisional: .*\n$/,
    );
    expect(listFiles(folder.exports)).toEqual([
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "utm_source.csv",
    ]);

    const flags = ["--out", "other", "--database", "data/calltally.db", "--timezone", "Asia/Kolkata"];
    const other = JSON.parse((await folder.run("channel channel --by channel --json", ...flags)).stdout);
    expect(listFiles(join(folder.path, "other"))).toEqual(["channel.csv", "manifest.json"]);
    expect(other).toEqual({
      folder: join(folder.path, "other"),
      manifest: JSON.parse(readText(folder.path, "other/manifest.json")),
    });
    expect(other.manifest).toMatchObject({
      timezone: "Asia/Kolkata",
      files: [{ file: "channel.csv", sums: { calls: 5 } }],
    });
  });

  it("reports that nothing matches the filter, or that there are no calls", async () => {
    using folder = makeSyncedFolder();
    const { stdout } = await folder.run("channel --source nowhere --allow-empty");
    expect(stdout).toMatch(
      /\nNo call in the warehouse matches: the files have no rows\.\nFirst-time .*\nThe latest days .*\n$/,
    );
    expect(readText(folder.exports, "channel.csv")).toMatch(/^channel,calls,.*,answer_rate_in_hours\r\n$/);

    folder.markGone(...CALLS.map(({ call_id }) => call_id));
    const empty = await folder.run("channel calls");
    expect(empty.stdout).toMatch(/\nThe warehouse has no calls: the files have no rows\.\n/);
  });

  it.each([
    ["export"],
    ["export", "channel", "--stdout"],
    ["report"],
    ["job", "export"],
    ["run", "weekly", "--deliver"],
    ["job", "report:weekly"],
    ["export", "--by", "account,channel"],
  ])("writes and delivers nothing before a sync has finished: %s %s", async (...args) => {
    using folder = makeFolder();
    folder.write("token", "t");
    folder.write(
      "calltally.yaml",
      `accounts: { acme: { base_url: "http://127.0.0.1:1", token_file: token } }
reports: { weekly: { contents: [channel], cron: "0 7 * * 1", deliver: [{ command: [touch, sent] }] } }\n`,
    );
    const calls = [makeCall({ call_id: 1 })];
    fillWarehouse(join(folder.path, "data/acme/calltally.db"), calls, { isDone: false });
    const before = listFiles(folder.path);
    const { code, stdout, stderr } = await folder.run(...args);
    expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
    expect(stderr).toContain("Cannot write any figures: no sync has finished yet");
    expect(stderr).toContain("Run `calltally sync`; ");
    expect(listFiles(folder.path)).toEqual(before);
  });

  it.skipIf(!HAS_PROCESSES)("writes one workbook, to a folder or to standard output", async () => {
    using folder = makeSyncedFolder();
    const args = ["channel", "campaign", "calls", "--format", "xlsx", "--timezone", "Europe/Berlin"];
    const { stdout } = await folder.run(...args);
    expect(stdout).toMatch(
      /calltally\.xlsx {2}3 sheets\n {2}channel {2}3 rows, 5 calls\n {2}campaign {2}\d rows, 5 calls\n {2}calls {2}5 calls\n/,
    );
    expect(listFiles(folder.exports)).toEqual(["calltally.xlsx", "manifest.json"]);
    const workbook = readFileSync(join(folder.exports, "calltally.xlsx"));
    expect(Object.keys(readBySheetJs(workbook))).toEqual([
      "Headline",
      "channel",
      "campaign",
      "calls",
      "About",
    ]);
    // A machine in another time zone writes the same bytes.
    const piped = spawnSync(process.execPath, [BIN, "export", ...args, "--stdout"], {
      cwd: folder.path,
      env: { TZ: "Asia/Tokyo" },
      maxBuffer: 1e8,
    });
    expect(piped.stdout.equals(workbook)).toBe(true);
  });
});

describe("calltally export when interrupted", () => {
  it.skipIf(!HAS_PROCESSES)("exits even if nobody reads its output", async () => {
    using folder = makeCallsFolder(MANY);
    const child = spawn(process.execPath, [BIN, "export", "calls", "--stdout"], {
      cwd: folder.path,
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = text(child.stderr);
    await once(child.stdout, "readable"); // the pipe is filling, and stays full
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect({ code, said: await said }).toEqual({
      code: 143,
      said: "calltally: Stopped by SIGTERM\nRun it again; a sync resumes where it stopped.\n",
    });
  });
});
