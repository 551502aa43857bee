import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { startRowService, syncFrom, TOKEN } from "../support/row-service.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readColumn, readIds, readRows } from "../support/warehouse.ts";

const PAGE_SIZE = 16_384;
const isRoot = process.getuid?.() === 0;

/** Calls with so much text that they fill many pages of a database. */
const ROWS = Array.from({ length: 300 }, (_, index) =>
  JSON.stringify({
    call_id: index + 1,
    call_started: new Date(Date.parse("2026-11-20T00:00:00.000Z") - index * 3_600_000).toISOString(),
    dni_data: { referring_url: `https://www.example.com/${"path/".repeat(200)}` },
    transcription: "What was said. ".repeat(300),
  }),
);
const IDS = ROWS.map((_, index) => index + 1);

const optionsFor = (url: URL, cwd: string, database: string) => ({
  cwd,
  env: { ...settingsFor({ url: url.origin, token: TOKEN }), CALLTALLY_DATABASE: database },
});

/** Writes over some bytes of a file. */
function overwrite(file: string, position: number, length: number): void {
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(length, 0xa5), 0, length, position);
  closeSync(handle);
}

/** Positions of the leaves of b-trees of tables (SQLite file format § 1.6). */
function findLeaves(file: string): number[] {
  const bytes = readFileSync(file);
  const positions = Array.from({ length: bytes.length / PAGE_SIZE }, (_, page) => page * PAGE_SIZE);
  return positions.filter((position) => bytes[position] === 0x0d);
}

/** Where a page begins that no sync of calls reads. */
const findInsights = (file: string) =>
  (Number(readColumn(file, "SELECT pageno FROM dbstat WHERE name = 'insights'")[0]) - 1) * PAGE_SIZE;

/** What a warehouse may have become, and what is said of it. */
const DAMAGES: { title: string; damage: (file: string) => void; says: string }[] = [
  { title: "empty", damage: (file) => truncateSync(file, 0), says: "it is empty" },
  {
    title: "text",
    damage: (file) => writeFileSync(file, "call_id,gclid\r\n"),
    says: "it is not an SQLite database",
  },
  {
    title: "another program's",
    damage: (file) => {
      truncateSync(file, 0);
      const sqlite = new Database(file);
      sqlite.exec("CREATE TABLE calls (call_id INTEGER); INSERT INTO calls VALUES (1)");
      sqlite.close();
    },
    says: "it is an SQLite database of another program",
  },
  {
    title: "a newer calltally's",
    damage: (file) => {
      const sqlite = new Database(file);
      sqlite.pragma("user_version = 1000");
      sqlite.close();
    },
    says: "its schema is version 1000",
  },
  {
    title: "a development version's",
    damage: (file) => {
      const sqlite = new Database(file);
      sqlite.pragma("user_version = 19");
      sqlite.close();
    },
    says: "it was made by a development version of calltally",
  },
  {
    title: "cut off in the middle",
    damage: (file) => truncateSync(file, PAGE_SIZE * 11 + 4000),
    says: "database disk image is malformed",
  },
  {
    title: "overwritten in its first page, behind the header",
    damage: (file) => overwrite(file, 100, 2000),
    says: "database disk image is malformed",
  },
  {
    title: "overwritten in a leaf of a b-tree",
    damage: (file) => {
      const leaves = findLeaves(file);
      overwrite(file, leaves[leaves.length >> 1] ?? 0, PAGE_SIZE);
    },
    says: "the file is damaged",
  },
];

