import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommands } from "../../src/tooling/reference/command-tree.ts";
import { hasCommand } from "../support/commands.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse } from "../support/warehouses/warehouse.ts";
import { type Folder, makeCallsFolder, makeSandboxFolder } from "./folder.ts";

/** Flags and arguments that name a path, by what the command does with it. */
const PATHS = {
  writes: [
    "backup file",
    "hygiene --write",
    "outcome import --unmatched",
    "reconcile --differences",
    "verify --write",
  ],
  "writes into": ["export --out", "report --out"],
  "makes, but never replaces": ["init --config"],
  reads: [
    "channels --try",
    "export --exclude-callers",
    "forget --file",
    "init --token-file",
    "outcome import file",
    "reconcile file",
    "report --exclude-callers",
    "restore file",
    "spend import file",
    "topics --try",
    "uploads forget file",
    "verify file",
    "webhook patch --file",
    "webhook replace --file",
  ],
} as const;
/** The warehouse itself: what opens it refuses other files. */
const WAREHOUSE = "--database";

const { commands } = await readCommands();
const WRITES = PATHS.writes.filter(hasCommand);

describe("flags that name a path", () => {
  it("each option and argument with a path is known to write or to read", () => {
    const found = commands.flatMap(({ name, groups }) =>
      groups
        .flatMap(({ terms }) => terms)
        .filter(({ term, help }) => {
          const value = /<(.+)>$/.exec(term)?.[1];
          const isPath = value === undefined ? term === "file" : /^(file|folder|path|json)$/.test(value);
          return isPath || (value !== undefined && /^(write|append)\b.*\bfile\b/.test(help));
        })
        .map(({ term }) => `${name.replace("calltally ", "")} ${term.replace(/ <.*/, "")}`),
    );
    const others = found.filter((path) => !path.endsWith(` ${WAREHOUSE}`) && !path.endsWith("--columns"));
    expect(others.toSorted()).toEqual(Object.values(PATHS).flat().filter(hasCommand).toSorted());
  });
});

const TYPO = { call_started: "2026-10-10T12:00:00.000Z", utm_medium: "cpc" };
const CALLS = Array.from({ length: 22 }, (_, index) =>
  makeCall({ call_id: index + 1, ...TYPO, utm_source: index < 2 ? "Facebok" : "facebook" }),
);

const LINES: Record<(typeof WRITES)[number], string> = {
  "backup file": "backup TARGET",
  "hygiene --write": "hygiene --to 2026-10-10 --lines 1 --write TARGET",
  "outcome import --unmatched": "outcome import jobs.csv --country-code 1 --unmatched TARGET",
  "reconcile --differences": "reconcile list.csv --differences TARGET",
  "verify --write": "verify --write TARGET",
};

/** A file of each kind that a flag could name by mistake. */
const TARGETS = {
  "data/calltally.db": 2,
  "./data/../data/calltally.db": 2,
  "link.db": 2,
  "hard.db": 2,
  "data/calltally.db-wal": 2,
  "data/calltally.db-journal": 2,
  "data/calltally.db.lock": 2,
  "data/calltally.db.publish.lock": 2,
  "data/calltally.db.caller-key": 2,
  "data/calltally.db.replaced-20261001T000000000Z": 2,
  "data/dallas.db": 2,
  "data/dallas.db.caller-key": 2,
  "link-to-key": 2,
  "notes.txt": 7,
  "calltally.yaml": 7,
  "foreign.bin": 7,
  data: 7,
} as const;
/** Files of another kind that only `--replace` replaces. */
const REPLACEABLE = ["notes.txt", "foreign.bin"];
/** Files of another kind that nothing replaces: the configuration, and what may be a part of a database. */
const KEPT = [
  ...[".env", "calltally.yaml", "token", "link-to-token", "secrets/mail"],
  ...["data/damaged.db", "data/foreign.db", "data/foreign.db-wal", "data/gone.db.caller-key"],
];
const APPENDS = "hygiene --write";
/** They write what they could not import, or what differs. */
const ENDS_WITH_3 = /^(?:outcome|reconcile) /;

