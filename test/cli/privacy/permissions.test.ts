import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import { startSandbox } from "../../../src/sandbox/server.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { CAUTIONS } from "../../support/cautions.ts";
import { calltally, settingsFor } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeSandboxFolder } from "../folder.ts";
import { isRoot, NOBODY, skipped, uid, unlessSkipped } from "./other-user.ts";

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
  it.each([
    { umask: "022", file: "644", folder: "755" },
    { umask: "077", file: "600", folder: "700" },
  ])("follow the umask $umask, except personal data, the warehouse and its key", async (expected) => {
    using place = await makePlace();
    const contents = [
      "export",
      "channel",
      "calls",
      "google-ads",
      "google-leads",
      "--conversion-name",
      "Call",
    ];
    const shared = await place.run([...contents, "--out", "deep/out"], {}, expected.umask);
    expect(shared).toMatchObject({ code: 0, stderr: "" });
    const out = join(place.cwd, "deep/out");
    const modes = Object.fromEntries(readdirSync(out).map((name) => [name, modeOf(join(out, name))]));
    const { file, folder } = expected;
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

    // The same name again, with numbers in it; and in sub-folders.
    const calls = ["export", "calls", "--out", "deep/out", "--with", "caller_id"];
    expect(await place.run(calls, {}, expected.umask)).toMatchObject({ code: 0 });
    expect([modeOf(join(out, "calls.csv")), modeOf(join(out, "manifest.json"))]).toEqual(["600", file]);
    expect(await place.run([...calls, "--format", "parquet"], {}, expected.umask)).toMatchObject({ code: 0 });
    const [month = ""] = readdirSync(join(out, "calls"));
    expect([modeOf(join(out, "calls")), modeOf(join(out, "calls", month))]).toEqual([folder, folder]);
    expect(modeOf(join(out, "calls", month, "calls.parquet"))).toBe("600");
  });

  it.skipIf(!isRoot)(
    `an exported file gets the group of a setgid folder${isRoot ? "" : " (SKIPPED: not root)"}`,
    async () => {
      using place = await makePlace();
      const group = 64_000;
      const out = join(place.cwd, "shared");
      mkdirSync(out);
      chownSync(out, NOBODY, group);
      chmodSync(out, 0o2770);
      const args = ["export", "calls", "--out", out, "--format", "parquet"];
      expect(await place.run(args, {}, "027")).toMatchObject({ code: 0 });
      const [month = ""] = readdirSync(join(out, "calls"));
      const paths = ["manifest.json", "calls", `calls/${month}`, `calls/${month}/calls.parquet`];
      const found = paths.map((path) => [statSync(join(out, path)).gid, modeOf(join(out, path))]);
      expect(found).toEqual([
        [group, "640"],
        [group, "2750"],
        [group, "2750"],
        [group, "640"],
      ]);
      expect(modeOf(out)).toBe("2770");
    },
  );

  it("only the owner can read exports in the default layout, in which the warehouse closes its folder", async () => {
    using place = await makePlace();
    await using sandbox = await startSandbox({ calls: 10 });
    const options = { cwd: place.cwd, env: settingsFor(sandbox), uid, umask: "022" };
    expect(await calltally(["sync"], options)).toMatchObject({ code: 0 });
    expect(await calltally(["export"], options)).toMatchObject({ code: 0 });
    const modes = ["data", "data/calltally.db", "data/exports", "data/exports/manifest.json"];
    expect(modes.map((path) => modeOf(join(place.cwd, path)))).toEqual(["700", "600", "755", "644"]);
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
  it("each command that writes closes open default folders to others", async () => {
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

  it.skipIf(!isRoot)(
    `that cannot be closed are named once by sync and export${isRoot ? "" : " (SKIPPED: not root)"}`,
    async () => {
      using place = await makePlace();
      await using sandbox = await startSandbox({ calls: 10 });
      const { cwd } = place;
      mkdirSync(join(cwd, "data"));
      chmodSync(join(cwd, "data"), 0o777);
      const options = { cwd, env: settingsFor(sandbox), uid, umask: "022" };
      const remark =
        "Other users can enter data, and this user cannot change that: its owner can, by chmod 700 data.\n";
      expect(await calltally(["sync"], options)).toMatchObject({ code: 0, stderr: remark });
      expect(await calltally(["export"], options)).toMatchObject({ code: 0, stderr: remark });
      expect(await calltally(["status"], options)).toMatchObject({ code: 0, stderr: "" });
    },
  );
});

describe.skipIf(skipped)(`read-only warehouse${unlessSkipped}`, () => {
  it("a read-only warehouse is read without a write next to it", async () => {
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
    const ids = await place.run(["query", "--format", "csv", "SELECT min(call_id) FROM calls"]);
    expect(await place.run(["explain", ids.stdout.split("\r\n")[1] ?? ""])).toMatchObject({
      code: 0,
      stderr: "",
    });
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

  it("a read-only warehouse in a writable folder is not opened for writing: a log of this user would lock out its owner", async () => {
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
    for (const args of [
      ["--out", "out"],
      ["channel", "--stdout"],
    ]) {
      const { code, stdout, stderr } = await place.run(["export", ...args], env);
      expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
      expect(stderr).toContain("Cannot apply the attribution settings");
    }
    expect(readdirSync(place.cwd)).toEqual([]);
  });

  it("a read-only warehouse is read with its writer's log, but not if the log's index is missing", async () => {
    using place = await makePlace();
    {
      using writer = openExistingWarehouse(place.database);
      writer.sqlite.exec("UPDATE sync_runs SET advice = 'from the log'");
      for (const suffix of ["", "-wal", "-shm"]) chmodSync(place.database + suffix, 0o444);
      chmodSync(place.folder, 0o500);
      const advice = await place.run(["query", "SELECT advice FROM sync_runs", "--format", "csv"]);
      expect(advice).toEqual({ code: 0, stdout: "advice\r\nfrom the log\r\n", stderr: "" });
      const copy = join(place.cwd, "copy");
      mkdirSync(copy);
      for (const suffix of ["", "-wal"])
        copyFileSync(place.database + suffix, join(copy, `calls.db${suffix}`));
      chmodSync(copy, 0o555);
      const torn = await place.run(["status", "--database", join(copy, "calls.db")]);
      expect(torn).toMatchObject({ code: 7, stdout: "" });
      expect(torn.stderr).toContain("calls.db-wal, which can only be read by a user who may write");
      chmodSync(copy, 0o755);
      chmodSync(place.folder, 0o700);
      for (const suffix of ["", "-wal", "-shm"]) chmodSync(place.database + suffix, 0o600);
    }
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
  ])("an unreadable warehouse is not reported as missing: $title", async ({ folder, file, says }) => {
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

  it("reports that it cannot create a key of caller_hash", async () => {
    using place = await makePlace();
    chmodSync(place.folder, 0o500);
    const { code, stderr } = await place.run(["export", "calls", "--out", "out"]);
    expect(code).toBe(7);
    expect(stderr).toContain("Cannot make the key of caller_hash next to the warehouse");
    expect(readdirSync(place.cwd)).toEqual([]);
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
