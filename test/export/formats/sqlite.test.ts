import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PRIVATE_COLUMNS } from "../../../src/config/request/option-values.ts";
import { makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { readLines } from "../../support/figures/tables.ts";
import { findPeer } from "../../support/peers.ts";
import { listFiles, makeTempFolder, readText } from "../../support/temp-folder.ts";
import { arbitraryCalls, FULL_CALL } from "../../support/warehouses/calls.ts";

const FILE = "calltally.sqlite";
const TARGETS: Target[] = [{ kind: "calls" }, { kind: "rollup", dimensions: ["channel"] }];

/** Reads a table with Python's driver, which converts columns that are declared as days and times. */
const READER = `
import json, sqlite3, sys
file = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True, detect_types=sqlite3.PARSE_DECLTYPES)
rows = file.execute("SELECT * FROM " + sys.argv[2])
names = [name for name, *_ in rows.description]
show = lambda value: value.isoformat() if hasattr(value, "isoformat") else value
json.dump([dict(zip(names, map(show, row))) for row in rows], sys.stdout)
`;

function readTable(folder: string, table: string): Record<string, unknown>[] {
  return JSON.parse(execFileSync("python3", ["-c", READER, join(folder, FILE), table], { encoding: "utf8" }));
}

/** A value of the CSV file in the form in which Python shows that of the database. */
function toShown(name: string, text: string, zoned: unknown): unknown {
  if (text === "") return null;
  if (typeof zoned === "number") return Number(text);
  if (name === "call_started" || name === "gone_at" || name === "changed_at") return fromUtc(text);
  return name === "call_started_local" ? text.replace(" ", "T") : text;
}

/** Python omits a fraction of zero, and shows six digits of any other. */
function fromUtc(text: string): string {
  return text
    .replace("Z", "")
    .replace(/\.000$/, "")
    .replace(/\.(\d{3})$/, ".$1000");
}

const PYTHON = findPeer("python3");
const itPython = it.skipIf(PYTHON.isMissing);

describe(`--format sqlite${PYTHON.note}`, () => {
  itPython(
    "writes the calls of the CSV file, with days and times in types that a driver recognizes",
    async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryCalls(40), async (calls) => {
          using warehouse = makeWarehouse(calls);
          const options = { timezone: "America/St_Johns", targets: TARGETS };
          await warehouse.export({ ...options, format: { format: "csv", profile: "machine" } });
          const { folder } = await warehouse.export({ ...options, format: { format: "sqlite" } });
          const [header = [], ...lines] = readLines(readText(folder, "calls.csv"));
          const rows = readTable(folder, "calls");
          expect(rows.map((row) => Object.keys(row))).toEqual(lines.map(() => header));
          for (const [index, row] of rows.entries()) {
            const line = lines[index] ?? [];
            const expected = header.map((name, at) => [name, toShown(name, line[at] ?? "", row[name])]);
            expect(row).toEqual(Object.fromEntries(expected));
          }
        }),
        { numRuns: 4 },
      );
    },
  );

  itPython("describes its basis and each column", async () => {
    using warehouse = makeWarehouse([FULL_CALL]);
    const { folder, manifest } = await warehouse.export({
      targets: TARGETS,
      timezone: "Europe/Berlin",
      format: { format: "sqlite" },
    });
    expect(readTable(folder, "about")).toEqual(
      expect.arrayContaining([
        { item: "Verdict", value: "exact" },
        { item: "Doubt", value: "none known" },
        { item: "Time zone", value: "Europe/Berlin: days and local times; other times are UTC" },
      ]),
    );
    const described = readTable(folder, "about_columns");
    expect(described.filter(({ meaning }) => meaning === null)).toEqual([]);
    expect(described.filter(({ table_name }) => table_name === "channel").length).toBeGreaterThan(5);
    expect(manifest.files).toMatchObject([
      { file: FILE, contents: "database", rows: 2, sheets: [{ sheet: "calls" }, { sheet: "channel" }] },
    ]);
  });

  itPython(
    "replaces a file for which another program has a journal or write-ahead log, which does not affect it",
    async () => {
      using warehouse = makeWarehouse([FULL_CALL]);
      const { folder } = await warehouse.export({ targets: TARGETS, format: { format: "sqlite" } });
      const file = join(folder, FILE);
      const before = readFileSync(file);
      const other = new Database(file);
      other.pragma("journal_mode = WAL");
      other.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
      await warehouse.export({ targets: TARGETS, format: { format: "sqlite" } });
      expect(listFiles(folder)).toEqual([FILE, "manifest.json"]);
      other.close();
      expect(readFileSync(file)).toEqual(before);
      expect(readTable(folder, "calls")).toHaveLength(1);
    },
  );

  it("writes a single file that any reader can open, and leaves no temporary files", async () => {
    using temporary = makeTempFolder();
    using warehouse = makeWarehouse([FULL_CALL]);
    vi.stubEnv("TMPDIR", temporary.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const export_ = () => warehouse.export({ targets: TARGETS, format: { format: "sqlite" } });
    const { folder } = await export_();
    const first = readFileSync(join(folder, FILE));
    expect(first.subarray(18, 20)).toEqual(Buffer.from([1, 1])); // without a write-ahead log
    await export_();
    expect(readFileSync(join(folder, FILE))).toEqual(first);
    expect(listFiles(folder)).toEqual([FILE, "manifest.json"]);
    expect(listFiles(temporary.path)).toEqual([]);
  });

  itPython("writes private columns only on request, and then only its owner can read the file", async () => {
    using warehouse = makeWarehouse([FULL_CALL]);
    const modeOf = async (columns: Target["with"]) => {
      const { folder } = await warehouse.export({
        targets: [{ kind: "calls", ...(columns && { with: columns }) }],
        format: { format: "sqlite" },
      });
      const [row = {}] = readTable(folder, "calls");
      return [
        statSync(join(folder, FILE)).mode & 0o077,
        PRIVATE_COLUMNS.filter((name) => name in row).length,
      ];
    };
    const [shared, none] = await modeOf(undefined);
    expect([shared, none]).toEqual([0o044, 0]);
    expect(await modeOf(PRIVATE_COLUMNS)).toEqual([0, PRIVATE_COLUMNS.length]);
  });
});
