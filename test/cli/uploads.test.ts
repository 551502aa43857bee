import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call/columns.ts";
import { openExistingWarehouse } from "../../src/warehouse/open.ts";
import { makeCall } from "../support/calls.ts";
import { type CheckedKind, readConversions } from "../support/conversion-checker.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder, readText } from "../support/temp-folder.ts";
import { openNewWarehouse, storeCalls, storeRun } from "../support/warehouse.ts";

const DATABASE = "data/calltally.db";
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const conversionCall = (call_id: number, members: Partial<Call> = {}): Call =>
  makeCall({
    call_id,
    call_started: daysAgo(call_id),
    gclid: `Cj${call_id}`,
    duration: 90,
    disposition: "ANSWERED",
    ...members,
  });

/** A folder with a warehouse of these calls, and how to run the program in it. */
function makeFolder(calls: readonly Call[]) {
  const folder = makeTempFolder();
  {
    using warehouse = openNewWarehouse(join(folder.path, DATABASE));
    storeRun(warehouse, calls, { startedAt: daysAgo(0), finishedAt: daysAgo(0) });
  }
  const run = async (...args: string[]) => await calltally(args, { cwd: folder.path });
  return {
    path: folder.path,
    run,
    /** Runs a command that must succeed; returns its output. */
    say: async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
      return stdout;
    },
    put: (...changed: Call[]) => {
      using warehouse = openExistingWarehouse(join(folder.path, DATABASE));
      storeCalls(warehouse, changed);
    },
    read: (kind: CheckedKind, at = "data/exports") =>
      readConversions(kind, readText(join(folder.path, at), `${kind}.csv`)).map((row) => row["Order ID"]),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("calltally export --new", () => {
  it("writes the first file, a second one without its rows, and a retraction, which explain shows", async () => {
    using folder = makeFolder([conversionCall(1), conversionCall(2), conversionCall(3, { gclid: null })]);
    const flags = ["--new", "--conversion-value", "40", "--currency", "EUR"];
    const both = ["export", "google-ads", "google-ads-adjustments", ...flags];
    expect(await folder.say(...both)).toContain(
      "data/exports/google-ads.csv  2 rows of 3 calls examined; left out: 1 no gclid\n",
    );
    expect(folder.read("google-ads")).toEqual(["2", "1"]);
    folder.put(conversionCall(2, { duration: 1 }));
    expect(await folder.say(...both)).toMatch(
      /google-ads\.csv {2}0 rows of 3 calls examined; left out: 1 no gclid, 1 not qualified, 1 uploaded\n[\s\S]*google-ads-adjustments\.csv {2}1 adjustment: 1 retracted, 0 restated\n/,
    );
    expect(folder.read("google-ads-adjustments")).toEqual(["2"]);
    const manifest = JSON.parse(readText(join(folder.path, "data/exports"), "manifest.json"));
    expect(manifest.files[0]).toMatchObject({ only_new: true, excluded: { uploaded: 1 } });
    expect(await folder.say(...both)).toContain("google-ads-adjustments.csv  0 adjustments");

    expect(await folder.say("export", "google-ads-adjustments", "--out", "none")).not.toContain("No call");

    const explained = await folder.say("explain", "2");
    const day = daysAgo(0).slice(0, 10);
    expect(explained).toMatch(
      new RegExp(
        `^uploads         ${day} \\d\\d:\\d\\d data/exports/google-ads\\.csv: Qualified call 40 EUR, order id 2$`,
        "m",
      ),
    );
    expect(explained).toMatch(
      new RegExp(
        `^                ${day} \\d\\d:\\d\\d data/exports/google-ads-adjustments\\.csv: retracted, not qualified$`,
        "m",
      ),
    );
    expect(JSON.parse(await folder.say("explain", "2", "--json")).uploads).toMatchObject([
      { action: "convert", path: join(folder.path, "data/exports/google-ads.csv"), state: "written" },
      { action: "retract", reason: "not qualified" },
    ]);
  });
});

describe("calltally uploads", () => {
  it("lists files, and takes one back by its content, path or number", async () => {
    using folder = makeFolder([conversionCall(1), conversionCall(2)]);
    const again = async () => {
      await folder.say("export", "google-ads", "--new", "--out", "next");
      return folder.read("google-ads", "next");
    };
    const file = join("data/exports", "google-ads.csv");
    await folder.say("export", "google-ads", "--new");
    const [, line] = (await folder.say("uploads", "list")).split("\n");
    expect(line).toMatch(
      /^ +1 {2}\d{4}-\d\d-\d\dT\S+Z {2}google-ads +2 {2}written {2}data\/exports\/google-ads\.csv$/,
    );

    // By its content, whatever its path.
    writeFileSync(join(folder.path, "moved.csv"), readFileSync(join(folder.path, file)));
    expect(await folder.say("uploads", "forget", "moved.csv")).toBe(
      "2 conversions taken back: the next file with --new has them again where they still are due\n",
    );
    expect(await folder.say("uploads", "list")).toMatch(/ {2}taken back {2}data\/exports/);
    const twice = await folder.run("uploads", "forget", "moved.csv");
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("it was already taken back") });

    expect(await again()).toEqual(["2", "1"]);
    rmSync(join(folder.path, "next"), { recursive: true });
    expect(await folder.say("uploads", "forget", "next/google-ads.csv")).toContain(
      "2 conversions taken back",
    );
    expect(await again()).toEqual(["2", "1"]);
    rmSync(join(folder.path, "next"), { recursive: true });
    folder.put(conversionCall(3));
    expect(await again()).toEqual(["3"]);
    rmSync(join(folder.path, "next"), { recursive: true });
    expect(await folder.say("uploads", "forget", "next/google-ads.csv")).toContain("1 conversion taken back");
    const once = await folder.run("uploads", "forget", "next/google-ads.csv");
    expect(once, "and not the one before").toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it was already taken back"),
    });
    folder.put(conversionCall(3, { duration: 1 }));
    expect(await folder.say("uploads", "forget", "3", "--json")).toContain('"taken_back":2');
    expect(await again()).toEqual(["2", "1"]);

    const unknown = await folder.run("uploads", "forget", "nowhere.csv");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(
      /Cannot forget nowhere\.csv: no file of conversions was written to that path\nGive one of the latest:\n[\s\S]* 5 {2}.*next\/google-ads\.csv/,
    );
    writeFileSync(join(folder.path, "odd.csv"), "odd");
    expect((await folder.run("uploads", "forget", "odd.csv")).stderr).toContain(
      "its content does not match any file",
    );
  });

  it("are named if a killed export left them, and are taken back by number", async () => {
    using folder = makeFolder([conversionCall(1)]);
    await folder.say("export", "google-ads", "--new");
    {
      using database = openExistingWarehouse(join(folder.path, DATABASE));
      database.sqlite.exec("UPDATE upload_files SET draft = path || '.tmp', process = '1@1'");
    }
    const file = join(folder.path, "data/exports/google-ads.csv");
    renameSync(file, join(folder.path, "moved.csv"));
    expect(await folder.say("uploads", "list")).toContain("  pending  data/exports/google-ads.csv");
    const day = daysAgo(0).slice(0, 10);
    const left = `File 1 (google-ads, 1 row, ${day}) of a killed export may have been uploaded, so it counts as uploaded: ${file}. If it was not uploaded: calltally uploads forget 1\n`;
    expect(await folder.say("export", "google-ads", "--new")).toContain(left);
    expect(folder.read("google-ads")).toEqual([]);
    expect(await folder.say("uploads", "forget", "1")).toContain("1 conversion taken back");
    expect(await folder.say("export", "google-ads", "--new")).toContain("1 row of 1 call examined");
  });

  it("are named if a later manual export replaces new ones", async () => {
    using folder = makeFolder([conversionCall(1)]);
    const ours = async (...flags: string[]) => await folder.say("export", "google-ads", ...flags);
    expect(await ours("--new")).not.toContain("replaced");
    const day = daysAgo(0).slice(0, 10);
    const line = `File 1 (google-ads, 1 row, ${day}) was replaced here and counts as uploaded. If it was not uploaded: calltally uploads forget 1\n`;
    expect(await ours("--new")).toContain(line);
    expect(await ours("--new"), "it had no rows").not.toContain("replaced");
    await folder.say("uploads", "forget", "1");
    expect(JSON.parse(await ours("--new", "--json"))).not.toHaveProperty("uploads");
    expect(await ours(), "it has the same").not.toContain("replaced");
    rmSync(join(folder.path, "data/exports/google-ads.csv"));
    expect(await ours("--new"), "it was moved").not.toContain("replaced");
    await ours("--new", "--conversion-name", "Other");
    const other = await ours("--new", "--json", "--conversion-name", "Another");
    expect(JSON.parse(other).uploads.replaced).toMatchObject([{ contents: "google-ads", rows: 1 }]);
  });
});

