import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toCalltallyError } from "../../src/base/known-error.ts";

/** The error of a database in memory that exceeds its maximum of pages. */
function fullError(): unknown {
  const full = new Database(":memory:");
  full.exec("PRAGMA max_page_count = 4; CREATE TABLE texts (text)");
  try {
    full.prepare("INSERT INTO texts VALUES (randomblob(100000))").run();
  } catch (error) {
    return error;
  }
  throw new Error("The database took more than it may have");
}

const sqliteError = (code: string) => new Database.SqliteError("broken", code);

describe("toCalltallyError", () => {
  it.each([
    { code: "SQLITE_IOERR_SHMSIZE", hint: /^Make room on its disk/ },
    { code: "SQLITE_CORRUPT_VTAB", hint: /`calltally doctor --deep`.*`calltally restore`/ },
    { code: "SQLITE_NOTADB", hint: /`calltally restore`/ },
    { code: "SQLITE_IOERR_READ", hint: /^`calltally doctor` shows/ },
  ])("says what to do about $code", ({ code, hint }) => {
    expect(toCalltallyError(sqliteError(code)).hint).toMatch(hint);
  });

  it("names the folder of temporary files, which may be what is full", () => {
    vi.stubEnv("SQLITE_TMPDIR", undefined);
    vi.stubEnv("TMPDIR", "/small");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(toCalltallyError(fullError())).toMatchObject({
      exitCode: 7,
      message: "Cannot use the warehouse: database or disk is full (SQLITE_FULL)",
      hint: "Make room on its disk, and on that of /small, where temporary files go (TMPDIR names another folder); then run it again.",
    });
  });
});
