import { existsSync, globSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { readUploadFiles, uploads } from "../../src/features/conversions/upload-table.ts";
import { openExistingWarehouse, openWarehouse } from "../../src/warehouse/file/open.ts";
import { readExportPaths, readLastRecords } from "../../src/warehouse/runs/exports.ts";
import { uploadNotesOf } from "../features/conversions/upload-files.ts";
import { readConversions } from "../support/figures/conversion-checker.ts";
import { exportToFolder } from "../support/figures/produce-files.ts";
import { makeTempFolder, readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { storeCalls, storeRun } from "../support/warehouses/warehouse.ts";
import { buildProgram, type Mutation, type Program } from "./changed-program.ts";
import { runProgram } from "./program.ts";

// Wherever an export of new conversions is killed: the next one has all of them, or they are in a renamed file.
// Such a file is written again in its place; if it was moved away, it counts, and the next export reports it. The ledger
// counts each conversion once.

const DATABASE = "data/calltally.db";
const FOLDER = "data/exports";
const CALLS = 3;
const KINDS = ["google-ads", "ga4-events"] as const;

const killAt = (point: string) =>
  `if (process.env.KILL_AT === "${point}") process.kill(process.pid, "SIGKILL");`;

const KILLS: Mutation = {
  file: "src/export/output/file-set.ts",
  edits: [
    {
      find: "    commit?.enter();\n",
      replace: `    ${killAt("before the ledger")}\n    commit?.enter();\n    ${killAt("before the first name")}\n`,
    },
    {
      find: "        await rename(draft.path, draft.file);\n",
      replace: `        await rename(draft.path, draft.file);\n        if (draft.file.endsWith(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");\n`,
    },
    {
      find: "    commit?.settle();\n",
      replace: `    ${killAt("after the last name")}\n    commit?.settle();\n    ${killAt("at the end")}\n`,
    },
  ],
};

/** The point of the kill, the files with their final names then, and the ledger's state of each file. */
const POINTS: { point: string; named: (typeof KINDS)[number][]; states: string[] }[] = [
  { point: "before the ledger", named: [], states: [] },
  { point: "before the first name", named: [], states: ["pending", "pending"] },
  { point: "manifest.json", named: [], states: ["pending", "pending"] },
  { point: "google-ads.csv", named: ["google-ads"], states: ["pending", "pending"] },
  { point: "ga4-events.csv", named: ["google-ads", "ga4-events"], states: ["pending", "pending"] },
  { point: "after the last name", named: ["google-ads", "ga4-events"], states: ["pending", "pending"] },
  { point: "at the end", named: ["google-ads", "ga4-events"], states: ["written", "written"] },
];

let program: Program;
beforeAll(async () => {
  program = await buildProgram(KILLS);
});
afterAll(() => program[Symbol.dispose]());

function readLedger(folder: string) {
  using warehouse = openExistingWarehouse(join(folder, DATABASE));
  const files = readUploadFiles(warehouse).reverse();
  const counted = new Set(
    files.flatMap(({ upload_file_id, state }) =>
      state === "written" || state === "pending" ? [upload_file_id] : [],
    ),
  );
  return {
    states: files.map(({ state }) => state),
    lines: warehouse.db
      .select()
      .from(uploads)
      .all()
      .filter(({ upload_file_id }) => counted.has(upload_file_id)).length,
  };
}

function makeWarehouse(folder: string): void {
  mkdirSync(join(folder, "data"));
  {
    using warehouse = openWarehouse(join(folder, DATABASE));
    const at = new Date().toISOString();
    storeRun(warehouse, [], { startedAt: at, finishedAt: at });
  }
  for (let index = 0; index < CALLS; index++) addCall(folder, index);
}

const numberOf = (index: number) => `+4930123456${index}`;

function addCall(folder: string, index: number): void {
  using warehouse = openExistingWarehouse(join(folder, DATABASE));
  const call = makeCall({
    call_id: index + 1,
    caller_id: numberOf(index),
    call_started: new Date(Date.now() - 86_400_000).toISOString(),
    gclid: `Cj${index}`,
    google_analytics_cid: `1.${index}`,
    duration: 90,
    disposition: "ANSWERED",
  });
  storeCalls(warehouse, [call]);
}

const ARGS = [...KINDS, "--measurement-id", "G-1A2B3C4D5E"];

function killExport(folder: string, point: string, contents: readonly string[] = ARGS) {
  const args = ["export", ...contents, "--new"];
  return runProgram([process.execPath, program.bin, ...args], { cwd: folder, env: { KILL_AT: point } });
}

/** Exports again with the unchanged program. */
function exportAgain(folder: string, out = FOLDER) {
  return exportToFolder({
    database: join(folder, DATABASE),
    folder: join(folder, out),
    targets: KINDS.map((kind) => ({
      kind,
      conversion: { name: "Qualified call", every: false, new: true, measurement_id: "G-1A2B3C4D5E" },
    })),
    timezone: "UTC",
    lookbackHours: 72,
    rules: DEFAULT_RULES,
  });
}

const countIn = (folder: string, kind: (typeof KINDS)[number], at = FOLDER) =>
  existsSync(join(folder, at, `${kind}.csv`))
    ? readConversions(kind, readText(join(folder, at), `${kind}.csv`)).length
    : undefined;

describe("export of new conversions that was killed", () => {
  it.each(POINTS)(
    "loses no conversion and repeats none when run again into the same folder: $point",
    async ({ point, named, states }) => {
      using folder = makeTempFolder();
      makeWarehouse(folder.path);
      expect(await killExport(folder.path, point)).toMatchObject({ signal: "SIGKILL" });
      expect(readLedger(folder.path).states).toEqual(states);
      expect(KINDS.filter((kind) => countIn(folder.path, kind) === CALLS)).toEqual(named);
      const isEnded = point === "at the end";
      const notes = uploadNotesOf(await exportAgain(folder.path));
      expect(notes?.rewritten?.map(({ contents }) => contents) ?? []).toEqual(isEnded ? [] : named);
      expect(notes?.left).toBeUndefined();
      expect(KINDS.map((kind) => countIn(folder.path, kind))).toEqual(isEnded ? [0, 0] : [CALLS, CALLS]);
      const ledger = readLedger(folder.path);
      expect(ledger.lines).toBe(KINDS.length * CALLS);
      expect(ledger.states).not.toContain("pending");
      await exportAgain(folder.path);
      expect(KINDS.map((kind) => countIn(folder.path, kind))).toEqual([0, 0]);
    },
  );

  it.each(POINTS)(
    "counts and reports named files that have been moved away: $point",
    async ({ point, named }) => {
      using folder = makeTempFolder();
      makeWarehouse(folder.path);
      await killExport(folder.path, point);
      for (const kind of named)
        renameSync(join(folder.path, FOLDER, `${kind}.csv`), join(folder.path, `${kind}.csv`));
      const notes = uploadNotesOf(await exportAgain(folder.path));
      const left = point === "at the end" ? [] : named;
      expect(notes?.left?.map(({ contents }) => contents) ?? []).toEqual(left);
      expect(KINDS.map((kind) => countIn(folder.path, kind))).toEqual(
        KINDS.map((kind) => (named.includes(kind) ? 0 : CALLS)),
      );
      expect(readLedger(folder.path)).toMatchObject({ lines: KINDS.length * CALLS });
      const again = uploadNotesOf(await exportAgain(folder.path));
      expect(again ?? {}, "it is shown once").not.toHaveProperty("left");
    },
  );

  it.each(POINTS.filter(({ point }) => point !== "at the end"))(
    "leaves replaced files that count as uploaded to be reported by the next one: $point",
    async ({ point }) => {
      using folder = makeTempFolder();
      makeWarehouse(folder.path);
      await exportAgain(folder.path);
      addCall(folder.path, CALLS);
      // Twice, since the second may replace a file of the first.
      for (const _ of [1, 2]) await killExport(folder.path, point);
      const notes = uploadNotesOf(await exportAgain(folder.path));
      expect(notes?.replaced?.map(({ upload_file_id }) => upload_file_id).sort()).toEqual([1, 2]);
      expect(KINDS.map((kind) => countIn(folder.path, kind))).toEqual([1, 1]);
    },
  );

  it("loses no conversion if forget removes a draft that contains the caller", async () => {
    using folder = makeTempFolder();
    makeWarehouse(folder.path);
    expect(await killExport(folder.path, "before the first name", ["google-leads"])).toMatchObject({
      signal: "SIGKILL",
    });
    const run = (...args: string[]) =>
      runProgram([process.execPath, program.bin, ...args], { cwd: folder.path, env: {} });
    expect(await run("forget", numberOf(0), "--exports")).toMatchObject({ code: 0 });
    expect(globSync(".google-leads.csv.*", { cwd: join(folder.path, FOLDER) })).toEqual([]);
    const { stderr } = await run("export", "google-leads", "--new");
    expect(stderr).not.toContain("may have been uploaded");
    const rows = readConversions("google-leads", readText(join(folder.path, FOLDER), "google-leads.csv"));
    expect(rows).toHaveLength(CALLS - 1);
  });

  it("leaves its named files out of an export into another folder, and reports them", async () => {
    using folder = makeTempFolder();
    makeWarehouse(folder.path);
    await killExport(folder.path, "google-ads.csv");
    const notes = uploadNotesOf(await exportAgain(folder.path, "other"));
    expect(notes).toEqual({
      left: [
        expect.objectContaining({ upload_file_id: 1, path: join(folder.path, FOLDER, "google-ads.csv") }),
      ],
    });
    expect(KINDS.map((kind) => countIn(folder.path, kind, "other"))).toEqual([0, CALLS]);
  });

  it("loses no conversion if killed twice, the second time while it rewrites the files of the first", async () => {
    for (const { point } of POINTS) {
      using folder = makeTempFolder();
      makeWarehouse(folder.path);
      await killExport(folder.path, "after the last name");
      await killExport(folder.path, point);
      await exportAgain(folder.path);
      const isEnded = point === "at the end";
      expect([point, ...KINDS.map((kind) => countIn(folder.path, kind))]).toEqual(
        isEnded ? [point, 0, 0] : [point, CALLS, CALLS],
      );
      expect(readLedger(folder.path)).toMatchObject({ lines: KINDS.length * CALLS });
    }
  });

  it("does not count as the last export, although its files are known", async () => {
    using folder = makeTempFolder();
    makeWarehouse(folder.path);
    await killExport(folder.path, "after the last name");
    using warehouse = openExistingWarehouse(join(folder.path, DATABASE));
    expect(readExportPaths(warehouse)).toContain(join(folder.path, FOLDER, "ga4-events.csv"));
    expect(readLastRecords(warehouse, join(folder.path, FOLDER))).toEqual([]);
  });
});
