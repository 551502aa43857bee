import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTextFile } from "../../../src/config/files/text-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

describe("readTextFile", () => {
  it("reads UTF-8 of up to a million bytes, and names what is wrong with anything else", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "rules.csv");
    const read = (content: string | Buffer) => {
      writeFileSync(path, content);
      return readTextFile(path, "the rules");
    };
    expect(read("é,\n")).toBe("é,\n");
    expect(read("x".repeat(1_000_000))).toHaveLength(1_000_000);
    expect(() => read("x".repeat(1_000_001))).toThrow(
      "Cannot use the rules: it is larger than 1000000 bytes",
    );
    expect(() => read("a\0b")).toThrow("Cannot use the rules: it is not UTF-8 text");
    expect(() => read(Buffer.from([0xff, 0x41]))).toThrow("Cannot use the rules: it is not UTF-8 text");
    const other = join(folder.path, "folder");
    mkdirSync(other);
    expect(() => readTextFile(other, "the rules")).toThrow("Cannot use the rules: it is not a file");
    const missing = join(folder.path, "none");
    expect(() => readTextFile(missing, "the rules")).toThrow("Cannot read the rules: no such file");
  });
});
