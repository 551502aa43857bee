import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { DIST } from "../support/built.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

it("an old Node is replaced by the Node of a clone, or else the error names the required one", () => {
  using folder = makeTempFolder();
  cpSync(DIST, join(folder.path, "dist"), {
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
