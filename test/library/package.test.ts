import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import packageLock from "../../package-lock.json" with { type: "json" };
import { isNewEnough, OLDEST_NODE } from "../../src/base/node-version.js";
import { startSandbox } from "../../src/sandbox/server.ts";
import { toPublished, writePackage } from "../../src/tooling/package/write-package.ts";
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
    Object.entries(all).filter(
      ([, library]) => !("dev" in library || "devOptional" in library || "optional" in library),
    ),
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
    const whole = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
    const { name: _, private: __, ...published } = whole;
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
          "bin",
          "check-child",
          "explore",
          "index",
          "node-version",
          "query-child",
          "read-worker",
          "sync-worker",
          "…",
        ].map((name) => `dist/${name}.js`),
        ...[
          ...[
            "base/errors",
            "base/text/words",
            "base/calendar/grain",
            "calls/columns",
            "calls/facts",
            "calls/filter",
            "figures/dimensions",
          ],
          "figures/metrics",
          "figures/parts",
          "config/request/option-values",
          "library/index",
          "library/types",
          "library/open-warehouse",
          "library/sync-warehouse",
        ].map((name) => `dist/types/${name}.d.ts`),
        ...globSync("src/warehouse/migrations/**/*.{sql,json}")
          .filter((path) => !path.endsWith("_snapshot.json"))
          .map((path) => path.replace("src/warehouse", "dist")),
        "docs/calltally.1",
        ...["explore", "mail", "overview", "report"].map((name) => `docs/images/${name}.png`),
        ...["back-up", "calltally-as-service", "clickhouse/make-secrets", "crontab", "logrotate"].map(
          (name) => `jobs/deploy/${name}`,
        ),
        "jobs/deploy/report-failure",
      ].sort(),
    );
    expect(files.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(20);
  });

  it("requires a supported Node, builds nothing, and depends on all imported packages", () => {
    const published = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(Object.keys(published).sort()).toEqual(
      [
        "bin",
        "dependencies",
        "description",
        "engines",
        "exports",
        "keywords",
        "license",
        "man",
        "name",
        "publishConfig",
        "scripts",
        "type",
        "version",
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

  it("accepts Node from its oldest version on", () => {
    const enough = ["22.19.0", "22.100.0", "24.0.0", "100.0.0"];
    expect(
      ["0.10.48", "20.20.2", "22.2.0", "22.18.1", ...enough].filter((version) => isNewEnough(version)),
    ).toEqual(enough);
  });

  it("the package has the version of the changelog, and the project's own folder cannot be published", () => {
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
    const { rows, run: synced, totals, basis, units } = JSON.parse(stdout);
    const verdict = { verdict: "exact", verdict_reason: "all pages joined, and every one of 300 calls read" };
    const times = { started_at: expect.stringMatching(TIME), finished_at: expect.stringMatching(TIME) };
    expect(synced).toMatchObject({ ...verdict, ...times, run_id: 2, mode: "full", calls_read: 300 });
    expect(totals).toEqual([300]);
    expect(basis).toMatchObject({ run: { run_id: 2, ...verdict }, calls: 300, total: 300, statements: [] });
    expect(units).toEqual(
      expect.arrayContaining(["channel text 0", "calls integer 0", "answer_rate decimal 4"]),
    );
    expect(rows.at(-1)).toMatchObject({ channel: "(total)", calls: 6, first_time_callers: 4 });
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
