import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertOutput } from "../../../src/warehouse/file/output-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

/** A file of this kind begins with the word. */
const LIST = {
  name: "a list",
  isOne: (file: string) => readFileSync(file, "utf8").startsWith("list"),
};

describe("assertOutput with a file of another kind", () => {
  it.each([
    { there: ["notes"], to: "notes", says: undefined },
    { there: ["notes", "notes-journal.csv"], to: "notes", says: undefined },
    { there: ["notes", "notes-wal"], to: "notes", says: "it may be a part of a database" },
    { there: ["notes-wal"], to: "notes-wal", says: "it may be a part of a database" },
    { there: ["notes", "settings"], to: "settings", says: "it belongs to the configuration" },
    { there: ["notes", "read"], to: "read", says: "this command reads it" },
  ])("writes to $to among $there with --replace, unless $says", ({ there, to, says }) => {
    using folder = makeTempFolder();
    const pathOf = (name: string) => join(folder.path, name);
    for (const name of there) writeFileSync(pathOf(name), `text of ${name}`);
    const options = { inputs: [pathOf("read")], replacing: { keeps: [pathOf("settings")] } };
    const write = () => assertOutput(pathOf(to), LIST, options);
    if (says === undefined) expect(write()).toBe(pathOf(to));
    else expect(write).toThrow(says);
    const { replacing: _, ...others } = options;
    if (to === "notes") expect(() => assertOutput(pathOf(to), LIST, others)).toThrow("of another kind");
  });
});
