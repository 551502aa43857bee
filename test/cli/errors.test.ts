import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { unusedPort } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";

describe("errors of calltally", () => {
  it("exit with 4 after one request if the token is refused, and never show the token", async () => {
    await using sandbox = await startSandbox({ calls: 10 });
    const env = { CALLTALLY_BASE_URL: sandbox.url, CALLTALLY_TOKEN: "canary-token-417" };
    using folder = makeFolder(env);
    const { code, stdout, stderr } = await folder.run("sync");
    expect({ code, stdout, requests: sandbox.requests.length }).toEqual({ code: 4, stdout: "", requests: 1 });
    expect(stderr).toContain("The API refused the token, status 401");
    expect(stderr).toContain("\nCheck CALLTALLY_TOKEN: it may be mistyped, expired, or of API v2.\n");
    expect(stderr).not.toContain("canary-token-417");
    const status = await calltally(["status", "--json"], { cwd: folder.path });
    expect(status.stdout).not.toContain("canary-token-417");
    expect(JSON.parse(status.stdout)).toMatchObject({ runs: [{ status: "failed" }] });
  });

  it.each([
    {
      what: "no server listens",
      code: 5,
      says: /Cannot reach http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    },
    { what: "the address is not that of the API", code: 8, says: /The API returned 404/ },
  ])("exit with $code if $what", async ({ code, says }) => {
    await using sandbox = await startSandbox({ calls: 10 });
    const baseUrl = code === 5 ? `http://127.0.0.1:${await unusedPort()}` : `${sandbox.url}/elsewhere`;
    const settings = { CALLTALLY_BASE_URL: baseUrl, CALLTALLY_RETRY_SECONDS: "1" };
    using folder = makeFolder({ ...settingsFor(sandbox), ...settings });
    expect(await folder.run("sync")).toMatchObject({ code, stderr: expect.stringMatching(says) });
  });

  it("exit with 7 if the warehouse is missing or is another file", async () => {
    using folder = makeFolder();
    expect(await folder.run("export")).toMatchObject({
      code: 7,
      stdout: "",
      stderr: expect.stringContaining(`There is no warehouse at ${folder.database}`),
    });
    folder.write("notes.txt", "not a database");
    expect(await folder.run("status --database notes.txt")).toMatchObject({
      code: 7,
      stdout: "",
      stderr: expect.stringContaining("it is not an SQLite database"),
    });
  });

  it("name the required Node on an old one, except in a clone, which has its own", () => {
    using folder = makeTempFolder();
    cpSync("dist", join(folder.path, "dist"), {
      recursive: true,
      filter: (path) => !/\.map$|\.compiled/.test(path),
    });
    const runOld = (root: string, ...args: string[]) => {
      const script = join(folder.path, "old.mjs");
      writeFileSync(
        script,
        `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });
        await import(${JSON.stringify(join(root, "dist/bin.js"))});`,
      );
      return spawnSync(process.execPath, [script, ...args], { cwd: folder.path, encoding: "utf8" });
    };
    expect(runOld(resolve("."), "status", "--database", "none here.db")).toMatchObject({
      status: 7,
      stderr: expect.stringContaining(`There is no warehouse at ${join(folder.path, "none here.db")}`),
    });
    expect(runOld(folder.path, "status")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("calltally needs Node 22.19 or newer; this is Node 20.20.2."),
    });
  });
});
