import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../../src/base/errors.ts";
import {
  callerKeyOf,
  hasCallerKey,
  makeKey,
  openCallerKey,
} from "../../../src/warehouse/calls/caller-key.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openIn } from "../../support/warehouses/small-warehouse.ts";

/** The error for somebody who cannot have the key, without the parts that differ between runs. */
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
  it("creates a key of 32 bytes readable only by the owner, reports it, and finds the same one later", () => {
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

  it("finds the same key by each name of a warehouse", () => {
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

  it("leaves no file open", () => {
    using folder = makeTempFolder();
    openCallerKey(join(folder.path, "calls.db"));
    expect(openIn(folder.path)).toEqual([]);
  });

  it("keeps the key of a faster process, and no draft of its own", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    writeFileSync(callerKeyOf(database), "0a".repeat(32));
    makeKey(callerKeyOf(database));
    expect(openCallerKey(database)).toEqual({ key: Buffer.alloc(32, 10) });
    expect(readdirSync(folder.path)).toEqual(["calls.db.caller-key"]);
  });

  it("accepts a key with blanks around it", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    writeFileSync(callerKeyOf(database), `\n ${"0a".repeat(32)} \r\n`);
    expect(openCallerKey(database)).toEqual({ key: Buffer.alloc(32, 10) });
  });

  it.each(["", "0a".repeat(31), "0a".repeat(33), "0g".repeat(32)])("refuses an invalid key: %j", (text) => {
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
  it.each([
    {
      title: "a link to a missing disk",
      make: (file: string) => symlinkSync(join(file, "..", "disk", "key"), file),
      cause: (file: string) => `Cannot open ${file}: no such file or directory`,
    },
    { title: "a folder", make: mkdirSync, cause: () => "Cannot read a file: it is a folder" },
  ])("refuses $title as an unreadable key, and creates no other", ({ make, cause }) => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    make(callerKeyOf(database));
    expect(hasCallerKey(database)).toBe(true);
    expect(refusalOf(database)).toEqual({
      message: "Cannot read the key of caller_hash next to the warehouse",
      exitCode: 7,
      hint: "Let the owner of the warehouse do it.",
      cause: cause(callerKeyOf(database)),
    });
    expect(readdirSync(folder.path)).toEqual(["calls.db.caller-key"]);
  });

  it("fails in a missing folder", () => {
    using folder = makeTempFolder();
    expect(refusalOf(join(folder.path, "none", "calls.db"))).toMatchObject({
      message: "Cannot make the key of caller_hash next to the warehouse",
      cause: expect.stringMatching(
        /^Cannot open .*\.caller-key\.[\d@]+\.[-0-9a-f]{36}\.tmp: no such file or directory$/,
      ),
    });
  });
});
