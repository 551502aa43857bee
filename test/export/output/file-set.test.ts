import { hash, randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { FileSet } from "../../../src/export/output/file-set.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

async function* failing() {
  yield "half";
  throw new Error("the source broke");
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** The mode after the umask. */
const shared = (mode: number) => (mode & ~process.umask()).toString(8);
const modesOfDrafts = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name.slice(0, ".a.csv".length), modeOf(join(folder, name))]);
const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
const readText = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");

describe("FileSet", () => {
  it("removes drafts that a killed export left an hour ago, and ignores drafts that vanish meanwhile", async () => {
    using temp = makeTempFolder();
    const draftOf = (name: string) => `.${name}.${randomUUID()}.tmp`;
    const [old, recent, gone] = [draftOf("old.csv"), draftOf("recent.csv"), draftOf("gone.csv")];
    const hourAgo = Date.now() / 1000 - 3600;
    for (const [name, seconds] of [
      [old, hourAgo - 60],
      [recent, hourAgo + 60],
      [".other.tmp", hourAgo - 60],
    ] as const) {
      writeFileSync(join(temp.path, name), "half");
      utimesSync(join(temp.path, name), seconds, seconds);
    }
    // It is listed, but no longer exists when it is examined, like a draft that was just renamed.
    symlinkSync("nowhere", join(temp.path, gone));
    await using _set = await FileSet.open(temp.path);
    expect(readdirSync(temp.path).sort()).toEqual([recent, gone, ".other.tmp"].sort());
  });

  it("shows no files until it is published, then all, in the requested modes", async () => {
    using temp = makeTempFolder();
    const folder = join(temp.path, "data", "exports");
    await using files = await FileSet.open(folder);
    const written = await files.write("a.csv", ["é,", Buffer.from("b")]);
    await files.write("b.csv", [], "owner");
    expect(modesOfDrafts(folder)).toEqual([
      [".a.csv", shared(0o666)],
      [".b.csv", "600"],
    ]);
    expect(written).toEqual({ file: "a.csv", bytes: 4, sha256: hash("sha256", "é,b") });
    expect(readdirSync(folder).filter((file) => !file.startsWith("."))).toEqual([]);

    await files.publish();

    expect(readdirSync(folder)).toEqual(["a.csv", "b.csv"]);
    expect([readText(folder, "a.csv"), readText(folder, "b.csv")]).toEqual(["é,b", ""]);
    expect(["", "a.csv", "b.csv", ".."].map((name) => modeOf(join(folder, name)))).toEqual([
      shared(0o777),
      shared(0o666),
      "600",
      shared(0o777),
    ]);
  });

  it.each([
    { was: 0o644, audience: "owner" as const, becomes: "600" },
    { was: 0o600, audience: "shared" as const, becomes: shared(0o666) },
  ])(
    "replaces files that already exist, and sets the mode of each by its audience: $audience",
    async (given) => {
      using folder = makeTempFolder();
      writeFileSync(join(folder.path, "a.csv"), "old", { mode: given.was });
      {
        await using files = await FileSet.open(folder.path);
        await files.write("a.csv", ["new"], given.audience);
        await files.publish();
      }
      expect(readdirSync(folder.path)).toEqual(["a.csv"]);
      expect([readText(folder.path, "a.csv"), modeOf(join(folder.path, "a.csv"))]).toEqual([
        "new",
        given.becomes,
      ]);
      expect(modeOf(folder.path)).toBe("700"); // unchanged
    },
  );

  it("keeps the old files and leaves no draft if it is not published", async () => {
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

  it("renames the first file before all others, so that a partial set is recognizable", async () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "manifest.json"), "old");
    writeFileSync(join(folder.path, "b.csv"), "old");
    {
      await using files = await FileSet.open(folder.path);
      await files.write("manifest.json", ["unfinished"]);
      for (const name of ["a.csv", "b.csv", "manifest.json"]) await files.write(name, ["new"]);
      for (const draft of readdirSync(folder.path)) {
        if (draft.startsWith(".b.csv")) rmSync(join(folder.path, draft)); // equivalent to a kill
      }
      await expect(files.publish()).rejects.toThrow("ENOENT");
    }
    const found = ["a.csv", "b.csv", "manifest.json"].map((name) => readText(folder.path, name));
    expect(found).toEqual(["new", "old", "unfinished"]);
    expect(readdirSync(folder.path)).toHaveLength(3);
  });

  it("publishes no file if one of them cannot be published", async () => {
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, "b.csv"));
    {
      await using files = await FileSet.open(folder.path);
      for (const file of ["a.csv", "b.csv", "manifest.json"]) await files.write(file, ["new"]);
      await expect(files.publish()).rejects.toThrow("b.csv: it is a folder");
    }
    expect(readdirSync(folder.path)).toEqual(["b.csv"]);
    expect(statSync(join(folder.path, "b.csv")).isDirectory()).toBe(true);
  });

  it("writes into sub-folders that others may read as well", async () => {
    using temp = makeTempFolder();
    await using files = await FileSet.open(temp.path);
    const written = await files.write("calls/month=2026-10/calls.csv", ["a"]);
    expect(written.file).toBe("calls/month=2026-10/calls.csv");
    expect(listFiles(temp.path)).toEqual([
      expect.stringMatching(/^calls\/month=2026-10\/\.calls\.csv\.[\d@]+\.[\da-f-]+\.tmp$/),
    ]);

    await files.publish();

    expect(listFiles(temp.path)).toEqual(["calls/month=2026-10/calls.csv"]);
    const modes = ["calls", "calls/month=2026-10"].map((name) => modeOf(join(temp.path, name)));
    expect(modes).toEqual([shared(0o777), shared(0o777)]);
  });

  it("removes its new folders, and no others, if it is not published", async () => {
    using temp = makeTempFolder();
    mkdirSync(join(temp.path, "exports", "calls"), { recursive: true });
    {
      await using files = await FileSet.open(join(temp.path, "exports"));
      await files.write("calls/month=2026-10/calls.csv", ["a"]);
      await files.write("calls/month=2026-11/calls.csv", ["a"]);
      writeFileSync(join(temp.path, "exports", "calls", "month=2026-11", "notes.txt"), "not ours");
      await using others = await FileSet.open(join(temp.path, "data", "exports"));
      await others.write("a.csv", ["a"]);
    }
    expect(readdirSync(temp.path, { recursive: true }).sort()).toEqual([
      "exports",
      "exports/calls",
      "exports/calls/month=2026-11",
      "exports/calls/month=2026-11/notes.txt",
    ]);
  });

  it("replaces a partitioned set completely, and no file with another name", async () => {
    using temp = makeTempFolder();
    const others = [
      "a.csv",
      "calls/calls.csv",
      "calls/month=2026-08/calls.csv.bak",
      "calls/month=2026-08/calls.parquet",
      "calls/month=2026-08/more/calls.csv",
      "calls/year=2026/calls.csv",
      "other/month=2026-08/calls.csv",
    ];
    const old = [
      "calls/month=2026-08/calls.csv",
      "calls/month=2026-09/calls.csv",
      "calls/month=2026-10/calls.csv",
    ];
    for (const file of [...others, ...old]) {
      mkdirSync(dirname(join(temp.path, file)), { recursive: true });
      writeFileSync(join(temp.path, file), "old");
    }
    const kept = ["calls/month=2026-10/calls.csv", "calls/month=2026-11/calls.csv"];
    {
      await using files = await FileSet.open(temp.path);
      for (const file of kept) await files.write(file, ["new"]);
      await files.publish({ replace: "calls/month=*/calls.csv" });
    }
    expect(listFiles(temp.path)).toEqual([...others, ...kept].sort());
    expect(kept.map((file) => readText(temp.path, file))).toEqual(["new", "new"]);
    expect(readdirSync(join(temp.path, "calls"))).not.toContain("month=2026-09");
  });

  it("replaces nothing if a file cannot be renamed", async () => {
    using temp = makeTempFolder();
    const old = "calls/month=2026-09/calls.csv";
    mkdirSync(join(temp.path, "manifest.json"));
    mkdirSync(dirname(join(temp.path, old)), { recursive: true });
    writeFileSync(join(temp.path, old), "old");
    {
      await using files = await FileSet.open(temp.path);
      await files.write("manifest.json", ["{}"]);
      await files.write("calls/month=2026-10/calls.csv", ["new"]);
      await expect(files.publish({ replace: "calls/month=*/calls.csv" })).rejects.toThrow(
        "manifest.json: it is a folder",
      );
    }
    expect(listFiles(temp.path)).toEqual([old]);
    expect(readdirSync(join(temp.path, "calls"))).toEqual(["month=2026-09"]);
  });

  it("refuses a folder that is a file", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "exports");
    writeFileSync(file, "old");
    for (const folder of [file, join(file, "inner")]) {
      await expect(FileSet.open(folder)).rejects.toMatchObject({
        exitCode: 7,
        message: `Cannot make the folder ${file}: a file of that name exists`,
      });
    }
    expect(readText(folder.path, "exports")).toBe("old");
  });
});
