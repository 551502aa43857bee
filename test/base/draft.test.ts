import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Draft } from "../../src/base/draft.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const contentOf = (folder: string) =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, readFileSync(path, "utf8"), (statSync(path).mode & 0o777).toString(8)];
  });

describe("Draft", () => {
  it("takes its final name only when it replaces the file", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "a.txt");
    writeFileSync(file, "old", { mode: 0o644 });
    {
      using draft = new Draft(file);
      draft.write("new", 0o600);
      expect([readFileSync(file, "utf8"), readFileSync(draft.path, "utf8")]).toEqual(["old", "new"]);
      draft.replace();
    }
    expect(contentOf(folder.path)).toEqual([["a.txt", "new", "600"]]);
  });

  it("adds a file unless one with that name exists", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "a.txt");
    const add = (content: string) => {
      using draft = new Draft(file);
      draft.write(content, 0o600);
      draft.add();
      // A second name of the same file: a killed process leaves no half of a copy.
      expect(statSync(file).ino).toBe(statSync(draft.path).ino);
    };
    add("first");
    expect(() => add("second")).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect(contentOf(folder.path)).toEqual([["a.txt", "first", "600"]]);
  });

  it("removes an unfinished file and the files that SQLite keeps next to it", () => {
    using folder = makeTempFolder();
    {
      using draft = new Draft(join(folder.path, "a.db"));
      draft.write("", 0o600);
      for (const suffix of ["-wal", "-shm", "-journal"]) writeFileSync(draft.path + suffix, "");
      expect(readdirSync(folder.path)).toHaveLength(4);
    }
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
