import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCalltallyFile } from "../../src/config/calltally-file.ts";
import { readDoorbell } from "../../src/config/doorbell.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

function read(doorbell: string, secret = "0123456789abcdef") {
  using folder = makeTempFolder();
  const path = join(folder.path, "calltally.yaml");
  writeFileSync(
    path,
    `accounts: { acme: { token_file: bell, database: acme.db, base_url: "https://api.example.com" } }\n${doorbell}`,
    {
      mode: 0o600,
    },
  );
  writeFileSync(join(folder.path, "bell"), `${secret}\n`, { mode: 0o600 });
  return readDoorbell(readCalltallyFile(path, process.cwd()));
}

describe("readDoorbell", () => {
  it("returns the secret, the account, and the least time between two syncs", () => {
    expect(read("")).toBeUndefined();
    expect(read("doorbell: { secret_file: bell, account: acme, min_seconds: 7 }")).toEqual({
      ...{ secret: "0123456789abcdef", account: "acme", minMs: 7000 },
    });
    expect(read("doorbell: { secret_file: bell }")).toMatchObject({ minMs: 60_000 });
  });

  it.each(["0123456789abcde", "x".repeat(1025), "0123456789 abcdef", "0123456789abcdeé"])(
    "refuses a secret that can be guessed or does not fit into a header: %.20s",
    (secret) => {
      expect(() => read("doorbell: { secret_file: bell }", secret)).toThrow(
        /^Cannot use .*calltally\.yaml:2:26: doorbell\.secret_file: must hold 16 to 1,024 printable ASCII characters/,
      );
    },
  );

  it("accepts a secret of 1,024 characters", () => {
    expect(read("doorbell: { secret_file: bell }", "x".repeat(1024))).toMatchObject({
      secret: "x".repeat(1024),
    });
  });
});
