import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { type Folder, makeCallsFolder } from "../cli/folder.ts";
import { readLines, readParquetObjects } from "../support/figures/tables.ts";
import { BIN } from "../support/run.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { markGone, readRows, storeCalls } from "../support/warehouses/warehouse.ts";
import { readPages } from "./pages.ts";

const PAGE = readPages().find(({ path }) => path === "docs/pipelines.md")?.text ?? "";

/** Returns the indented code that follows a line of the page. */
function codeAfter(line: string): string {
  const [, rest = ""] = PAGE.split(line);
  const [code = ""] = /(?:^ {4}.*\n|^\n(?= {4}))+/m.exec(rest) ?? [];
  return code.replaceAll(/^ {4}/gm, "").trimStart();
}

/** Texts that a spreadsheet would run, or that programs tend to change. */
const TEXTS = [
  "'+plumber",
  "+austin",
  "=1+1",
  "-2",
  "@home",
  "＝1",
  'say "hi", he said',
  "two\nlines",
  "two\r\nlines",
  "\ttab",
  "🚿 repair",
  "a\\nb",
  "'",
  "true",
  "007",
];
const callOf = (index: number, utm_term = TEXTS[index] ?? "") =>
  makeCall({
    call_id: index + 1,
    call_started: `2026-10-25T14:${10 + index}:30.125Z`,
    duration: 61,
    utm_term,
  });

/** A folder whose days are of a zone behind UTC. */
const makeChicago = () =>
  makeCallsFolder(
    TEXTS.map((text, index) => callOf(index, text)),
    { CALLTALLY_TIMEZONE: "America/Chicago", PATH: process.env.PATH ?? "" },
  );

/** Changes a call, and marks another as gone. */
function change({ database }: Folder): void {
  using warehouse = openExistingWarehouse(database);
  storeCalls(warehouse, [callOf(0, "+changed")]);
  markGone(warehouse, [2]);
}

const CHANGES = "export calls --changed-since 1970-01-01 --include-gone --out changes --format";

/** The terms of a file of changed calls, in order. */
async function readTerms(folder: Folder, file: string, delimiter?: string): Promise<unknown[]> {
  const path = join(folder.path, "changes", file);
  const text = readFileSync(path, "utf8");
  const rows: readonly Record<string, unknown>[] = file.endsWith(".csv")
    ? readRecords(text, delimiter)
    : file.endsWith(".json")
      ? JSON.parse(text)
      : file.endsWith(".ndjson")
        ? text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        : file.endsWith(".parquet")
          ? await readParquetObjects(readFileSync(path))
          : readRows(path, "SELECT utm_term FROM calls ORDER BY call_id");
  return rows.map(({ utm_term }) => utm_term);
}

function readRecords(text: string, delimiter?: string): Record<string, string>[] {
  const [header = [], ...lines] = readLines(text, delimiter);
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ""])));
}

describe("list of changed calls", () => {
  it.each([
    ["csv", "calls.csv"],
    ["csv --delimiter ;", "calls.csv"],
    ["csv --delimiter tab", "calls.csv"],
    ["csv --profile machine", "calls.csv"],
    ["json", "calls.json"],
    ["ndjson", "calls.ndjson"],
    ["parquet", "calls.parquet"],
    ["sqlite", "calltally.sqlite"],
  ])(
    "a list of changed calls has each text as served, for the program that reads it: %s",
    async (format, file) => {
      using folder = makeChicago();
      expect(await folder.run(`${CHANGES} ${format}`)).toMatchObject({ code: 0 });
      const delimiter = format.endsWith(";") ? ";" : format.endsWith("tab") ? "\t" : ",";
      expect(await readTerms(folder, file, delimiter)).toEqual(TEXTS);
    },
  );

  it("a list of changed calls differs from a list for people, which has the guard against formulas", async () => {
    using folder = makeChicago();
    await folder.run("export calls --out changes");
    expect((await readTerms(folder, "calls.csv")).slice(1, 4)).toEqual(["'+austin", "'=1+1", "-2"]);
  });

  it("a list of changed calls is not written for Excel", async () => {
    using folder = makeChicago();
    expect(await folder.run(`${CHANGES} csv --profile excel`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--changed-since is for programs"),
    });
    expect(existsSync(join(folder.path, "changes"))).toBe(false);
  });
});

/** The rows that a table of each call must have after the first load, and after the changes. */
const rowOf = (index: number, term = TEXTS[index]) => ({
  call_id: index + 1,
  utm_term: term,
  started: `2026-10-25 14:${10 + index}:30`,
  local: `2026-10-25 09:${10 + index}:30`,
});
const FIRST = TEXTS.map((text, index) => rowOf(index, text));
const LATER = FIRST.flatMap((row) =>
  row.call_id === 1 ? { ...row, utm_term: "+changed" } : row.call_id === 2 ? [] : row,
);

