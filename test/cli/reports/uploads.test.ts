import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { type CheckedKind, readConversions } from "../../support/figures/conversion-checker.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeCalls } from "../../support/warehouses/warehouse.ts";
import { makeCallsFolder } from "../folder.ts";

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

/** A folder with a warehouse of these calls, and how to change and read what is written in it. */
function makePlace(calls: readonly Call[]) {
  const folder = makeCallsFolder(calls);
  return {
    ...folder,
    /** Runs a command that must succeed; returns its output. */
    say: async (...args: string[]) => {
      const { code, stdout, stderr } = await folder.run(...args);
      expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
      return stdout;
    },
    put: (...changed: Call[]) => {
      using warehouse = openExistingWarehouse(folder.database);
      storeCalls(warehouse, changed);
    },
    /** The order ids in a file of conversions. */
    ids: (kind: CheckedKind, file = `data/exports/${kind}.csv`) =>
      readConversions(kind, readText(folder.path, file))
        .map((row) => row["Order ID"])
        .toSorted(),
    remove: (file: string) => rmSync(join(folder.path, file)),
  };
}

describe("calltally export --new", () => {
  it("writes the first file, a second one without its rows, and a retraction, which explain shows", async () => {
    using folder = makePlace([conversionCall(1), conversionCall(2), conversionCall(3, { gclid: null })]);
    const both = "export google-ads google-ads-adjustments --new --conversion-value 40 --currency EUR";
    expect(await folder.say(both)).toContain(
      "data/exports/google-ads.csv  2 rows of 3 calls examined; left out: 1 no gclid\n",
    );
    expect(folder.ids("google-ads")).toEqual(["call-1", "call-2"]);
    folder.put(conversionCall(2, { duration: 1 }));
    expect(await folder.say(both)).toMatch(
      /google-ads\.csv {2}0 rows of 3 calls examined; left out: 1 no gclid, 1 not qualified, 1 uploaded\n[\s\S]*google-ads-adjustments\.csv {2}1 adjustment: 1 retracted, 0 restated\n/,
    );
    expect(folder.ids("google-ads-adjustments")).toEqual(["call-2"]);
    const manifest = JSON.parse(readText(join(folder.path, "data/exports"), "manifest.json"));
    expect(manifest.files[0]).toMatchObject({ only_new: true, excluded: { uploaded: 1 } });
    expect(await folder.say(both)).toContain("google-ads-adjustments.csv  0 adjustments");

    expect(await folder.say("export google-ads-adjustments --out none")).not.toContain("No call");

    const explained = (await folder.say("explain 2")).replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d /g, "TIME ");
    expect(explained).toContain(`
uploads             TIME data/exports/google-ads.csv: Qualified call 40 EUR, order id call-2
                    TIME data/exports/google-ads-adjustments.csv: retracted, not qualified
`);
    expect(JSON.parse(await folder.say("explain 2 --json")).uploads).toMatchObject([
      { action: "convert", path: join(folder.path, "data/exports/google-ads.csv"), state: "written" },
      { action: "retract", reason: "not qualified" },
    ]);
  });
});

