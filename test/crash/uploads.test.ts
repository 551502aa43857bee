import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { openExistingWarehouse, openWarehouse } from "../../src/warehouse/open.ts";
import { upload_files, uploads } from "../../src/warehouse/schema.ts";
import { makeCall } from "../calls.ts";
import { readConversions } from "../export/conversion-checker.ts";
import { readText } from "../export/warehouse.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { buildProgram, type Mutation } from "./mutants.ts";
import { runProgram } from "./program.ts";

// Wherever an export of new conversions is killed: the next one has all of them, under the same order ids, or they are in
// a file of an export that had come to its end; and the ledger has each of them once.

const DATABASE = "data/calltally.db";
const FOLDER = "data/exports";
const CALLS = 3;
const FILES = ["google-ads.csv", "google-leads.csv"] as const;

const killAt = (point: string) =>
  `if (process.env.KILL_AT === "${point}") process.kill(process.pid, "SIGKILL");`;

const LEDGER: Mutation = {
  file: "src/export/write-export.ts",
  edits: [
    {
      find: "      nameErrors(warehouse, () => {\n        entered =",
      replace: `      ${killAt("before the ledger")}\n      nameErrors(warehouse, () => {\n        entered =`,
    },
    {
      find: "after: lastUploadFile, now });\n      });\n",
      replace: `after: lastUploadFile, now });\n      });\n      ${killAt("before the first name")}\n`,
    },
    {
      find: "    settleUploads(warehouse, entered);\n",
      replace: `    ${killAt("after the last name")}\n    settleUploads(warehouse, entered);\n`,
    },
    {
      find: "  const shown = replaced.map(",
      replace: `  ${killAt("at the end")}\n  const shown = replaced.map(`,
    },
  ],
};
const NAMES: Mutation = {
  file: "src/export/file-set.ts",
  edits: [
    {
      find: "        await rename(draft, path);\n",
      replace: `        await rename(draft, path);\n        if (path.endsWith(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");\n`,
    },
  ],
};

const POINTS: { point: string; mutation: Mutation; left: string[] }[] = [
  { point: "before the ledger", mutation: LEDGER, left: [] },
  { point: "before the first name", mutation: LEDGER, left: ["pending", "pending"] },
  { point: "manifest.json", mutation: NAMES, left: ["pending", "pending"] },
  { point: "google-ads.csv", mutation: NAMES, left: ["pending", "pending"] },
  { point: "google-leads.csv", mutation: NAMES, left: ["pending", "pending"] },
  { point: "after the last name", mutation: LEDGER, left: ["pending", "pending"] },
  { point: "at the end", mutation: LEDGER, left: ["written", "written"] },
];

function readLedger(folder: string) {
  using warehouse = openExistingWarehouse(join(folder, DATABASE));
  const { db } = warehouse;
  return {
    states: db
      .select()
      .from(upload_files)
      .all()
      .map(({ state }) => state),
    lines: db
      .select()
      .from(uploads)
      .all()
      .map(({ conversion_name, call_id }) => `${conversion_name} ${call_id}`),
  };
}

function makeWarehouse(folder: string): void {
  mkdirSync(join(folder, "data"));
  using warehouse = openWarehouse(join(folder, DATABASE));
  const started = new Date(Date.now() - 86_400_000).toISOString();
  const calls = Array.from({ length: CALLS }, (_, index) =>
    makeCall({
      call_id: index + 1,
      call_started: started,
      gclid: `Cj${index}`,
      caller_id: `+4930123450${index}`,
      duration: 90,
      disposition: "ANSWERED",
    }),
  );
  prepareUpsertCalls(warehouse, 1)(calls);
}

describe("an export of new conversions that is killed", () => {
  it.each(POINTS)("loses none, and tells of none twice: $point", async ({ point, mutation, left }) => {
    using program = await buildProgram(mutation);
    using folder = makeTempFolder();
    makeWarehouse(folder.path);
    const args = [process.execPath, program.bin, "export", "google-ads", "google-leads", "--new"];
    const run = (env: Record<string, string>, ...more: string[]) =>
      runProgram([...args, ...more], { cwd: folder.path, env });
    expect(await run({ KILL_AT: point })).toMatchObject({ signal: "SIGKILL" });
    expect(readLedger(folder.path).states).toEqual(left);

    const has = (file: string, at = FOLDER) => {
      const text = readText(join(folder.path, at), file);
      return readConversions(file === "google-ads.csv" ? "google-ads" : "google-leads", text).map(
        (row) => row["Order ID"],
      );
    };
    const isNamed = (file: string) => {
      try {
        return has(file).length > 0;
      } catch {
        return false;
      }
    };
    const named = FILES.filter(isNamed);
    const again = await run({ KILL_AT: "nowhere" });
    expect(again).toMatchObject({ code: 3 }); // no sync has finished
    const ids = Array.from({ length: CALLS }, (_, index) => String(index + 1));
    for (const file of FILES) expect(has(file), file).toEqual(point === "at the end" ? [] : ids);
    if (point === "at the end") expect(named).toEqual(FILES);
    const { states, lines } = readLedger(folder.path);
    expect(new Set(states)).toEqual(new Set(["written"]));
    expect(lines).toHaveLength(2 * CALLS);
    expect((await run({ KILL_AT: "nowhere" })).code).toBe(3);
    expect(FILES.map((file) => has(file))).toEqual([[], []]);
  });

  it("has its named files left out of one in another folder", async () => {
    using program = await buildProgram(NAMES);
    using folder = makeTempFolder();
    makeWarehouse(folder.path);
    const args = [process.execPath, program.bin, "export", "google-ads", "google-leads", "--new"];
    await runProgram(args, { cwd: folder.path, env: { KILL_AT: "google-ads.csv" } });
    await runProgram([...args, "--out", "other"], { cwd: folder.path, env: { KILL_AT: "nowhere" } });
    const read = (kind: "google-ads" | "google-leads", at: string) =>
      readConversions(kind, readText(join(folder.path, at), `${kind}.csv`)).length;
    expect(read("google-ads", FOLDER)).toBe(CALLS);
    expect([read("google-ads", "other"), read("google-leads", "other")]).toEqual([0, CALLS]);
  });
});
