import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { adviseOn, describeLack, reasonOf, toFileError } from "../../src/base/file-access.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** An error as Node throws it. */
const systemError = (message: string, members: object) => Object.assign(new Error(message), members);

describe("toFileError", () => {
  it("names the file, the reason and what to do about errors of Node", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "a.txt");
    writeFileSync(file, "");
    const loop = join(folder.path, "loop");
    symlinkSync(loop, loop);
    const found = [
      () => readFileSync(join(folder.path, "none.txt")),
      () => readFileSync(join(file, "below")),
      () => readFileSync(loop),
      () => readFileSync(folder.path),
      () => readFileSync(join(folder.path, "n".repeat(300))),
      () => mkdirSync(file),
    ].map((work) => {
      const error = toFileError(thrownBy(work));
      return [
        error?.exitCode,
        error?.message.replaceAll(folder.path, "").replace(/n{300}/, "long"),
        error?.hint,
      ];
    });
    const check =
      "Check the path; a relative one starts in the working folder, and one in calltally.yaml in the folder of that file.";
    expect(found).toEqual([
      [EXIT.storage, "Cannot open /none.txt: no such file or directory", check],
      [EXIT.storage, "Cannot open /a.txt/below: not a directory", check],
      [EXIT.storage, "Cannot open /loop: too many symbolic links encountered", check],
      [EXIT.storage, "Cannot read a file: it is a folder", "Name a file instead."],
      [EXIT.storage, "Cannot open /long: name too long", "Use a shorter name."],
      [
        EXIT.storage,
        "Cannot make the folder /a.txt: file already exists",
        "Check its disk, or use another folder.",
      ],
    ]);
  });

  it("knows errors of open files, which have no path, and used-up descriptors in any words", () => {
    const full = systemError("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" });
    expect(toFileError(full)).toMatchObject({
      message: "Cannot write a file: no space left on device",
      hint: "Make room on its disk, and run it again.",
    });
    expect(toFileError(systemError("EMFILE: too many, open", { code: "EMFILE" }))?.message).toBe(
      "Cannot open another file or connection: too many open files",
    );
    expect(toFileError(new Error("Too many open files in system"))?.hint).toContain("ulimit -n 1024");
  });

  it("returns undefined for errors of anything else", () => {
    const others = [
      systemError("connect ECONNREFUSED 127.0.0.1:1", { code: "ECONNREFUSED", syscall: "connect" }),
      systemError("getaddrinfo", { code: "EAI_AGAIN", syscall: "getaddrinfo", path: undefined }),
      systemError("no system call", { code: "ENOSPC" }),
      systemError("no code", { syscall: "write" }),
      { code: "ENOSPC", syscall: "write" },
      new Error("odd"),
    ];
    expect(others.map(toFileError)).toEqual(others.map(() => undefined));
    expect([reasonOf(others[5]), adviseOn(others[5])]).toEqual([
      "odd",
      "Check its disk, or use another folder.",
    ]);
    // Without words, the code.
    expect(reasonOf(systemError("odd", { code: "EIO", syscall: "read" }))).toBe("EIO");
  });
});

describe.skipIf(process.getuid?.() === 0 || process.platform === "win32")("describeLack", () => {
  it("names the first permission that is missing, from the root down", () => {
    using folder = makeTempFolder();
    const [closed, readOnly] = [join(folder.path, "closed"), join(folder.path, "read-only")];
    const [file, secret] = [join(readOnly, "file"), join(folder.path, "secret")];
    for (const path of [closed, readOnly]) mkdirSync(path);
    for (const path of [file, secret]) writeFileSync(path, "");
    chmodSync(file, 0o444);
    chmodSync(secret, 0o222);
    chmodSync(closed, 0o600);
    chmodSync(readOnly, 0o500);
    const who = `This user (uid ${process.getuid?.()})`;
    expect(describeLack(join(closed, "below", "file"))).toBe(`${who} may not enter the folder ${closed}.`);
    expect(describeLack(join(readOnly, "new"))).toBe(`${who} may not make files in ${readOnly}.`);
    expect(describeLack(file)).toBe(`${who} may not write to ${file}.`);
    expect(describeLack(file, "read")).toBeUndefined();
    expect(describeLack(secret)).toBe(`${who} may not read ${secret}.`);
    expect(describeLack(secret, "read")).toBe(`${who} may not read ${secret}.`);
    expect(describeLack(join(folder.path, "new"))).toBeUndefined();
    chmodSync(closed, 0o700);
    chmodSync(readOnly, 0o700);
  });
});
