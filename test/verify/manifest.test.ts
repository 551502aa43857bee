import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { isOf, verifyFile } from "../../src/verify/verify-files.ts";
import { openExistingWarehouse, openReader } from "../../src/warehouse/open.ts";
import type { Reader } from "../../src/warehouse/warehouse.ts";
import { exportToFolder } from "../support/figures/produce-files.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openNewWarehouse } from "../support/warehouses/warehouse.ts";
import { ListedCalls } from "./warehouses.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests are forged in ways that no type allows
type Json = any;

interface Exported {
  folder: string;
  database: string;
  edit: (change: (manifest: Json) => void) => void;
  write: (file: string, text: string) => void;
  run: (sql: string) => void;
}

/** A change of an export of two files, and the result of its verification. */
const CASES: [what: string, says: RegExp, (exported: Exported) => void][] = [
  ["a changed file", /^channel.csv is not the one/, ({ write }) => write("channel.csv", "a")],
  ["a removed file", /^channel.csv is missing/, ({ folder }) => rmSync(join(folder, "channel.csv"))],
  [
    "a changed file, with its hash",
    /^channel.csv was recorded .* with another hash$/,
    ({ write, edit }) => {
      write("channel.csv", "a");
      edit(({ files }) => {
        files[0].sha256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
      });
    },
  ],
  ["another number of rows", /another number of rows$/, ({ edit }) => edit(({ files }) => files[0].rows++)],
  [
    "another filter",
    /another filter or range$/,
    ({ edit }) => edit((manifest) => (manifest.filter.gone_calls = "counted")),
  ],
  [
    "another range",
    /another filter or range$/,
    ({ edit }) => edit((manifest) => (manifest.range.from = "2020-01-01")),
  ],
  ["another run", /another run$/, ({ edit }) => edit(({ run }) => run.run_id++)],
  [
    "another verdict of the run",
    /^run 1 is not the one in/,
    ({ edit }) => edit(({ run }) => (run.verdict = "verified")),
  ],
  [
    "another time of the run",
    /^run 1 is not the one in/,
    ({ edit }) => edit(({ run }) => (run.finished_at = "2027")),
  ],
  [
    "a file left out of the manifest",
    /^campaign.csv is of this export/,
    ({ edit }) => edit(({ files }) => files.pop()),
  ],
  [
    "a file left out of the manifest, and removed",
    /^campaign.csv is missing/,
    ({ edit, folder }) => {
      edit(({ files }) => files.pop());
      rmSync(join(folder, "campaign.csv"));
    },
  ],
  [
    "a file that was never exported",
    /^calls.csv is not in the record/,
    ({ edit }) => edit(({ files }) => (files[0].file = "calls.csv")),
  ],
  [
    "other rules",
    /^its fingerprint is that of other contents/,
    ({ edit }) => edit(({ rules }) => rules.qualified_seconds++),
  ],
  [
    "no caveats, where there were some",
    /^its fingerprint/,
    ({ edit }) => edit((manifest) => (manifest.caveats = {})),
  ],
  [
    "the certificate of another",
    /is not kept in/,
    ({ edit }) => edit(({ certificate }) => (certificate.sha256 = "a")),
  ],
  ["no certificate", /^none is named/, ({ edit }) => edit((manifest) => delete manifest.certificate)],
  [
    "another warehouse",
    /is the warehouse of no account here/,
    ({ edit }) => edit(({ origin }) => (origin.warehouse_id = "a")),
  ],
  ["a record of another export", /with another hash$/, ({ run }) => run("UPDATE exports SET sha256 = 'a'")],
  ["no record", /is not in the record/, ({ run }) => run("DELETE FROM exports")],
];

async function exportTwo(folder: string): Promise<Exported & { verify: () => string[] }> {
  const database = join(folder, "calls.db");
  {
    using warehouse = openNewWarehouse(database);
    await new ListedCalls(warehouse).sync("full");
  }
  const out = join(folder, "exports");
  const rollup = (dimension: "channel" | "campaign") => ({
    kind: "rollup" as const,
    dimensions: [dimension],
  });
  await exportToFolder({
    database,
    folder: out,
    rules: DEFAULT_RULES,
    lookbackHours: 72,
    targets: [rollup("channel"), rollup("campaign")],
  });
  const path = join(out, "manifest.json");
  const open = (id: string): Reader | undefined => {
    const warehouse = openReader(database);
    if (isOf(warehouse, id)) return warehouse;
    warehouse[Symbol.dispose]();
    return undefined;
  };
  return {
    folder: out,
    database,
    edit: (change) => {
      const manifest = JSON.parse(readFileSync(path, "utf8"));
      change(manifest);
      writeFileSync(path, JSON.stringify(manifest));
    },
    write: (file, text) => writeFileSync(join(out, file), text),
    run: (sql) => {
      using warehouse = openExistingWarehouse(database);
      warehouse.sqlite.exec(sql);
    },
    verify: () => [...verifyFile(path, open)].flatMap(({ holds, message }) => (holds ? [] : [message])),
  };
}

it("verify accepts an export as it was written", async () => {
  using temp = makeTempFolder();
  expect((await exportTwo(temp.path)).verify()).toEqual([]);
});

it.each(CASES)("verify finds %s", async (_, says, forge) => {
  using temp = makeTempFolder();
  const { verify, ...exported } = await exportTwo(temp.path);
  forge(exported);
  expect(verify()).toContainEqual(expect.stringMatching(says));
});

it("verify refuses a manifest without files", async () => {
  using temp = makeTempFolder();
  const { verify, edit } = await exportTwo(temp.path);
  edit((manifest) => {
    manifest.files = [];
  });
  expect(verify).toThrow("it names no files");
});
