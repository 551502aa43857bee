import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { startRowService, TOKEN } from "../support/call-service.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds, readRows } from "../support/warehouse.ts";

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

describe("sync that cannot write", () => {
  it.each(["notes.txt/calls.db", "notes.txt/deeper/calls.db"])(
    "exits with 7 and names the file if a file is in the place of a folder: %s",
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

  it("exits with 7 and names the file if a folder is in its place", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(ROWS);
    mkdirSync(join(folder.path, "calls.db"));
    const { code, stderr } = await calltally(["sync"], optionsFor(service.url, folder.path, "calls.db"));
    expect(code).toBe(7);
    expect(stderr).toContain(join(folder.path, "calls.db"));
  });

  it.skipIf(!existsSync("/proc/self"))("exits with 7 and names the file in /proc", async () => {
    using folder = makeTempFolder();
    await using service = await startRowService(ROWS);
    const options = optionsFor(service.url, folder.path, "/proc/calltally.db");
    const { code, stdout, stderr } = await calltally(["sync"], options);
    expect({ code, stdout, requests: service.requests.length }).toEqual({ code: 7, stdout: "", requests: 0 });
    expect(stderr).toContain("/proc/calltally.db");
  });

  it.skipIf(isRoot)(
    `exits with 7 in a folder without write permission${isRoot ? " (SKIPPED: as root)" : ""}`,
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

/** Mounts a file system in memory on a folder, until the end of the scope. */
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

describe("sync on a full disk", () => {
  it.skipIf(!canMount).each([
    { size: "2000k", state: "that fills up during the run", hasCalls: true },
    { size: "16k", state: "too full for the first page of a warehouse", hasCalls: false },
    { size: "48k", state: "too full for the tables of a warehouse", hasCalls: false },
  ])(`exits with 7, and completes when there is room: $state${unlessSkipped}`, async ({ size, hasCalls }) => {
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

  it.skipIf(!canMount)(`names a full folder for temporary files${unlessSkipped}`, async () => {
    using folder = makeTempFolder();
    const disk = join(folder.path, "temporary");
    mkdirSync(disk);
    using _mounted = mountTmpfs(disk, "64k");
    await using service = await startRowService(ROWS);
    const options = optionsFor(service.url, folder.path, join(folder.path, "calls.db"));
    expect((await calltally(["sync"], options)).code).toBe(0);
    const args = ["export", "calls", "--format", "sqlite", "--out", "out"];
    const made = await calltally(args, { ...options, env: { ...options.env, TMPDIR: disk } });
    expect(made).toMatchObject({
      code: 7,
      stderr: `calltally: Cannot make calltally.sqlite in ${disk}: database or disk is full\nFree space in the folder for temporary files, or name another one in TMPDIR.\n`,
    });
    expect(readdirSync(disk)).toEqual([]);
  });

  it.skipIf(!canMount)(`reports that no byte is left, and keeps what it stored${unlessSkipped}`, async () => {
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

  it.skipIf(!canMount)(`exits with 7 on a disk that is mounted read-only${unlessSkipped}`, async () => {
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
