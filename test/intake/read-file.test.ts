import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_FILE_BYTES, readTextFile } from "../../src/intake/read-file.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

describe("readTextFile", () => {
  it("reads a file of any size up to the largest", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "a.csv");
    for (const size of [0, 5, 1024 * 1024, 5 * 1024 * 1024 + 3]) {
      writeFileSync(path, "x".repeat(size));
      expect(readTextFile(path, (text) => ({ length: text.length }))).toEqual({
        file: "a.csv",
        encoding: "utf-8",
        length: size,
      });
    }
    writeFileSync(path, Buffer.alloc(MAX_FILE_BYTES + 1, "x"));
    expect(() => readTextFile(path, () => ({}))).toThrow(`Cannot import ${path}: it is larger than 64 MiB`);
  });

  it("names a file that it cannot read or import, without control characters", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "a\u001b.csv");
    const read = () => readTextFile(path, () => ({}));
    const shown = join(folder.path, "a\\u001b.csv");
    expect(read).toThrow(`Cannot read ${shown}: no such file`);
    writeFileSync(path, Buffer.alloc(MAX_FILE_BYTES + 1, "x"));
    expect(read).toThrow(`Cannot import ${shown}: it is larger`);
  });

  it.skipIf(process.platform === "win32")("refuses a file that never ends", () => {
    expect(() => readTextFile("/dev/zero", () => ({}))).toThrow(
      "Cannot import /dev/zero: it is larger than 64 MiB",
    );
  });
});