describe("sync, with a database file that it cannot use", () => {
  it.each([
    ...DAMAGES.map((given) => ({ ...given, flags: [] })),
    ...DAMAGES.slice(-1).map((given) => ({ ...given, flags: ["--full"] })),
  ])(
    "ends with 7, names the file and leaves it as it was: $title $flags",
    async ({ damage, says, flags }) => {
      using folder = makeTempFolder();
      await using service = await startRowService(ROWS);
      await syncFrom(service, folder.path, { limit: 1000 });
      const requests = service.requests.length;
      const file = join(folder.path, "calls.db");
      damage(file);
      const bytes = readFileSync(file);

      const options = optionsFor(service.url, folder.path, "calls.db");
      // The whole file is not checked in each run by default.
      const env = { ...options.env, CALLTALLY_CHECK_EVERY_HOURS: "0" };
      const { code, stdout, stderr } = await calltally(["sync", ...flags], { ...options, env });
      expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
      expect(stderr).toContain(`calltally: Cannot use ${file}`);
      expect(stderr).toContain(says);
      expect(readFileSync(file).equals(bytes)).toBe(true);
      expect(readdirSync(folder.path).sort()).toEqual(["calls.db", "calls.db.lock"]);
      expect(service.requests).toHaveLength(requests);

      renameSync(file, join(folder.path, "damaged.db"));
      expect(await calltally(["sync"], options)).toMatchObject({ code: 0, stderr: "" });
      expect(readIds(file)).toEqual(IDS);
    },
  );
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe("sync, with damage that only a look at the whole file finds", () => {
  it.each([
    { when: "was checked a day ago", last: {}, code: 0 },
    { when: "was checked 169 hours ago", last: { file_checked_at: hoursAgo(169) }, code: 7 },
    {
      when: "was checked in the future, by a clock that was wrong",
      last: { file_checked_at: hoursAgo(-2) },
      code: 7,
    },
    { when: "the last run failed", last: { status: "failed" }, code: 7 },
    { when: "the last run was killed", last: { status: "running" }, code: 7 },
    { when: "the last run was stopped", last: { status: "interrupted" }, code: 0 },
  ])("ends with $code where the file $when", async ({ last, code }) => {
    using folder = makeTempFolder();
    await using service = await startRowService(ROWS);
    await syncFrom(service, folder.path, { limit: 1000 });
    const file = join(folder.path, "calls.db");
    const database = new Database(file);
    expect(database.prepare("SELECT file_checked_at IS NOT NULL FROM sync_runs").pluck().all()).toEqual([1]);
    const { file_checked_at = hoursAgo(24), status = "done" }: { file_checked_at?: string; status?: string } =
      last;
    database.prepare("UPDATE sync_runs SET file_checked_at = ?, status = ?").run(file_checked_at, status);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    overwrite(file, findInsights(file), PAGE_SIZE);
    const result = await calltally(["sync"], optionsFor(service.url, folder.path, "calls.db"));
    expect(result.code).toBe(code);
  });
});

describe("sync, where it cannot write", () => {
  it.each(["notes.txt/calls.db", "notes.txt/deeper/calls.db"])(
    "ends with 7 and names the file when a file stands in place of a folder: %s",
    async (database) => {
      using folder = makeTempFolder();
      await using service = await startRowService(ROWS);
      writeFileSync(join(folder.path, "notes.txt"), "not a folder");
      const options = optionsFor(service.url, folder.path, database);
      const { code, stdout, stderr } = await calltally(["sync"], options);
      expect({ code, stdout, requests: service.requests.length }).toEqual({
        code: 7,
        stdout: "",
        requests: 0,
      });
      expect(stderr).toContain(join(folder.path, "notes.txt"));
      expect(readdirSync(folder.path)).toEqual(["notes.txt"]);
      expect(readFileSync(join(folder.path, "notes.txt"), "utf8")).toBe("not a folder");
    },
  );

  it("ends with 7 and names the file when a folder stands in its place", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(ROWS);
    mkdirSync(join(folder.path, "calls.db"));
    const { code, stderr } = await calltally(["sync"], optionsFor(service.url, folder.path, "calls.db"));
    expect(code).toBe(7);
    expect(stderr).toContain(join(folder.path, "calls.db"));
  });

  it.skipIf(!existsSync("/proc/self"))("ends with 7 and names the file in /proc", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(ROWS);
    const options = optionsFor(service.url, folder.path, "/proc/calltally.db");
    const { code, stdout, stderr } = await calltally(["sync"], options);
    expect({ code, stdout, requests: service.requests.length }).toEqual({ code: 7, stdout: "", requests: 0 });
    expect(stderr).toContain("/proc/calltally.db");
  });

  it.skipIf(isRoot)(
    `ends with 7 in a folder without write permission${isRoot ? " (SKIPPED: as root)" : ""}`,
    async () => {
      using folder = makeTempFolder();
      await using service = await startRowService(ROWS);
      const closed = join(folder.path, "closed");
      mkdirSync(closed);
      chmodSync(closed, 0o500);
      const { code, stderr } = await calltally(
        ["sync"],
        optionsFor(service.url, folder.path, "closed/calls.db"),
      );
      expect(code).toBe(7);
      expect(stderr).toContain(join(closed, "calls.db"));
      expect(readdirSync(closed)).toEqual([]);
    },
  );
});

