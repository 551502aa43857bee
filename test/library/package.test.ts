import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import packageLock from "../../package-lock.json" with { type: "json" };
import { isNewEnough, OLDEST_NODE } from "../../src/cli/node-version.ts";
import { toPublished, writePackage } from "../../src/package/write-package.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import "../support/built.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const run = promisify(execFile);
const TSC = resolve("node_modules/typescript/bin/tsc");
const NAME = packageJson.name;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOW = new Date("2026-10-31T23:00:00Z");

/** The entries of the project's lockfile for the package's libraries, so that npm need not ask a registry. */
function lockedLibraries() {
  const { "": _, ...all } = packageLock.packages;
  return Object.fromEntries(
    Object.entries(all).filter(([, library]) => !("dev" in library) && !("optional" in library)),
  );
}

describe("toPublished", () => {
  it("keeps the addresses of the project in package.json, and removes what only a clone needs", () => {
    const addresses = {
      homepage: "https://project.example",
      repository: { type: "git", url: "git+https://project.example/calltally.git" },
      bugs: { url: "https://project.example/issues" },
    };
    const before = toPublished(packageJson);
    expect(toPublished({ ...packageJson, ...addresses })).toEqual({ ...before, ...addresses });
    expect(before).not.toHaveProperty("private");
    expect(before).not.toHaveProperty("devDependencies");
  });
});

