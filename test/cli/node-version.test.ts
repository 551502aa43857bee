import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { OLDEST_NODE } from "../../src/base/node-version.js";
import { DIST } from "../support/built.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { skipped, uid, unlessSkipped } from "./privacy/other-user.ts";

const PROBLEM = "calltally needs Node 22.19 or newer; this is";

/** Starts a script in a process that claims other versions; processes that it starts do not. */
function runAs(versions: Record<string, string>, script: string, ...args: string[]) {
  using folder = makeTempFolder();
  const preload = join(folder.path, "versions.mjs");
  const claimed = `{ ...process.versions, ...${JSON.stringify(versions)} }`;
  writeFileSync(
    preload,
    `if (!process.env.IS_RESTARTED) Object.defineProperty(process, "versions", { value: ${claimed} });
    process.env.IS_RESTARTED = "1";`,
  );
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--import", pathToFileURL(preload).href, script, ...args],
    { cwd: folder.path, encoding: "utf8", env: { PATH: process.env.PATH } },
  );
  return { stdout, stderr, status };
}

const OLD = { node: "20.20.2" };

it.each(["dist/bin.js job sync", "jobs/sync.ts"])(
  "the Node of a clone takes over from an old one: %s",
  (command) => {
    const [script = "", ...args] = command.split(" ");
    expect(runAs(OLD, resolve(script), ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("CALLTALLY_BASE_URL is not set"),
    });
  },
);

describe("without a Node of its own", () => {
  const copy = makeTempFolder();
  const at = (path: string) => join(copy.path, path);

  beforeAll(() => {
    const filter = (path: string) => !/\.map$|\.compiled/.test(path);
    cpSync(DIST, at("dist"), { recursive: true, filter });
    for (const path of ["package.json", "jobs/package.json", "jobs/sync.ts"]) cpSync(path, at(path));
    for (const path of ["base/node-version.js", "cli/run-from-source.js"])
      cpSync(join("src", path), at(join("src", path)));
    mkdirSync(at("node_modules"));
    for (const name of readdirSync("node_modules"))
      if (!name.startsWith("node-"))
        symlinkSync(resolve("node_modules", name), at(join("node_modules", name)));
    writeFileSync(at("library.mjs"), 'import "./dist/index.js";');
  });
  afterAll(() => copy[Symbol.dispose]());

  it.each(["dist/bin.js", "dist/node-version.js", "src/base/node-version.js", "jobs/sync.ts", "library.mjs"])(
    "%s names the required Node before it loads anything else",
    (script) => {
      const { status, stderr } = runAs(OLD, at(script));
      expect(stderr).toContain(`${PROBLEM} Node 20.20.2.\nInstall a newer Node`);
      expect(stderr).toContain("npm 10 leaves out the link to it: run `npm rebuild`, once.\n");
      expect(status).toBe(script === "library.mjs" ? 1 : 2);
    },
  );

  it.each([
    [{ deno: "2.9.1" }, "Deno 2.9.1"],
    [{ bun: "1.3.4" }, "Bun 1.3.4"],
  ])("names another runtime, whatever Node it claims to be: %o", (versions, runtime) => {
    expect(runAs(versions, at("dist/bin.js"))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${PROBLEM} ${runtime}.`),
    });
  });

  it.skipIf(skipped)(`names a package that this user may not read, without a stack${unlessSkipped}`, () => {
    execFileSync("chmod", ["-R", "a+rX", copy.path]);
    const library = at("node_modules/commander");
    rmSync(library);
    mkdirSync(library, { mode: 0 });
    const { status, stderr } = spawnSync(process.execPath, [at("dist/bin.js"), "--version"], {
      cwd: "/",
      encoding: "utf8",
      uid,
      gid: uid,
    });
    rmdirSync(library);
    symlinkSync(resolve("node_modules/commander"), library);
    expect(status).toBe(7);
    expect(stderr).toMatch(
      /^calltally: Cannot load the program: This user \(uid \d+\) may not enter the folder .*commander\.\nRun this as its owner.*\n$/,
    );
  });

  it("names a missing package, without a stack", () => {
    const run = () => runAs({}, at("dist/bin.js"), "--version");
    const folder = at("node_modules/commander");
    rmSync(folder);
    expect(run()).toEqual({
      status: 7,
      stdout: "",
      stderr: expect.stringMatching(
        /^calltally: Cannot load the program: Cannot find package 'commander'.*\.\nInstall the packages: npm ci, .*\n$/,
      ),
    });
    rmSync(at("node_modules"), { recursive: true });
    expect(run().stderr).toContain(`There is no folder ${at("node_modules")}.`);
  });

  it("a Node that runs the program but not the source is sent to the build", () => {
    expect(runAs({ node: "22.19.0" }, at("jobs/sync.ts"))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Cannot run the source with Node 22.19.0"),
    });
  });
});

it("package.json requires the oldest Node that the program accepts", () => {
  expect(packageJson.engines).toEqual({ node: `>=${OLDEST_NODE}` });
});
