import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../src/errors.ts";
import { callerKeyOf, hasCallerKey, openCallerKey } from "../../src/warehouse/caller-key.ts";
import { makeTempFolder } from "../temp-folder.ts";

/** What somebody is told who cannot have the key; what is of one run alone is taken out. */
function refusalOf(database: string) {
  try {
    openCallerKey(database);
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    const { message, exitCode, hint, cause } = error;
    return { message, exitCode, hint, cause: cause instanceof Error ? cause.message : undefined };
  }
  return undefined;
}

describe("openCallerKey", () => {
  it("makes a key of 32 bytes for the owner alone, says that it did, and finds the same afterwards", () => {
    using folder = makeTempFolder();
    using other = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const file = `${database}.caller-key`;
    expect([callerKeyOf(database), hasCallerKey(database)]).toEqual([file, false]);
    const { key, newFile } = openCallerKey(database);
    expect([key.length, newFile, hasCallerKey(database)]).toEqual([32, file, true]);
    expect(readFileSync(file, "utf8")).toBe(`${key.toString("hex")}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openCallerKey(database)).toEqual({ key });
    expect(readdirSync(folder.path)).toEqual(["calls.db.caller-key"]);
    expect(openCallerKey(join(other.path, "calls.db")).key).not.toEqual(key);
  });

  it("is that of a warehouse by each of its names", () => {
    using folder = makeTempFolder();
    const [database, link] = ["calls.db", "link.db"].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    writeFileSync(database, "");
    symlinkSync(database, link);
    expect(openCallerKey(link).newFile).toBe(callerKeyOf(database));
    expect(openCallerKey(database).newFile).toBeUndefined();
  });

  it("takes a key with blanks around it", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    writeFileSync(callerKeyOf(database), `\n ${"0a".repeat(32)} \r\n`);
    expect(openCallerKey(database)).toEqual({ key: Buffer.alloc(32, 10) });
  });

  it.each(["", "0a".repeat(31), "0a".repeat(33), "0g".repeat(32)])("refuses what is no key: %j", (text) => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    writeFileSync(callerKeyOf(database), text);
    expect(refusalOf(database)).toEqual({
      message: `Cannot use ${callerKeyOf(database)}: it is not a key of 32 bytes in hex`,
      exitCode: 7,
      hint: "Restore it from a backup. With a different key the pseudonyms of callers would not match those in earlier files.",
      cause: undefined,
    });
    expect(readFileSync(callerKeyOf(database), "utf8")).toBe(text);
  });

  it("takes a link to a disk that is not there for a key that cannot be read, and makes no other", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    symlinkSync(join(folder.path, "disk", "key"), callerKeyOf(database));
    expect(hasCallerKey(database)).toBe(true);
    expect(refusalOf(database)).toEqual({
      message: "Cannot read the key of caller_hash beside the warehouse",
      exitCode: 7,
      hint: "Let the owner of the warehouse do it.",
      cause: `Cannot open ${callerKeyOf(database)}: no such file or directory`,
    });
    expect(readdirSync(folder.path)).toEqual(["calls.db.caller-key"]);
  });

  it("cannot read a folder", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    mkdirSync(callerKeyOf(database));
    expect(refusalOf(database)).toEqual({
      message: "Cannot read the key of caller_hash beside the warehouse",
      exitCode: 7,
      hint: "Let the owner of the warehouse do it.",
      cause: "Cannot read a file: it is a folder",
    });
  });

  it("cannot make one in a folder that is not there", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "none", "calls.db");
    expect(refusalOf(database)).toEqual({
      message: "Cannot make the key of caller_hash beside the warehouse",
      exitCode: 7,
      hint: "Let the owner of the warehouse do it.",
      cause: expect.stringMatching(
        /^Cannot open .*\.caller-key\.[-0-9a-f]{36}\.tmp: no such file or directory$/,
      ),
    });
  });
});
