import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nameSecretFile, readSecretFile } from "../../../src/config/files/secret-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

describe("readSecretFile", () => {
  it("returns the trimmed text, and refuses a file larger than a secret", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "secret");
    writeFileSync(file, ` ${"s".repeat(65_534)}\n`, { mode: 0o600 });
    expect(readSecretFile(file, "smtp_url_file")).toBe("s".repeat(65_534));
    writeFileSync(file, "s".repeat(65_537));
    expect(() => readSecretFile(file, "smtp_url_file")).toThrow("smtp_url_file: is larger than 65536 bytes");
  });

  it.each([
    ["with a byte order mark", Buffer.from("\uFEFFt0ken\r\n", "utf16le")],
    ["without one", Buffer.from("t0ken\r\n", "utf16le")],
    ["with the high byte first", Buffer.from("\uFEFFt0ken", "utf16le").swap16()],
  ])("refuses UTF-16, and says how to save the file: %s", (_, content) => {
    using folder = makeTempFolder();
    const file = join(folder.path, "secret");
    writeFileSync(file, content, { mode: 0o600 });
    expect(() => readSecretFile(file, "smtp_url_file")).toThrow(
      expect.objectContaining({
        message: "smtp_url_file: its file is not UTF-8 text",
        hint: "Save it as UTF-8",
      }),
    );
  });
});

describe("nameSecretFile", () => {
  it.each([
    ["/etc/calltally/token", "/etc/calltally/token"],
    [
      "/run/credentials/calltally@sync.service/token",
      "the file of LoadCredential=token in the unit, /etc/calltally/token unless it was changed",
    ],
    ["/run/secrets/token", "/run/secrets/token"],
  ])("names the file that a person can edit: %s", (file, name) => {
    expect(nameSecretFile(file)).toBe(name);
  });
});
