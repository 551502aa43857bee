import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import { assertMayBegin, assertThere } from "../../../src/warehouse/file/missing.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

describe("assertMayBegin", () => {
  it("allows a new warehouse, but not where the key of a lost one is left, which it names", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "lost.db");
    expect(() => assertMayBegin(database)).not.toThrow();
    expect(() => assertThere(database)).toThrow(`There is no warehouse at ${database}`);

    const key = callerKeyOf(database);
    writeFileSync(key, "0a".repeat(32));
    const message = `There is no warehouse at ${database}, but its ${basename(key)} is there`;
    expect(() => assertMayBegin(database)).toThrow(message);
    expect(() => assertThere(database)).toThrow(message);
  });
});
