import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { toCalltallyError } from "../../../src/base/known-error.ts";
import { BIN } from "../../support/run.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

/** A folder with a warehouse, and other files. */
function makePlace() {
  const folder = makeCallsFolder([FULL_CALL]);
  const { path } = folder;
  folder.write("empty", "");
  folder.write("text", "call_id,gclid\r\n");
  folder.write("aliases", "raw,value\nfb\n");
  new Database(join(path, "foreign.db")).exec("CREATE TABLE calls (call_id INTEGER)").close();
  execFileSync("mkfifo", [join(path, "pipe")]);
  mkdirSync(join(path, "folder"));
  symlinkSync("circle", join(path, "circle"));
  symlinkSync("nowhere", join(path, "dangling"));
  return folder;
}

const ACCESS = {
  CALLTALLY_BASE_URL: "http://127.0.0.1:1",
  CALLTALLY_RETRY_SECONDS: "0",
  CALLTALLY_TOKEN: "t",
};

const CASES: { line: string; env?: Record<string, string>; code: number; says: string }[] = [
  ...["empty", "text", "pipe", "dangling"].map((out) => ({
    line: `export channel --out ${out}/deeper`,
    code: 7,
    says: `${out}: a file of that name exists`,
  })),
  {
    line: "export channel",
    env: { CALLTALLY_EXPORT_DIR: "text" },
    code: 7,
    says: "a file of that name exists",
  },
  { line: "export channel --out=", code: 2, says: '--out "": is empty' },
  { line: "export --out a --stdout", code: 2, says: "Cannot use --out with --stdout, which writes no files" },
  { line: "export channel --database text/calls.db", code: 7, says: "There is no warehouse at" },
  { line: "export channel --database folder", code: 7, says: "it is a folder" },
  { line: "export channel --database pipe", code: 7, says: "it is not a file" },
  { line: "export channel --database circle", code: 7, says: "its links are circular" },
  { line: "export channel --database ~/calls.db", code: 2, says: "only a shell expands ~" },
  { line: "status --database=", code: 2, says: '--database "": is empty' },
  { line: "sync --database text/calls.db", code: 7, says: "text: a file of that name exists" },
  { line: "sync --database text/deeper/calls.db", code: 7, says: "text: a file of that name exists" },
  { line: "sync --database folder", code: 7, says: "it is a folder" },
  { line: "sync --database /proc/calltally.db", code: 7, says: "/proc/calltally.db" },
  { line: "restore --database folder data/calltally.db", code: 7, says: "as the warehouse: it is a folder" },
  { line: "restore --database pipe data/calltally.db", code: 7, says: "as the warehouse: it is not a file" },
  { line: "restore folder", code: 7, says: "folder: it is a folder" },
  { line: "restore text", code: 7, says: "text: it is not an SQLite database" },
  { line: "restore empty", code: 7, says: "empty: it is empty" },
  { line: "restore foreign.db", code: 7, says: "foreign.db: it is an SQLite database of another program" },
  { line: "restore nowhere.db", code: 7, says: "There is no backup at" },
  { line: "restore data/calltally.db", code: 2, says: "from itself" },
  { line: "backup folder", code: 7, says: "it is not a file" },
  { line: "backup folder/", code: 2, says: "must be a file, but ends like a folder" },
  { line: "backup text", code: 7, says: "it is a file of another kind" },
  { line: "backup text/backup.db", code: 7, says: "text: a file of that name exists" },
  { line: "backup data/calltally.db", code: 2, says: "it is a warehouse" },
  { line: `backup ${"b".repeat(240)}`, code: 7, says: ": name too long\nUse a shorter name.\n" },
  {
    line: "export --exclude-callers folder",
    code: 2,
    says: "Cannot read folder of --exclude-callers: it is a folder",
  },
  ...[
    ["CALLTALLY_ALIASES", "folder", "the aliases in folder: it is not a file"],
    ["CALLTALLY_ALIASES", "aliases", "line 2, column 1: has 1 values, and the header 2"],
  ].map(([name = "", value = "", says = ""]) => ({ line: "export", env: { [name]: value }, code: 2, says })),
  ...[
    ["folder", "cannot be read: it is a folder"],
    ["empty", "CALLTALLY_TOKEN_FILE: empty is empty"],
  ].map(([value = "", says = ""]) => {
    return { line: "sync", env: { CALLTALLY_TOKEN: "", CALLTALLY_TOKEN_FILE: value }, code: 2, says };
  }),
];

describe.skipIf(process.platform === "win32")("calltally with a missing or unexpected file", () => {
  it("names the problem, exits with its code, and writes nothing", async () => {
    using folder = makePlace();
    const list = () =>
      readdirSync(folder.path, { recursive: true })
        .filter((name) => !/\.lock$|-(wal|shm)$/.test(String(name)))
        .sort();
    const before = list();
    for (const { line, env = {}, code, says } of CASES) {
      // An export would check the origin of the warehouse first.
      const access = line.startsWith("export") ? { CALLTALLY_TOKEN: "t" } : ACCESS;
      const found = await folder.runWith({ ...access, ...env }, line);
      expect({ line, code: found.code, stdout: found.stdout }).toEqual({ line, code, stdout: "" });
      expect(found.stderr).toContain(says);
      expect(found.stderr).not.toContain(toCalltallyError(null).message);
      expect({ line, files: list() }).toEqual({ line, files: before });
    }
  });

  it("does not let an export overwrite the warehouse", async () => {
    using folder = makePlace();
    const at = "--database shared/channel.csv";
    expect(await folder.run(`restore data/calltally.db ${at}`)).toMatchObject({ code: 0 });
    expect(await folder.run(`export channel ${at} --out shared`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("shared/channel.csv: it is part of the warehouse"),
    });
    expect(await folder.run(`status ${at}`)).toMatchObject({ code: 0 });
  });

  it("reports that an empty list excludes no number", async () => {
    using folder = makePlace();
    const { code, stderr } = await folder.run("export channel --stdout --exclude-callers empty");
    expect(code).toBe(0);
    expect(stderr).toContain("The file of callers to leave out has no numbers: all callers count.\n");
  });

  it.each([
    {
      title: "its working folder is gone",
      script: 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"',
      code: 7,
      says: "Cannot find the working folder",
    },
    {
      title: "nobody reads its messages",
      script: '"$0" "$@" 2>&1 >/dev/null | true; (exec "$0" "$@" 2>&- >/dev/null)',
      code: 0,
      says: "",
    },
    {
      title: "standard output is full",
      script: 'exec "$0" "$@" > /dev/full',
      code: 7,
      says: "Cannot write to standard output: ENOSPC",
    },
  ])("exits with $code if $title", async ({ script, code, says }) => {
    using folder = makePlace();
    const list = join(folder.path, "empty");
    const args = ["export", "channel", "--stdout", "--exclude-callers", list];
    const child = spawn("/bin/sh", ["-c", script, process.execPath, BIN, ...args], {
      cwd: folder.path,
      env: { CALLTALLY_DATABASE: folder.database },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = new Promise((ended) => child.once("close", ended));
    const [found, stderr] = await Promise.all([closed, text(child.stderr)]);
    expect({ code: found, stderr }).toEqual({ code, stderr: expect.stringContaining(says) });
  });
});