/** Mounts a file system in memory over a folder, until the end of the scope. */
function mountTmpfs(folder: string, size: string): Disposable {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  return { [Symbol.dispose]: () => void execFileSync("umount", [folder]) };
}

const remount = (folder: string, option: string) =>
  execFileSync("mount", ["-o", `remount,${option}`, folder], { stdio: "ignore" });

function mayMount(): boolean {
  using folder = makeTempFolder();
  try {
    mountTmpfs(folder.path, "1m")[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

const canMount = mayMount();
const unlessSkipped = canMount ? "" : " (SKIPPED: may not mount a tmpfs here)";

describe("sync, on a disk without room", () => {
  it.skipIf(!canMount).each([
    { size: "1800k", state: "that fills up in mid-run", hasCalls: true },
    { size: "16k", state: "too full for the first page of a warehouse", hasCalls: false },
    { size: "48k", state: "too full for the tables of a warehouse", hasCalls: false },
  ])(`ends with 7, and completes when there is room: $state${unlessSkipped}`, async ({ size, hasCalls }) => {
    using folder = makeTempFolder();
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    using _mounted = mountTmpfs(disk, size);
    await using service = await startRowService(ROWS);
    const file = join(disk, "calls.db");
    const { cwd, env } = optionsFor(service.url, folder.path, file);
    const options = { cwd, env: { ...env, CALLTALLY_LIMIT: "40" } };
    const { code, stdout, stderr } = await calltally(["sync"], options);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(`calltally: Cannot use ${file} (SQLITE_FULL): database or disk is full`);
    expect(stderr).toContain("\nMake room on its disk, and run it again");
    expect(readdirSync(disk).includes("calls.db")).toBe(hasCalls);
    expect(readdirSync(disk).filter((name) => name.includes(".tmp"))).toEqual([]);

    if (hasCalls) {
      const status = await calltally(["status", "--json"], options);
      expect({ code: status.code, status: JSON.parse(status.stdout) }).toMatchObject({
        code: 3,
        status: { runs: [{ verdict: null }] },
      });
      const kept = readIds(file);
      expect(kept.length).toBeGreaterThan(0);
      expect(kept).toEqual(IDS.slice(0, kept.length));
      expect(readRows(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    }

    remount(disk, "size=32m");
    const again = await calltally(["sync", "--json"], options);
    expect({ code: again.code, run: JSON.parse(again.stdout) }).toMatchObject({
      code: 0,
      run: { verdict: "exact", calls_read: 300, calls_new: 300 },
    });
    expect(readdirSync(disk).sort()).toEqual(["calls.db", "calls.db.lock"]);
    expect(readIds(file)).toEqual(IDS);
    expect(readRows(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it.skipIf(!canMount)(`says so when not a byte is left, and keeps what it had${unlessSkipped}`, async () => {
    using folder = makeTempFolder();
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    using _mounted = mountTmpfs(disk, "8m");
    await using service = await startRowService(ROWS);
    const file = join(disk, "calls.db");
    const options = optionsFor(service.url, folder.path, file);
    expect((await calltally(["sync"], options)).code).toBe(0);
    const bytes = readFileSync(file);
    fill(join(disk, "ballast"));
    const { code, stderr } = await calltally(["sync", "--full"], options);
    expect(code).toBe(7);
    expect(stderr).toContain(`Cannot use ${file}`);
    expect(stderr).toContain("full");
    expect(readFileSync(file).equals(bytes)).toBe(true);
    remount(disk, "size=16m");
    expect((await calltally(["sync", "--full"], options)).code).toBe(0);
    expect(readIds(file)).toEqual(IDS);
  });

  it.skipIf(!canMount)(`ends with 7 on a disk that is mounted read-only${unlessSkipped}`, async () => {
    using folder = makeTempFolder();
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    using _mounted = mountTmpfs(disk, "8m");
    await using service = await startRowService(ROWS);
    const file = join(disk, "calls.db");
    openWarehouse(file)[Symbol.dispose]();
    const bytes = readFileSync(file);
    remount(disk, "ro");
    const { code, stdout, stderr } = await calltally(["sync"], optionsFor(service.url, folder.path, file));
    expect({ code, stdout, requests: service.requests.length }).toEqual({ code: 7, stdout: "", requests: 0 });
    expect(stderr).toContain(file);
    expect(stderr).toContain("read-only file system");
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

/** Writes a file until there is no room left. */
function fill(file: string): void {
  const handle = openSync(file, "w");
  try {
    for (;;) writeSync(handle, Buffer.alloc(4096));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(handle);
  }
}
