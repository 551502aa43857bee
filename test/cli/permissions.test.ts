import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { CAUTIONS } from "../support/cautions.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeSandboxFolder } from "./folder.ts";
import { skipped, uid, unlessSkipped } from "./other-user.ts";

/** Any time longer ago than the resolution of file times. */
const LONG_AGO = new Date("2026-01-01");

let made: Promise<Buffer> | undefined;

/** The file of a warehouse with calls. */
async function makeWarehouse(): Promise<Buffer> {
  await using temp = await makeSandboxFolder({ calls: 300 });
  expect(await temp.run("sync")).toMatchObject({ code: 0 });
  return readFileSync(temp.database);
}

/** A warehouse in a folder of its own, and a working folder next to it; both of the user of the program. */
async function makePlace() {
  made ??= makeWarehouse();
  const temp = makeTempFolder();
  const cwd = join(temp.path, "work");
  const folder = join(temp.path, "srv");
  const database = join(folder, "calls.db");
  chmodSync(temp.path, 0o755);
  for (const path of [cwd, folder]) mkdirSync(path);
  writeFileSync(database, await made, { mode: 0o600 });
  utimesSync(database, LONG_AGO, LONG_AGO);
  if (uid !== undefined) for (const path of [cwd, folder, database]) chownSync(path, uid, uid);
  const run = (args: string[], env: Record<string, string> = {}, umask?: string) =>
    calltally(args, { cwd, env: { CALLTALLY_DATABASE: database, ...env }, uid, umask });
  return {
    cwd,
    folder,
    database,
    run,
    [Symbol.dispose]: () => {
      chmodSync(folder, 0o700);
      temp[Symbol.dispose]();
    },
  };
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe.skipIf(skipped)(`exported files${unlessSkipped}`, () => {
  it("follow the umask, except personal data, the warehouse and its key", async () => {
    const [umask, file, folder] = ["022", "644", "755"];
    using place = await makePlace();
    const contents = [
      ...["export", "channel", "calls", "google-ads", "google-leads", "--conversion-name", "Call"],
    ];
    const shared = await place.run([...contents, "--out", "deep/out"], {}, umask);
    expect(shared).toMatchObject({ code: 0, stderr: "" });
    const out = join(place.cwd, "deep/out");
    const modes = Object.fromEntries(readdirSync(out).map((name) => [name, modeOf(join(out, name))]));
    expect(modes).toEqual({
      "calls.csv": file,
      "channel.csv": file,
      "google-ads.csv": file,
      "google-ads.excluded.csv": file,
      "google-leads.csv": "600",
      "google-leads.excluded.csv": file,
      "manifest.json": file,
    });
    expect([modeOf(out), modeOf(join(place.cwd, "deep"))]).toEqual([folder, folder]);
    expect([modeOf(place.database), modeOf(`${place.database}.caller-key`)]).toEqual(["600", "600"]);

    // In sub-folders, with numbers in it.
    const calls = ["export", "calls", "--out", "deep/out", "--with", "caller_id", "--format", "parquet"];
    expect(await place.run(calls, {}, umask)).toMatchObject({ code: 0 });
    const [month = ""] = readdirSync(join(out, "calls"));
    expect(modeOf(join(out, "calls", month))).toBe(folder);
    expect(modeOf(join(out, "calls", month, "calls.parquet"))).toBe("600");
  });
});

const READS = [
  ["status"],
  ["query", "SELECT count(*) FROM calls"],
  ["schema", "calls"],
  ["schedule", "--list"],
  ["export", "--out", "out"],
  ["export", "channel", "--stdout"],
  ["backup", "backup.db"],
];

describe.skipIf(skipped)(`the default folders${unlessSkipped}`, () => {
  it("are closed to others by each command that writes if they were open", async () => {
    using place = await makePlace();
    await using sandbox = await startSandbox({ calls: 10 });
    const { cwd } = place;
    writeFileSync(join(cwd, "token"), sandbox.token, { mode: 0o600 });
    const yaml = `accounts: { acme: { base_url: "${sandbox.url}", token_file: token } }
reports: { weekly: { contents: [channel] } }\n`;
    writeFileSync(join(cwd, "calltally.yaml"), yaml);
    if (uid !== undefined) chownSync(join(cwd, "token"), uid, uid);
    const options = { cwd, uid, umask: "022" };
    expect(await calltally(["sync"], options)).toMatchObject({ code: 0, stderr: "" });
    expect(await calltally(["run", "weekly"], options)).toMatchObject({ code: 0, stderr: "" });
    const folders = [join(cwd, "data"), join(cwd, "reports")];
    expect(folders.map(modeOf)).toEqual(["700", "700"]);
    for (const args of [["sync"], ["export"], ["report"], ["run", "weekly"], ["job", "export"]]) {
      for (const folder of folders) chmodSync(folder, 0o755);
      expect((await calltally([...args, "--quiet"], options)).code).toBe(0);
      expect(folders.map(modeOf), args.join(" ")).toEqual(["700", "700"]);
    }
  });
});

describe.skipIf(skipped)(`read-only warehouse${unlessSkipped}`, () => {
  it("is read without writing anything next to it", async () => {
    using place = await makePlace();
    chmodSync(place.database, 0o400);
    chmodSync(place.folder, 0o500);
    const results = await Promise.all(READS.map((args) => place.run(args)));
    expect(results.map(({ code, stderr }, index) => [READS[index]?.[0], code, stderr])).toEqual(
      READS.map((args) => [args[0], 0, args.includes("--stdout") ? CAUTIONS : ""]),
    );
    expect(results[1]?.stdout).toContain("300");
    expect(results[4]?.stdout).toMatch(
      /The warehouse is read-only here, so it does not record these files\.\n$/,
    );
    const doctor = await place.run(["doctor", "--all"]);
    expect(doctor.stdout).not.toMatch(/^fail +folders/m);
    expect(doctor.stdout).toMatch(/^ok +warehouse +300 calls/m);
    expect(doctor.stdout).toMatch(
      /^warn +folders +Cannot write to .*: permission denied; the warehouse in it can be read$/m,
    );
    expect(readdirSync(place.folder)).toEqual(["calls.db"]);

    // The same figures as for a user who may write.
    chmodSync(place.database, 0o600);
    chmodSync(place.folder, 0o700);
    expect(await place.run(["export", "channel", "--stdout"])).toEqual(results[5]);
  });

  it("is not opened for writing in a writable folder: a log of this user would lock out its owner", async () => {
    using place = await makePlace();
    chmodSync(place.database, 0o400);
    expect(await place.run(["status"])).toMatchObject({ code: 0, stderr: "" });
    const api = { CALLTALLY_BASE_URL: "http://127.0.0.1:1", CALLTALLY_TOKEN: "t" };
    const sync = await place.run(["sync"], api);
    expect(sync).toMatchObject({ code: 7, stdout: "" });
    expect(sync.stderr).toContain(`Cannot write to ${place.database}: permission denied`);
    expect(sync.stderr).toMatch(/may not write to .*calls\.db\./);
    expect(readdirSync(place.folder)).toEqual(["calls.db"]);
  });

  it("gives no figures by other rules than those in its settings", async () => {
    using place = await makePlace();
    chmodSync(place.database, 0o400);
    chmodSync(place.folder, 0o500);
    const env = { CALLTALLY_QUALIFIED_SECONDS: "5" };
    const { code, stdout, stderr } = await place.run(["export", "--out", "out"], env);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain("Cannot apply the attribution settings");
    expect(readdirSync(place.cwd)).toEqual([]);
  });

  it.each([
    {
      title: "a folder that may not be entered",
      folder: 0o600,
      file: 0o600,
      says: /may not enter the folder .*srv\. Run this as its owner, or change its permissions\.\n$/,
    },
    {
      title: "a file that may not be read",
      folder: 0o700,
      file: 0o000,
      says: /may not read .*calls\.db\. Run this as its owner, or change its permissions\.\n$/,
    },
  ])("is not reported as missing: $title", async ({ folder, file, says }) => {
    using place = await makePlace();
    symlinkSync(place.database, join(place.cwd, "link.db"));
    chmodSync(place.database, file);
    chmodSync(place.folder, folder);
    const commands = READS.filter(([name]) => name !== "schema");
    const results = await Promise.all([
      ...commands.map((args) => place.run(args)),
      place.run(["status"], { CALLTALLY_DATABASE: "link.db" }),
    ]);
    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
      expect(stderr).toMatch(says);
      expect(stderr).toContain("permission denied");
    }
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).toMatch(/^fail +warehouse +Cannot (look at|open) .*: permission denied$/m);
  });

  it("does not hide that a token cannot be read", async () => {
    using place = await makePlace();
    writeFileSync(join(place.cwd, "token"), "t", { mode: 0o000 });
    const { code, stderr } = await place.run(["sync"], {
      CALLTALLY_BASE_URL: "http://127.0.0.1:1",
      CALLTALLY_TOKEN_FILE: "token",
    });
    expect(code).toBe(2);
    expect(stderr).toContain("CALLTALLY_TOKEN_FILE: cannot be read: permission denied");
  });
});