describe("calltally uploads", () => {
  it("lists files, and takes one back by its content, path or number", async () => {
    using folder = makePlace([conversionCall(1), conversionCall(2)]);
    const next = "next/google-ads.csv";
    /** The conversions of the next file, which is moved away. */
    const again = async () => {
      await folder.say("export google-ads --new --out next");
      const ids = folder.ids("google-ads", next);
      folder.remove(next);
      return ids;
    };
    await folder.say("export google-ads --new");
    const [, line] = (await folder.say("uploads list")).split("\n");
    expect(line).toMatch(
      /^ +1 {2}\d{4}-\d\d-\d\dT\S+Z {2}google-ads +2 {2}written {2}data\/exports\/google-ads\.csv$/,
    );

    // By its content, whatever its path.
    folder.write("moved.csv", readText(folder.path, "data/exports/google-ads.csv"));
    expect(await folder.say("uploads forget moved.csv")).toBe(
      "2 conversions taken back: the next file with --new has them again where they still are due\n",
    );
    expect(await folder.say("uploads list")).toMatch(/ {2}taken back {2}data\/exports/);
    const twice = { code: 2, stderr: expect.stringContaining("it was already taken back") };
    expect(await folder.run("uploads forget moved.csv")).toMatchObject(twice);

    expect(await again()).toEqual(["call-1", "call-2"]);
    expect(await folder.say(`uploads forget ${next}`)).toContain("2 conversions taken back");
    expect(await folder.run(`uploads forget ${next}`), "and not the one before").toMatchObject(twice);
    expect(await again()).toEqual(["call-1", "call-2"]);
    expect(await folder.say("uploads forget 3 --json")).toContain('"taken_back":2');
    expect(await again()).toEqual(["call-1", "call-2"]);

    const unknown = await folder.run("uploads forget nowhere.csv");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(
      /Cannot forget nowhere\.csv: no file of conversions was written to that path\nGive one of the latest:\n[\s\S]* 4 {2}.*next\/google-ads\.csv/,
    );
    folder.write("odd.csv", "odd");
    expect((await folder.run("uploads forget odd.csv")).stderr).toContain(
      "its content does not match any file",
    );
  });

  it("names uploads that a killed export left, and takes them back by number", async () => {
    using folder = makePlace([conversionCall(1)]);
    await folder.say("export google-ads --new");
    folder.execute("UPDATE upload_files SET draft = path || '.tmp', process = '1@1'");
    const file = join(folder.path, "data/exports/google-ads.csv");
    renameSync(file, join(folder.path, "moved.csv"));
    expect(await folder.say("uploads list")).toContain("  pending  data/exports/google-ads.csv");
    const day = daysAgo(0).slice(0, 10);
    const left = `File 1 (google-ads, 1 row, ${day}) of a killed export may have been uploaded, so it counts as uploaded: ${file}. If it was not uploaded: calltally uploads forget 1\n`;
    expect(await folder.say("export google-ads --new")).toContain(left);
    expect(folder.ids("google-ads")).toEqual([]);
    expect(await folder.say("uploads forget 1")).toContain("1 conversion taken back");
    expect(await folder.say("export google-ads --new")).toContain("1 row of 1 call examined");
  });

  it("names uploads that a later manual export replaced", async () => {
    using folder = makePlace([conversionCall(1)]);
    const ours = async (...flags: string[]) => await folder.say("export", "google-ads", ...flags);
    expect(await ours("--new")).not.toContain("replaced");
    const day = daysAgo(0).slice(0, 10);
    const line = `File 1 (google-ads, 1 row, ${day}) was replaced here and counts as uploaded. If it was not uploaded: calltally uploads forget 1\n`;
    expect(await ours("--new")).toContain(line);
    expect(await ours("--new"), "it had no rows").not.toContain("replaced");
    await folder.say("uploads forget 1");
    expect(JSON.parse(await ours("--new", "--json"))).not.toHaveProperty("uploads");
    expect(await ours(), "it has the same").not.toContain("replaced");
    rmSync(join(folder.path, "data/exports/google-ads.csv"));
    expect(await ours("--new"), "it was moved").not.toContain("replaced");
    await ours("--new", "--conversion-name", "Other");
    const other = await ours("--new", "--json", "--conversion-name", "Another");
    expect(JSON.parse(other).uploads.replaced).toMatchObject([{ contents: "google-ads", rows: 1 }]);
  });
});

it("export writes conversions by its flags, and reports what it left out", async () => {
  const call = { disposition: "answered", duration: 90, gclid: "CjABC" };
  using folder = makeCallsFolder([
    ...[1, 2, 3].map((call_id) =>
      makeCall({ ...call, call_id, gclid: null, call_started: "2026-10-11T12:00:00.000Z" }),
    ),
    makeCall({ ...call, call_id: 4, call_started: "2026-10-01T12:00:00.000Z" }),
    makeCall({ ...call, call_id: 5, call_started: "2026-10-21T12:00:00.000Z" }),
  ]);
  const range = "--from 2026-09-01 --to 2026-10-31 --out out";
  const flags = ["--conversion-name", "Call, long", "--conversion-value", "149.50", "--currency", "eur"];
  const consents = ["--ad-user-data", "granted", "--ad-personalization", "denied"];
  const first = await folder.say(`export google-ads ${range} --timezone asia/tokyo`, ...flags);
  expect(first).toContain("; left out: 3 no gclid, 1 duplicate\n");
  const every = await folder.say(`export google-ads --every ${range}`, ...flags, ...consents);
  expect(every).toContain("google-ads.csv  2 rows of 5 calls examined; left out: 3 no gclid\n");
  expect(readText(folder.path, "out/google-ads.csv")).toBe(
    `Parameters:TimeZone=+0000
Google Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency,Ad User Data,Ad Personalization
CjABC,"Call, long",2026-10-01 12:00:00,149.50,EUR,Granted,Denied
CjABC,"Call, long",2026-10-21 12:00:00,149.50,EUR,Granted,Denied
`,
  );
});

it("export of conversions reports a warehouse without calls", async () => {
  using folder = makeCallsFolder([]);
  expect(await folder.say("export google-ads --conversion-name Call")).toContain(
    "\nThe warehouse has no calls: the files have no rows.\n",
  );
});