describe("package", () => {
  const folder = makeTempFolder();
  const host = join(folder.path, "host");
  const installed = join(host, "node_modules", NAME);

  beforeAll(async () => {
    const packed = join(folder.path, "package");
    writePackage(packed);
    const npm = { cwd: folder.path, env: { ...process.env, NO_UPDATE_NOTIFIER: "1" } };
    const { stdout } = await run("npm", ["pack", "./package", "--silent"], npm);
    const dependencies = { [NAME]: `file:../${stdout.trim()}` };
    const {
      name: _,
      private: __,
      ...published
    } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
    const packages = {
      "": { dependencies },
      [`node_modules/${NAME}`]: { ...published, resolved: dependencies[NAME], hasInstallScript: true },
      ...lockedLibraries(),
    };
    cpSync("test/library/example", host, { recursive: true });
    writeFileSync(join(host, "package.json"), JSON.stringify({ type: "module", dependencies }));
    writeFileSync(
      join(host, "package-lock.json"),
      JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
    );
    // From the npm cache that `npm ci` of this project has left.
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], { ...npm, cwd: host });
    mkdirSync(join(host, "node_modules/@types"));
    for (const name of ["@types/node", "undici-types"]) {
      symlinkSync(resolve("node_modules", name), join(host, "node_modules", name));
    }
  });
  afterAll(() => folder[Symbol.dispose]());

  it("contains the program, declarations and documentation, and nothing that only builds or tests it", () => {
    const files = globSync("**/*", { cwd: installed, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
    // esbuild names chunks by their content.
    const kinds = files.map((path) => path.replace(/^dist\/[\w-]+-[A-Z0-9]{8}\.js$/, "dist/….js"));
    const pages = [...globSync("docs/**/*.md"), ...globSync("jobs/deploy/**/*.*")];
    expect([...new Set(kinds)].filter((path) => !pages.includes(path)).sort()).toEqual(
      [
        ...[
          "CHANGELOG.md",
          "LICENSE",
          "README.md",
          "SECURITY.md",
          "THIRD-PARTY-LICENSES.txt",
          "package.json",
        ],
        ...[
          "bin.js",
          "explore.js",
          "index.js",
          "node-version.js",
          "query-child.js",
          "read-worker.js",
          "sync-worker.js",
          "….js",
        ].map((name) => `dist/${name}`),
        ...[
          "base/errors",
          "base/words",
          "calendar/grain",
          "call/columns",
          "call/filter",
          "figures/dimensions",
        ].map((name) => `dist/types/${name}.d.ts`),
        ...["figures/metrics", "figures/parts", "request/option-values"].map(
          (name) => `dist/types/${name}.d.ts`,
        ),
        ...["index", "open-warehouse", "sync-warehouse", "types"].map(
          (name) => `dist/types/library/${name}.d.ts`,
        ),
        ...globSync("src/warehouse/migrations/**/*.{sql,json}")
          .filter((path) => !path.endsWith("_snapshot.json"))
          .map((path) => path.replace("src/warehouse", "dist")),
        "docs/calltally.1",
        ...["explore", "mail", "overview", "report"].map((name) => `docs/images/${name}.png`),
        ...[
          "back-up",
          "calltally-as-service",
          "clickhouse/make-secrets",
          "crontab",
          "logrotate",
          "report-failure",
        ].map((name) => `jobs/deploy/${name}`),
      ].sort(),
    );
    expect(files.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(20);
  });

  it("requires a supported Node, builds nothing, and depends on all imported packages", () => {
    const published = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(Object.keys(published).sort()).toEqual(
      [
        ...["bin", "dependencies", "description", "engines", "exports", "keywords", "license", "man", "name"],
        ...["publishConfig", "scripts", "type", "version"],
      ].sort(),
    );
    expect(published).toMatchObject({
      bin: { calltally: "dist/bin.js" },
      engines: { node: `>=${OLDEST_NODE}` },
      scripts: { preinstall: "node dist/node-version.js" },
    });
    const imports = globSync("dist/*.js", { cwd: installed }).flatMap((path) => {
      const text = readFileSync(join(installed, path), "utf8");
      return [...text.matchAll(/^(?:import|\} from) ?.*?"((?:@[\w-]+\/)?[a-z][\w-]*)[^":]*";$/gm)].map(
        ([, name]) => name,
      );
    });
    expect(imports).toContain("better-sqlite3");
    expect([...new Set(imports)].filter((name = "") => !(name in published.dependencies))).toEqual([]);
  });

  it.each([
    ["0.10.48", false],
    ["20.20.2", false],
    ["22.2.0", false],
    ["22.18.1", false],
    ["22.19.0", true],
    ["22.100.0", true],
    ["24.0.0", true],
    ["100.0.0", true],
  ])("accepts Node %s: %s", (version, isEnough) => {
    expect(isNewEnough(version)).toBe(isEnough);
  });

  it("has the version of the changelog, and the project's own folder cannot be published", () => {
    const [, latest] = /^## (\S+) - \d{4}-\d\d-\d\d$/m.exec(readFileSync("CHANGELOG.md", "utf8")) ?? [];
    expect(packageJson).toMatchObject({ private: true, version: latest });
    expect(packageLock.version).toBe(latest);
  });

  it("contains the licenses of bundled libraries", () => {
    const text = readFileSync(join(installed, "THIRD-PARTY-LICENSES.txt"), "utf8");
    expect(text.match(/^\S+ [\d.]+, \S+(?=\n=+\n)/gm)?.map((line) => line.replace(/ [\d.]+,/, ""))).toEqual([
      "csv-stringify MIT",
      "drizzle-orm Apache-2.0",
      "echarts Apache-2.0",
      "fastest-levenshtein MIT",
      "preact MIT",
      "temporal-polyfill MIT",
      "temporal-spec Apache-2.0",
      "temporal-utils MIT",
      "tslib 0BSD",
      "zod MIT",
      "zrender BSD-3-Clause",
    ]);
  });

  it("contains working links in its pages", () => {
    const text = readFileSync(join(installed, "README.md"), "utf8");
    expect(text).toContain("[Completeness](docs/completeness.md)");
    expect(text).toContain("[Changes](CHANGELOG.md) · Contributing · [Security](SECURITY.md)");
  });

  it("installs its command, and no other Node", async () => {
    const bin = join(host, "node_modules/.bin");
    expect(readdirSync(bin).filter((name) => !name.startsWith("."))).toEqual(
      ["calltally", "pino", "pino-pretty", "tab", "yaml"], // npm links the commands of all libraries
    );
    const { stdout } = await run(join(bin, "calltally"), ["--version"], { cwd: host });
    const commit = await run("git", ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]);
    expect(stdout).toBe(`${packageJson.version} (commit ${commit.stdout.trim()})\n`);
  });

  it("compiles in strict mode with and without the types of Node", async () => {
    await run(process.execPath, [TSC, "--project", "."], { cwd: host });
    writeFileSync(
      join(host, "lean.ts"),
      `import { openWarehouse } from "${NAME}";\nopenWarehouse("").readBasis();\n`,
    );
    const lean = ["--noEmit", "--strict", "--skipDefaultLibCheck", "--module", "nodenext"];
    const lib = ["--target", "es2022", "--lib", "es2022,dom", "--types", ""];
    await run(process.execPath, [TSC, "--ignoreConfig", ...lean, ...lib, "lean.ts"], { cwd: host });
  });

  it("syncs and reads from another project", async () => {
    await using sandbox = await startSandbox({ calls: 300, seed: 1, now: NOW });
    const start = (CALLS_TOKEN: string) =>
      run(process.execPath, ["built/weekly.js"], { cwd: host, env: { CALLS_URL: sandbox.url, CALLS_TOKEN } });
    await expect(start("another")).rejects.toMatchObject({ code: 4 });
    const { stdout } = await start(sandbox.token);
    const { rows, ...rest } = JSON.parse(stdout);
    const verdict = { verdict: "exact", verdict_reason: "all pages joined, and every one of 300 calls read" };
    const finished_at = expect.stringMatching(TIME);
    expect(rest).toEqual({
      run: {
        ...{ run_id: 2, mode: "full", ...verdict, started_at: expect.stringMatching(TIME), finished_at },
        ...{ calls_read: 300, calls_new: 300, calls_changed: 0 },
        ...{ calls_rejected: 0, calls_gone: 0, calls_withheld: 0 },
      },
      totals: [300],
      basis: {
        run: { run_id: 2, finished_at, ...verdict },
        verified: { run_id: 2, finished_at },
        ...{ calls: 300, unlisted: null, total: 300, newest_call: "2026-10-31T22:59:00.000Z", rejected: 0 },
        statements: [],
      },
      units: [
        ...["channel text 0", "calls integer 0", "answered_calls integer 0", "missed_calls integer 0"],
        ...["other_calls integer 0", "answer_rate decimal 4", "unique_callers integer 0"],
        ...["first_time_callers integer 0", "qualified_calls integer 0", "total_duration_seconds integer 0"],
        ...["average_duration_seconds decimal 1", "median_duration_seconds decimal 1"],
        ...["first_call_at time 0", "last_call_at time 0"],
        ...["calls_in_hours integer 0", "missed_in_hours integer 0", "answer_rate_in_hours decimal 4"],
      ],
    });
    expect(rows.at(-1)).toEqual({
      ...{ channel: "(total)", calls: 6, answered_calls: 6, missed_calls: 0, other_calls: 0, answer_rate: 1 },
      ...{ unique_callers: 6, first_time_callers: 4, qualified_calls: 6, total_duration_seconds: 4430 },
      ...{ average_duration_seconds: 738.3, median_duration_seconds: 521.5 },
      first_call_at: "2026-10-21T14:51:30.380Z",
      last_call_at: "2026-10-25T19:54:37.365Z",
      ...{ calls_in_hours: null, missed_in_hours: null, answer_rate_in_hours: null },
    });
    const days = ["--from", "2026-10-19", "--to", "2026-10-25", "--timezone", "America/New_York"];
    const flags = [
      "--min-duration",
      "60",
      "--total",
      "--format",
      "json",
      "--stdout",
      "--database",
      "calls.db",
    ];
    const bin = join(installed, packageJson.bin.calltally);
    const exported = await run(process.execPath, [bin, "export", "channel", ...days, ...flags], {
      cwd: host,
    });
    expect(rows).toEqual(JSON.parse(exported.stdout));
  });
});