describe("a file that a flag writes", () => {
  let folders: (Folder & { sandbox?: unknown })[] = [];
  let closeAll = async () => {};

  beforeAll(async () => {
    const synced = await makeSandboxFolder({ calls: 60, now: new Date("2026-10-31T23:00:00Z") });
    const stored = makeCallsFolder(CALLS);
    folders = [synced, stored];
    closeAll = async () => {
      await synced[Symbol.asyncDispose]();
      stored[Symbol.dispose]();
    };
    await synced.say("sync");
    for (const { path, database, write } of folders) {
      write("data/calltally.db.caller-key", `${"ab".repeat(32)}\n`);
      fillWarehouse(join(path, "data/dallas.db"), CALLS);
      write("data/dallas.db.caller-key", `${"cd".repeat(32)}\n`);
      symlinkSync("data/calltally.db", join(path, "link.db"));
      symlinkSync("data/calltally.db.caller-key", join(path, "link-to-key"));
      write("jobs.csv", "phone,date,stage\n5125550199,2026-10-11,sold\n");
      write("list.csv", "call_id\n999\n");
      write("notes.txt", "notes\n");
      for (const name of ["token", "secrets/mail", ...KEPT.filter((path) => path.startsWith("data/"))]) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        write(name, "not for others\n");
      }
      write("data/damaged.db.lock", "");
      symlinkSync("token", join(path, "link-to-token"));
      write("foreign.bin", Buffer.from([0, 1, 2]));
      // The program refuses a warehouse with two names, but not before it knows what it would write.
      linkSync(join(path, "data/dallas.db"), join(path, "hard.db"));
      expect(existsSync(database)).toBe(true);
    }
  });
  afterAll(async () => await closeAll());

  const snapshot = (path: string) =>
    readdirSync(path, { recursive: true })
      .map(String)
      .filter(
        (name) => statSync(join(path, name)).isFile() && !/calltally\.db(-wal|-shm|\.lock)?$/.test(name),
      )
      .sort()
      .map((name) => [name, readFileSync(join(path, name), "latin1")]);

  it.each(
    WRITES.flatMap((flag) => Object.entries(TARGETS).map(([target, code]) => [flag, target, code] as const)),
  )("%s leaves %s as it was", async (flag, target, code) => {
    const [synced, stored] = folders;
    const folder = flag === "verify --write" ? synced : stored;
    if (folder === undefined) throw new Error("There is no folder");
    if (target === "calltally.yaml") folder.write("calltally.yaml", "limit: 100\n");
    const before = snapshot(folder.path);
    const found = await folder.run(LINES[flag].replace("TARGET", target));
    expect({ code: found.code, stderr: found.stderr }).toEqual({
      code,
      stderr: expect.stringContaining("Cannot"),
    });
    expect(snapshot(folder.path)).toEqual(before);
    expect(await folder.run("status")).toMatchObject({ code: 0 });
    expect(folder.read("SELECT count(*) AS imports FROM outcome_imports")).toEqual([{ imports: 0 }]);
  });

  it.each(WRITES)("%s --replace leaves a warehouse and what is read as it was", async (flag) => {
    const [synced, stored] = folders;
    const folder = flag === "verify --write" ? synced : stored;
    if (folder === undefined) throw new Error("There is no folder");
    folder.write("calltally.yaml", "limit: 100\nsmtp_url_file: secrets/mail\n");
    folder.write(".env", "CALLTALLY_LOGO=token\n");
    const before = snapshot(folder.path);
    const refused = Object.entries(TARGETS).filter(([, code]) => code === 2);
    for (const target of [...refused.map(([name]) => name), ...KEPT, "data"]) {
      const { code, stderr } = await folder.run(`${LINES[flag].replace("TARGET", target)} --replace`);
      expect({ target, code, stderr }).toEqual({
        target,
        code: target === "data" ? 7 : 2,
        stderr: expect.stringMatching(/^calltally: Cannot write .* (it is|it belongs|by its name)/),
      });
    }
    expect(snapshot(folder.path)).toEqual(before);
  });

  it("replaces a file of its own kind", async () => {
    const [synced, stored] = folders;
    for (const flag of WRITES) {
      const folder = flag === "verify --write" ? synced : stored;
      const line = LINES[flag].replace("TARGET", `own-${flag.split(" ")[0]}`);
      const [first, second] = [await folder?.run(line), await folder?.run(line)];
      // A line is appended once.
      const again = flag === APPENDS ? 2 : first?.code;
      expect({ flag, code: first?.code }).toEqual({
        flag,
        code: ENDS_WITH_3.test(flag) ? 3 : 0,
      });
      expect({ flag, code: second?.code }).toEqual({ flag, code: again });
    }
  });

  it("replaces a file of another kind with --replace", async () => {
    const [synced, stored] = folders;
    for (const flag of WRITES) {
      const folder = flag === "verify --write" ? synced : stored;
      for (const target of REPLACEABLE) {
        const path = join(folder?.path ?? "", target);
        const before = readFileSync(path);
        const line = LINES[flag].replace("TARGET", target);
        const refused = await folder?.run(line);
        expect({ flag, code: refused?.code, stderr: refused?.stderr }).toEqual({
          flag,
          code: 7,
          stderr: expect.stringContaining("or replace it with --replace"),
        });
        const code = ENDS_WITH_3.test(flag) ? 3 : 0;
        expect({ flag, code: (await folder?.run(`${line} --replace`))?.code }).toEqual({ flag, code });
        expect(readFileSync(path).equals(before)).toBe(false);
        // It is a file of its own kind now.
        const again = await folder?.run(line);
        expect({ flag, code: again?.code }).toEqual({ flag, code: flag === APPENDS ? 2 : code });
        folder?.write(target, before);
      }
    }
  });

  it("refuses --replace without a file to write", async () => {
    for (const line of ["verify --replace", "hygiene --replace"].filter(hasCommand))
      expect(await folders[1]?.run(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--replace needs --write"),
      });
  });
});

describe("a folder that a flag writes into", () => {
  it("keeps files that calltally did not write, and every part of a warehouse", async () => {
    using folder = makeCallsFolder(CALLS);
    const { path, run, write } = folder;
    write("channel.csv", "my own list\n");
    write("report.html", "my own page\n");
    for (const line of ["export channel --out .", "report --last 1w --out ."])
      expect(await run(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("did not write its"),
      });
    expect(readFileSync(join(path, "channel.csv"), "utf8")).toBe("my own list\n");
    expect(await run("export channel --out . --replace")).toMatchObject({ code: 0 });
    fillWarehouse(join(path, "shared/source.csv"), CALLS);
    const before = readFileSync(join(path, "shared/source.csv"));
    for (const replace of ["", " --replace"])
      expect(await run(`export source --out shared${replace}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("it is part of the warehouse"),
      });
    expect(readFileSync(join(path, "shared/source.csv")).equals(before)).toBe(true);
  });

  it("takes files back that an export has written and whose manifest is gone", async () => {
    using folder = makeCallsFolder(CALLS);
    const { path, say, execute } = folder;
    await say("export channel --out out");
    await say("export source --out out");
    rmSync(join(path, "out/manifest.json"));
    await say("export channel --out out");
    rmSync(join(path, "out/manifest.json"));
    execute("DELETE FROM exports");
    expect(await folder.run("export channel --out out")).toMatchObject({ code: 2 });
  });
});
