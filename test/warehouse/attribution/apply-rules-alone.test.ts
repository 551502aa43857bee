import { describe, expect, it } from "vitest";

import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { has } from "../../../src/export/statements/statements.ts";
import { addUnsettled } from "../../../src/warehouse/calls/first-load.ts";
import { tryAcquireLock } from "../../../src/warehouse/file/lock.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { readFiles, readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { setRules } from "../../support/warehouses/warehouse.ts";

const CALLS = [
  makeCall({ call_id: 1, caller_id: "+491", disposition: "GREETED", duration: 90 }),
  makeCall({ call_id: 2, caller_id: "+491", disposition: "ANSWERED", duration: 90 }),
];
const RULES = { ...DEFAULT_RULES, answered: ["greeted"] };
const OTHERS = { ...DEFAULT_RULES, answered: ["answered", "greeted"] };
const TARGETS = [{ kind: "rollup", dimensions: ["channel"] }] as const;

const figuresOf = (folder: string) =>
  readText(folder, "channel.csv").split("\r\n")[1]?.split(",").slice(1, 3);

describe("exportToFolder with changed rules", () => {
  it("applies the rules first and reports progress", async () => {
    using warehouse = makeWarehouse(CALLS);
    const seen: unknown[] = [];
    const { manifest } = await warehouse.export({
      targets: TARGETS,
      rules: RULES,
      onAttributed: (progress) => seen.push(progress),
    });
    expect(seen).toEqual([{ read: 2, total: 2 }]);
    expect(manifest.rules.answered).toEqual(["greeted"]);
    expect(figuresOf(warehouse.folder)).toEqual(["2", "1"]);
  });

  it("exits with 6 and keeps the existing files while another process holds the lock", async () => {
    using warehouse = makeWarehouse(CALLS);
    await warehouse.export({ targets: TARGETS });
    const before = readFiles(warehouse.folder);
    using lock = tryAcquireLock(warehouse.database);
    expect(lock).toBeDefined();
    await expect(warehouse.export({ targets: TARGETS, rules: RULES })).rejects.toMatchObject({ exitCode: 6 });
    expect(readFiles(warehouse.folder)).toEqual(before);
    // The rules in force need no lock.
    await warehouse.export({ targets: TARGETS });
  });

  it("exits with 6 if another process applies its own rules before the figures are read", async () => {
    using warehouse = makeWarehouse(CALLS);
    await warehouse.export({ targets: TARGETS });
    const before = readFiles(warehouse.folder);
    // It runs up to its first wait: the rules are in force, and nothing has been read yet.
    const running = warehouse.export({ targets: TARGETS });
    {
      using opened = openExistingWarehouse(warehouse.database);
      setRules(opened, OTHERS);
    }
    await expect(running).rejects.toMatchObject({ exitCode: 6 });
    expect(readFiles(warehouse.folder)).toEqual(before);
  });
});

describe("exportToFolder after an interrupted first load", () => {
  it("computes the first calls, or reports that it could not", async () => {
    using warehouse = makeWarehouse(CALLS);
    {
      using opened = openExistingWarehouse(warehouse.database);
      opened.sqlite.exec("UPDATE callers SET first_call_id = NULL; UPDATE call_facts SET is_first_call = 0");
      writeTransaction(opened, (tx) => addUnsettled(tx, 2));
    }
    {
      using lock = tryAcquireLock(warehouse.database);
      expect(lock).toBeDefined();
      const { manifest } = await warehouse.export({ targets: TARGETS });
      expect(has(manifest.statements, "first_load")).toBe(true);
      expect(manifest.files[0]?.sums?.first_time_callers).toBe(0);
    }
    const { manifest } = await warehouse.export({ targets: TARGETS });
    expect(has(manifest.statements, "first_load")).toBe(false);
    expect(manifest.files[0]?.sums?.first_time_callers).toBe(1);
  });
});
