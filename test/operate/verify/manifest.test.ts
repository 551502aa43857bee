import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { fingerprintOf } from "../../../src/export/manifest.ts";
import { isOf, verifyFile } from "../../../src/operate/verify/verify-files.ts";
import { openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import type { Reader } from "../../../src/warehouse/warehouse.ts";
import { exportToFolder } from "../../support/figures/produce-files.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openNewWarehouse } from "../../support/warehouses/warehouse.ts";
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
  ...Object.entries<(manifest: Json) => void>({
    "statements emptied": (manifest) => (manifest.statements = []),
    "another address": ({ origin }) => (origin.base_url = "https://other.example.com"),
    "another zone": (manifest) => (manifest.timezone = "Asia/Tokyo"),
    "another reason of the verdict": ({ run }) => (run.verdict_reason = "every call was read twice"),
    "other rules": ({ rules }) => rules.qualified_seconds++,
    "doubled sums": ({ files }) => (files[1].sums.calls *= 2),
    "another number of keys in (other)": ({ files }) => (files[0].keys_in_other = 3),
    "other days of comparison": (manifest) =>
      (manifest.compared_with = [{ as: "previous", from: "2026-01-01" }]),
    "a hidden restatement": (manifest) => (manifest.restatements = { rollups: [] }),
    "another member": (manifest) => (manifest.caveats = {}),
  }).map(([what, change]): (typeof CASES)[number] => [
    what,
    /^it is not the one that was written at 20/,
    ({ edit }) => edit(change),
  ]),
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

interface Verified extends Exported {
  /** Returns what does not hold. */
  verify: (path?: string) => Promise<string[]>;
  /** Exports the first file again, from a day on. */
  exportAgain: (from: string) => Promise<unknown>;
  /** Returns all messages. */
  look: (path: string) => Promise<string[]>;
}

async function exportTwo(folder: string): Promise<Verified> {
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
  const given = { database, folder: out, rules: DEFAULT_RULES, lookbackHours: 72 };
  await exportToFolder({ ...given, targets: [rollup("channel"), rollup("campaign")] });
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
      // Anybody can compute it.
      manifest.fingerprint = fingerprintOf(manifest);
      writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
    },
    write: (file, text) => writeFileSync(join(out, file), text),
    run: (sql) => {
      using warehouse = openExistingWarehouse(database);
      warehouse.sqlite.exec(sql);
    },
    verify: async (at = path) => {
      const checks = await Array.fromAsync(verifyFile(at, open));
      return checks.flatMap(({ holds, message }) => (holds ? [] : [message]));
    },
    exportAgain: (from) => exportToFolder({ ...given, targets: [rollup("channel")], range: { from } }),
    look: (at) => Array.fromAsync(verifyFile(at, open), ({ message }) => message),
  };
}

it("verify accepts an export as it was written", async () => {
  using temp = makeTempFolder();
  const { verify, edit, folder } = await exportTwo(temp.path);
  expect(await verify()).toEqual([]);
  edit(() => {});
  expect(await verify()).toEqual([]);
  expect(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")).statements).not.toEqual([]);
});

it("verify accepts a copied folder and a moved one, and says where it was written", async () => {
  using temp = makeTempFolder();
  const { verify, look, folder, write } = await exportTwo(temp.path);
  const [copy, moved] = [join(temp.path, "copy"), join(temp.path, "moved")];
  cpSync(folder, copy, { recursive: true });
  const manifest = join(copy, "manifest.json");
  expect(await verify(manifest)).toEqual([]);
  expect(await look(manifest)).toContainEqual(
    expect.stringMatching(`to ${folder}; exports may have replaced that since`),
  );
  renameSync(folder, moved);
  expect(await verify(join(moved, "manifest.json"))).toEqual([]);
  renameSync(moved, folder);
  write("channel.csv", "a");
  expect(await verify(manifest)).toEqual([]);
  writeFileSync(join(copy, "campaign.csv"), "b");
  expect(await verify(manifest)).toEqual(["campaign.csv is not the one that was written"]);
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace("UTC", "CET"));
  expect(await verify(manifest)).toContain("it is not the one that was written");
});

it("verify accepts the last of two exports to a folder, and no longer the one before", async () => {
  using temp = makeTempFolder();
  const { verify, folder, exportAgain } = await exportTwo(temp.path);
  const before = readFileSync(join(folder, "manifest.json"));
  await exportAgain("2026-10-01");
  expect(await verify()).toEqual([]);
  writeFileSync(join(folder, "manifest.json"), before);
  expect(await verify()).toContainEqual(expect.stringMatching(/^it is not the one that was written at 20/));
});

it.each(CASES)("verify finds %s", async (_, says, forge) => {
  using temp = makeTempFolder();
  const { verify, ...exported } = await exportTwo(temp.path);
  forge(exported);
  expect(await verify()).toContainEqual(expect.stringMatching(says));
});

it("verify refuses a manifest without files", async () => {
  using temp = makeTempFolder();
  const { verify, edit } = await exportTwo(temp.path);
  edit((manifest) => {
    manifest.files = [];
  });
  await expect(verify()).rejects.toThrow("it names no files");
});
