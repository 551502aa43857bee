import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { type RestoredKey, restoreKey } from "../../../src/operate/backup/carry-over.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeWarehouse } from "../../support/warehouses/small-warehouse.ts";

const [OWN, OTHER, THIRD] = ["aa", "bb", "cc"].map((byte) => byte.repeat(32)) as [string, string, string];

interface Scene {
  title: string;
  /** Next to the warehouse. */
  own?: string;
  /** Next to the backup, by its name. */
  spare?: string;
  /** Next to the backup, by the name of the warehouse. */
  named?: string;
  /** Whether the backup is next to the warehouse. */
  isNear?: boolean;
  /** What the restored warehouse has of callers. */
  sql?: string;
  outcome: RestoredKey | null;
  /** The key next to the warehouse afterwards. */
  key?: string;
}

const NONE: readonly Call[] = [];

const exported = (key: string | null) =>
  `INSERT INTO exports (exported_at, path, sha256, rows, filter, manifest_sha256, caller_key)
    VALUES ('', '/out/calltally.xlsx', '', 0, '{}', '', ${key})`;

const SCENES: Scene[] = [
  { title: "one and no other", own: OWN, outcome: "kept", key: OWN },
  { title: "one, and the same next to the backup", own: OWN, spare: `${OWN}\n`, outcome: "kept", key: OWN },
  { title: "the same, with more space behind it", own: `${OWN}\n`, spare: OWN, outcome: "kept", key: OWN },
  { title: "one, and the same by its own name", own: OWN, named: OWN, outcome: "kept", key: OWN },
  { title: "one, and another next to the backup", own: OWN, spare: OTHER, outcome: "kept another", key: OWN },
  { title: "one, and another by its own name", own: OWN, named: OTHER, outcome: "kept another", key: OWN },
  { title: "one in the backup's folder", own: OWN, isNear: true, outcome: "kept", key: OWN },
  { title: "none, and one next to the backup", spare: OTHER, outcome: "copied", key: OTHER },
  { title: "none, and one by the warehouse's name", named: THIRD, outcome: "copied", key: THIRD },
  { title: "none, and two", spare: OTHER, named: THIRD, outcome: "copied", key: OTHER },
  { title: "none, nor needs one", outcome: null },
  {
    title: "none, and callers by digests",
    sql: "UPDATE rules SET caller_key = 'abcd'",
    outcome: "needed",
  },
  {
    title: "none, and wrote a file with pseudonyms",
    sql: exported("'0123456789abcdef'"),
    outcome: "missing",
  },
  { title: "none, and wrote a file without", sql: exported(null), outcome: null },
  {
    title: "none, and has forgotten somebody",
    sql: "INSERT INTO forgotten_callers (digest, pseudonym, key_mark, forgotten_at, calls) VALUES ('d', 'p', 'k', '', 1)",
    outcome: "needed",
  },
];

describe("restoreKey", () => {
  it.each(SCENES)(
    "for a warehouse that has $title: $outcome",
    async ({ own, spare, named, isNear, sql, outcome, key }) => {
      using folder = makeTempFolder();
      const [here, there] = ["here", isNear ? "here" : "there"].map((name) => join(folder.path, name)) as [
        string,
        string,
      ];
      for (const path of new Set([here, there])) mkdirSync(path);
      const [target, source, draft] = [
        join(here, "calls.db"),
        join(there, "backup.db"),
        join(here, ".draft"),
      ];
      makeWarehouse(draft, NONE);
      if (sql !== undefined) {
        using warehouse = openWarehouse(draft);
        warehouse.sqlite.exec(sql);
      }
      if (own !== undefined) writeFileSync(`${target}.caller-key`, own);
      if (spare !== undefined) writeFileSync(`${source}.caller-key`, spare);
      if (named !== undefined) writeFileSync(join(there, "calls.db.caller-key"), named);
      using restored = openWarehouse(draft);
      expect(await restoreKey(source, target, restored)).toBe(outcome);
      const file = `${target}.caller-key`;
      const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
      expect(isThere ? readFileSync(file, "utf8").trim() : undefined).toBe(key);
      if (outcome === "copied") expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    },
  );
});
