import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { toCalltallyError } from "../../src/base/known-error.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** A folder with a warehouse, and other files. */
async function makeFolder() {
  const temp = makeTempFolder();
  const { path } = temp;
  {
    await using sandbox = await startSandbox({ calls: 50 });
    expect(await calltally(["sync"], { cwd: path, env: settingsFor(sandbox) })).toMatchObject({ code: 0 });
  }
  for (const name of ["empty", "text"])
    writeFileSync(join(path, name), name === "empty" ? "" : "call_id,gclid\r\n");
  new Database(join(path, "foreign.db")).exec("CREATE TABLE calls (call_id INTEGER)").close();
  execFileSync("mkfifo", [join(path, "pipe")]);
  mkdirSync(join(path, "folder"));
  symlinkSync("circle", join(path, "circle"));
  symlinkSync("nowhere", join(path, "dangling"));
  writeFileSync(join(path, "aliases"), "raw,value\nfb\n");
  return temp;
}

const UNREACHABLE = { CALLTALLY_BASE_URL: "http://127.0.0.1:1", CALLTALLY_RETRY_SECONDS: "0" };
const EXPORT = ["export", "channel"];

interface Given {
  args: string[];
  env?: Record<string, string>;
  code: number;
  says: string;
}

const CASES: Given[] = [
  ...["empty", "text", "pipe", "dangling"].map((out) => ({
    args: [...EXPORT, "--out", `${out}/deeper`],
    code: 7,
    says: `${out}: a file of that name exists`,
  })),
  { args: EXPORT, env: { CALLTALLY_EXPORT_DIR: "text" }, code: 7, says: "a file of that name exists" },
  { args: [...EXPORT, "--out", ""], code: 2, says: '--out "": is empty' },
  {
    args: [...EXPORT, "--out", "a", "--stdout"],
    code: 2,
    says: "Cannot use --out with --stdout, which writes no files",
  },
  { args: [...EXPORT, "--database", "text/calls.db"], code: 7, says: "There is no warehouse at" },
  { args: [...EXPORT, "--database", "folder"], code: 7, says: "it is a folder" },
  { args: [...EXPORT, "--database", "pipe"], code: 7, says: "it is not a file" },
  { args: [...EXPORT, "--database", "circle"], code: 7, says: "its links are circular" },
  { args: ["status", "--database", ""], code: 2, says: '--database "": is empty' },
  { args: ["sync", "--database", "text/calls.db"], code: 7, says: "text: a file of that name exists" },
  { args: ["sync", "--database", "folder"], code: 7, says: "it is a folder" },
  ...["folder", "pipe"].map((name) => ({
    args: ["restore", "--database", name, "data/calltally.db"],
    code: 7,
    says: `${name} as the warehouse: it is ${name === "folder" ? "a folder" : "not a file"}`,
  })),
  { args: ["restore", "folder"], code: 7, says: "folder: it is a folder" },
  { args: ["restore", "text"], code: 7, says: "text: it is not an SQLite database" },
  { args: ["restore", "empty"], code: 7, says: "empty: it is empty" },
  {
    args: ["restore", "foreign.db"],
    code: 7,
    says: "foreign.db: it is an SQLite database of another program",
  },
  { args: ["restore", "nowhere.db"], code: 7, says: "There is no backup at" },
  { args: ["restore", "data/calltally.db"], code: 2, says: "from itself" },
  { args: ["backup", "folder"], code: 7, says: "it is not a file" },
  { args: ["backup", "folder/"], code: 2, says: "must be a file, but ends like a folder" },
  { args: ["backup", "text"], code: 7, says: "it is not a calltally backup" },
  { args: ["backup", "text/backup.db"], code: 7, says: "text: a file of that name exists" },
  { args: ["backup", "data/calltally.db"], code: 2, says: "the warehouse uses this file" },
  {
    args: [...EXPORT, "--exclude-callers", "folder"],
    code: 2,
    says: "Cannot read folder of --exclude-callers: it is a folder",
  },
  {
    args: EXPORT,
    env: { CALLTALLY_ALIASES: "folder" },
    code: 2,
    says: "the aliases in folder: it is not a file",
  },
  {
    args: EXPORT,
    env: { CALLTALLY_ALIASES: "aliases" },
    code: 2,
    says: "line 2, column 1: has 1 values, and the header 2",
  },
  {
    args: ["sync"],
    env: { CALLTALLY_TOKEN_FILE: "folder" },
    code: 2,
    says: "cannot be read: it is a folder",
  },
  {
    args: ["sync"],
    env: { CALLTALLY_TOKEN_FILE: "empty" },
    code: 2,
    says: "CALLTALLY_TOKEN_FILE: empty is empty",
  },
  { args: ["webhook", "patch", "1", "--file", "folder"], code: 2, says: "folder: it is a folder" },
  {
    args: [...EXPORT, "--database", "~/calls.db"],
    code: 2,
    says: "only a shell expands ~",
  },
];

describe.skipIf(process.platform === "win32")("calltally with a missing or unexpected file", () => {
  it("names the problem, exits with its code, and writes nothing", async () => {
    using folder = await makeFolder();
    const { path } = folder;
    const list = () =>
      readdirSync(path, { recursive: true })
        .filter((name) => !String(name).endsWith(".lock"))
        .sort();
    const before = list();
    for (const { args, env, code, says } of CASES) {
      const found = await calltally(args, {
        cwd: path,
        // An export would check the origin of the warehouse first.
        env: { ...(args[0] !== "export" && UNREACHABLE), CALLTALLY_TOKEN: "t", ...env },
      });
      expect({ args, code: found.code, stdout: found.stdout }).toEqual({ args, code, stdout: "" });
      expect(found.stderr).toContain(says);
      expect(found.stderr).not.toContain(toCalltallyError(null).message);
      expect({ args, files: list() }).toEqual({ args, files: before });
    }
  });

  it("does not let an export overwrite the warehouse", async () => {
    using folder = await makeFolder();
    const database = join(folder.path, "shared", "channel.csv");
    expect(
      await calltally(["restore", "data/calltally.db", "--database", database], { cwd: folder.path }),
    ).toMatchObject({ code: 0 });
    const args = [...EXPORT, "--database", database, "--out", "shared"];
    const { code, stderr } = await calltally(args, { cwd: folder.path });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("that path is the warehouse"),
    });
    expect(await calltally(["status", "--database", database], { cwd: folder.path })).toMatchObject({
      code: 0,
    });
  });

  it("reports that an empty list excludes no number", async () => {
    using folder = await makeFolder();
    const args = [...EXPORT, "--stdout", "--exclude-callers", "empty"];
    expect(await calltally(args, { cwd: folder.path })).toMatchObject({
      code: 0,
      stderr:
        "First-time callers of these days may be too many: fewer than 90 days of calls lie before them.\n" +
        "The file of callers to leave out has no numbers: all callers count.\n" +
        "The latest days are provisional: late transcripts and corrections may still come.\n",
    });
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
    using folder = await makeFolder();
    const args = [
      "-c",
      script,
      process.execPath,
      resolve("dist/bin.js"),
      ...EXPORT,
      "--stdout",
      "--exclude-callers",
      join(folder.path, "empty"),
    ];
    const child = spawn("/bin/sh", args, {
      cwd: folder.path,
      env: { CALLTALLY_DATABASE: join(folder.path, "data/calltally.db") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const closed = new Promise((ended) => child.once("close", ended));
    const [found, stderr] = await Promise.all([closed, text(child.stderr)]);
    expect({ code: found, stderr }).toEqual({ code, stderr: expect.stringContaining(says) });
  });
});