describe("named reports", () => {
  const configure = (folder: string, deliver: string) => {
    writeFileSync(
      join(folder, "calltally.yaml"),
      `timezone: UTC\nreports:\n  ads:\n    contents: [google-ads, google-ads-adjustments]\n    conversion: { new: true, value: 40, currency: EUR }\n    folder: ads\n    cron: "0 7 * * 1"\n`,
      {
        mode: 0o600,
      },
    );
    appendFileSync(join(folder, "calltally.yaml"), `    personal_data: true\n${deliver}`);
  };
  const ofDatabase = <T>(folder: string, work: (database: Database.Database) => T): T => {
    const database = new Database(join(folder, DATABASE));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  it("deliver what is new, once", async () => {
    using folder = makeFolder([conversionCall(1), conversionCall(2)]);
    configure(folder.path, `    deliver:\n      - command: [cp, ads/google-ads.csv, delivered.csv]\n`);
    expect(await folder.say("run", "ads", "--deliver")).toContain("delivered");
    expect(readFileSync(join(folder.path, "delivered.csv"), "utf8").split("\n")).toHaveLength(5);
    await folder.say("run", "ads", "--deliver");
    expect(readFileSync(join(folder.path, "delivered.csv"), "utf8").split("\n")).toHaveLength(3);
    expect(
      ofDatabase(folder.path, (database) =>
        database.prepare("SELECT report_run_id FROM upload_files").pluck().all(),
      ),
    ).toEqual([1, 1, 2, 2]);
  });

  const idsIn = (folder: string, file: string) =>
    readConversions("google-ads", readText(folder, file))
      .map((row) => row["Order ID"])
      .toSorted();

  it("deliver the conversions of a killed run that nobody received, and new ones", async () => {
    using folder = makeFolder([conversionCall(1), conversionCall(2)]);
    configure(folder.path, `    deliver:\n      - command: [cp, ads/google-ads.csv, delivered.csv]\n`);
    await folder.run("job", "report:ads");
    expect(idsIn(folder.path, "delivered.csv")).toEqual(["1", "2"]);
    // The state after a process that is killed before the delivery.
    rmSync(join(folder.path, "delivered.csv"));
    ofDatabase(folder.path, (database) =>
      database.exec(`UPDATE report_runs SET status = 'running', finished_at = NULL, process = '1@1';
        UPDATE deliveries SET status = 'pending', attempts = 0, started_at = NULL, finished_at = NULL`),
    );
    folder.put(conversionCall(3), conversionCall(2, { duration: 1 }));
    expect((await folder.run("job", "report:ads")).code).toBe(0);
    expect(idsIn(folder.path, "delivered.csv")).toEqual(["1", "3"]);
    // Nobody received 2: nothing has to be retracted.
    await folder.say("run", "ads");
    expect(folder.read("google-ads", "ads")).toEqual([]);
    expect(folder.read("google-ads-adjustments", "ads")).toEqual([]);
  });

  it("deliver to the other recipients exactly what the first one received before the run was killed", async () => {
    using folder = makeFolder([conversionCall(1), conversionCall(2)]);
    const once = "cp ads/google-ads.csv first.csv; kill -9 $PPID";
    configure(
      folder.path,
      `    deliver:\n      - command: [sh, -c, "${once}"]\n      - command: [cp, ads/google-ads.csv, second.csv]\n`,
    );
    await folder.run("job", "report:ads");
    expect(idsIn(folder.path, "first.csv")).toEqual(["1", "2"]);
    // The two are sent at the same time: nothing of the second one has been sent yet, whichever was faster.
    rmSync(join(folder.path, "second.csv"), { force: true });
    ofDatabase(folder.path, (database) =>
      database.exec(`UPDATE deliveries SET status = 'pending', attempts = 0, started_at = NULL, finished_at = NULL
        WHERE delivery_id = 2`),
    );
    folder.put(conversionCall(3));
    await folder.run("job", "report:ads");
    expect(idsIn(folder.path, "second.csv")).toEqual(["1", "2"]);
    const rest = readText(join(folder.path, "ads"), "google-ads.excluded.csv");
    expect(rest).toContain("next file");
    await folder.say("run", "ads");
    expect(folder.read("google-ads", "ads")).toEqual(["3"]);
  });
});