/** Runs a program in the folder, which must succeed. */
function run(
  { path, env }: Folder,
  command: string,
  args: readonly string[],
  more: Record<string, string> = {},
) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: path,
    env: { ...env, ...more },
    encoding: "utf8",
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const POSTGRES_BIN = globSync("/usr/lib/postgresql/*/bin").at(-1) ?? "";
/** Postgres does not run as root. */
const POSTGRES_USER = process.getuid?.() === 0 ? userOf("postgres") : ownIds();
const hasPostgres =
  POSTGRES_BIN !== "" &&
  POSTGRES_USER !== undefined &&
  works("psql", "--version") &&
  works("jq", "--version");

/** The ids of a user; undefined if there is none. */
function userOf(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function ownIds() {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** A server that listens on a socket in its own folder. */
function startPostgres() {
  const path = mkdtempSync(join(tmpdir(), "calltally-test-"));
  if (POSTGRES_USER !== undefined) chownSync(path, POSTGRES_USER.uid, POSTGRES_USER.gid);
  const start = (program: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(join(POSTGRES_BIN, program), args, {
      ...POSTGRES_USER,
      cwd: path,
      encoding: "utf8",
      // The server keeps its streams.
      stdio: ["ignore", "ignore", "pipe"],
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  };
  const data = join(path, "data");
  start("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", data);
  const options = `-c listen_addresses='' -c unix_socket_directories='${path}' -c timezone=Asia/Kathmandu`;
  start("pg_ctl", "--pgdata", data, "--wait", "--options", options, "--log", join(path, "log"), "start");
  return {
    env: { PGHOST: path, PGUSER: "postgres", PGDATABASE: "postgres" },
    [Symbol.dispose]: () => {
      start("pg_ctl", "--pgdata", data, "--mode", "immediate", "stop");
      rmSync(path, { recursive: true });
    },
  };
}

describe.skipIf(!hasPostgres)(
  `load-changes of docs/pipelines.md${hasPostgres ? "" : " (SKIPPED: needs postgres, psql and jq)"}`,
  () => {
    it("loads odd texts and times of a zone into Postgres, then what changed", () => {
      using folder = makeChicago();
      using server = startPostgres();
      symlinkSync(dirname(BIN), join(folder.path, "dist"));
      for (const [name, code] of [
        ["load-changes", codeAfter("replaces it only after the load:")],
        ["load", codeAfter("`load`, into Postgres 15.")],
      ] as const) {
        writeFileSync(join(folder.path, name), code, { mode: 0o755 });
      }
      const load = () => {
        run(folder, "./load-changes", [], server.env);
        const query = `SELECT json_agg(row ORDER BY call_id) FROM (SELECT call_id, utm_term,
          to_char(call_started AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started,
          to_char(call_started_local, 'YYYY-MM-DD HH24:MI:SS') AS local FROM calls) AS row`;
        return JSON.parse(
          run(folder, "psql", ["--tuples-only", "--no-align", "--command", query], server.env),
        );
      };
      expect(load()).toEqual(FIRST);
      change(folder);
      expect(load()).toEqual(LATER);
      expect(load()).toEqual(LATER);
    });
  },
);

const PYTHON = process.env.PYTHON ?? "python3";
const hasDlt = works(PYTHON, "-c", "import dlt, duckdb, pyarrow");

describe.skipIf(!hasDlt)(
  `dlt recipe of docs/pipelines.md${hasDlt ? "" : " (SKIPPED: needs the Python packages dlt and duckdb)"}`,
  () => {
    it("loads odd texts and times of a zone into DuckDB, then what changed", () => {
      using folder = makeChicago();
      mkdirSync(join(folder.path, "bin"));
      symlinkSync(BIN, join(folder.path, "bin/calltally"));
      writeFileSync(join(folder.path, "load.py"), codeAfter("dlt 1.31 with DuckDB 2.0"));
      const env = {
        PATH: `${join(folder.path, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
        DLT_DATA_DIR: join(folder.path, "dlt"),
        RUNTIME__DLTHUB_TELEMETRY: "false",
        TZ: "Asia/Kathmandu",
      };
      const query = `import duckdb, json
file = duckdb.connect("calltally.duckdb")
file.execute("SET TimeZone = 'UTC'")
rows = file.execute("""SELECT call_id, utm_term, strftime(call_started, '%Y-%m-%d %H:%M:%S'),
  strftime(call_started_local, '%Y-%m-%d %H:%M:%S'), typeof(call_started_local) FROM marts.calls ORDER BY call_id""").fetchall()
print(json.dumps([dict(zip(["call_id", "utm_term", "started", "local", "type"], row)) for row in rows]))`;
      const load = () => {
        run(folder, PYTHON, ["load.py"], env);
        return JSON.parse(run(folder, PYTHON, ["-c", query], env));
      };
      const typed = (rows: typeof FIRST) => rows.map((row) => ({ ...row, type: "TIMESTAMP" }));
      expect(load()).toEqual(typed(FIRST));
      change(folder);
      expect(load()).toEqual(typed(LATER));
    });
  },
);
