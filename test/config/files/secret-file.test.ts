import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSecretFile } from "../../../src/config/files/secret-file.ts";
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
});
