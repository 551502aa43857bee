import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileSet } from "../../src/export/file-set.ts";
import { makeTempFolder } from "../temp-folder.ts";

async function* failing() {
  yield "half";
  throw new Error("the source broke");
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const readText = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");

describe("FileSet", () => {
  it("shows nothing until it is published, then all, for the owner's eyes only", async () => {
    using temp = makeTempFolder();
    const folder = join(temp.path, "data", "exports");
    await using files = await FileSet.open(folder);
    const written = await files.write("a.csv", ["é,", Buffer.from("b")]);
    await files.write("b.csv", []);
    expect(written).toEqual({ file: "a.csv", bytes: 4, sha256: hash("sha256", "é,b") });
    expect(readdirSync(folder).filter((file) => !file.startsWith("."))).toEqual([]);

    await files.publish();

    expect(readdirSync(folder)).toEqual(["a.csv", "b.csv"]);
    expect([readText(folder, "a.csv"), readText(folder, "b.csv")]).toEqual(["é,b", ""]);
    expect(["", "a.csv", "b.csv", ".."].map((name) => modeOf(join(folder, name)))).toEqual([
      "700",
      "600",
      "600",
      "700",
    ]);
  });

  it("puts files in place of those that were there, and keeps them when it is disposed of", async () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "a.csv"), "old", { mode: 0o644 });
    {
      await using files = await FileSet.open(folder.path);
      await files.write("a.csv", ["new"]);
      await files.publish();
    }
    expect(readdirSync(folder.path)).toEqual(["a.csv"]);
    expect([readText(folder.path, "a.csv"), modeOf(join(folder.path, "a.csv"))]).toEqual(["new", "600"]);
  });

  it("leaves the old files and no draft when it is not published", async () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "a.csv"), "old");
    {
      await using files = await FileSet.open(folder.path);
      await files.write("a.csv", ["new"]);
      await expect(files.write("b.csv", failing())).rejects.toThrow("the source broke");
      expect(readdirSync(folder.path)).toHaveLength(3);
    }
    expect(readdirSync(folder.path)).toEqual(["a.csv"]);
    expect(readText(folder.path, "a.csv")).toBe("old");
  });

  it("publishes in the order of writing, and nothing after one that cannot be", async () => {
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, "b.csv"));
    {
      await using files = await FileSet.open(folder.path);
      for (const file of ["a.csv", "b.csv", "manifest.json"]) await files.write(file, ["new"]);
      await expect(files.publish()).rejects.toMatchObject({ syscall: "rename" });
    }
    expect(readdirSync(folder.path)).toEqual(["a.csv", "b.csv"]);
    expect(statSync(join(folder.path, "b.csv")).isDirectory()).toBe(true);
  });

  it("does not open a folder that is a file", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "exports");
    writeFileSync(file, "old");
    await expect(FileSet.open(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(FileSet.open(join(file, "inner"))).rejects.toMatchObject({ code: "EEXIST" });
    expect(readText(folder.path, "exports")).toBe("old");
  });
});
