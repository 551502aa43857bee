import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { carryForgotten } from "../../../src/operate/backup/carry-over.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { insertPrivacyAct, readPrivacyActs } from "../../../src/warehouse/privacy-act-table.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { locked, readRows, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

const FORGOTTEN = Date.parse("2026-11-20T12:00:00.000Z");
const NOW = "2026-12-01T00:00:00.000Z";
const ADA = "+4930123456";

/** A warehouse whose caller was forgotten after a copy of it was made, and that copy. */
function makeBoth() {
  const folder = makeTempFolder();
  const [target, draft] = [join(folder.path, "calls.db"), join(folder.path, "draft.db")];
  {
    using warehouse = openWarehouse(target);
    setRules(warehouse, DEFAULT_RULES);
    const calls = [makeCall({ call_id: 1, caller_id: ADA, summary: "Ada said so." })];
    storeCalls(warehouse, calls);
  }
  copyFileSync(target, draft);
  {
    using warehouse = openWarehouse(target);
    forgetCallers(locked(warehouse), [{ caller: ADA }], { nowMs: FORGOTTEN });
  }
  const readDraft = (query: string) => readRows(draft, query);
  return { folder, target, draft, readDraft, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const carry = (target: string, draft: string) => {
  using copy = openWarehouse(draft);
  const isChanged = carryForgotten(target, locked(copy), Date.parse(NOW));
  copy.sqlite.pragma("journal_mode = DELETE");
  return isChanged;
};
const CALLERS = "SELECT caller_id, summary FROM calls LEFT JOIN transcripts USING (call_id)";
const BEFORE = [{ caller_id: ADA, summary: "Ada said so." }];

describe("carryForgotten", () => {
  it("forgets in the copy the callers forgotten in the warehouse since, and leaves no byte of them", () => {
    using both = makeBoth();
    expect(both.readDraft(CALLERS)).toEqual(BEFORE);
    expect(carry(both.target, both.draft)).toBe(true);
    // Without a log next to it, since it gets another name.
    expect(existsSync(`${both.draft}-wal`)).toBe(false);
    expect(readFileSync(both.draft).readUInt8(18)).toBe(1);
    expect(existsSync(callerKeyOf(both.draft))).toBe(false);
    expect(readFileSync(both.draft, "latin1")).not.toMatch(/4930123456|Ada said/);
    expect(both.readDraft(CALLERS)).toEqual([
      { caller_id: expect.stringMatching(/^forgotten/), summary: null },
    ]);
    {
      using copy = openWarehouse(both.draft);
      expect(readPrivacyActs(copy)).toMatchObject([{ at: NOW, act: "forget", erased_at: NOW }]);
    }
    // Once is enough: the second time there is nobody new, and nothing is erased.
    {
      using copy = openWarehouse(both.draft);
      writeTransaction(copy, (tx) => insertPrivacyAct(tx, { at: NOW, act: "prune", counts: {} }));
    }
    expect(carry(both.target, both.draft)).toBe(false);
    expect(readFileSync(both.draft).readUInt8(18)).toBe(1);
    using copy = openWarehouse(both.draft);
    expect(readPrivacyActs(copy).map(({ erased_at }) => erased_at)).toEqual([NOW, null]);
  });

  it("requires the key of the warehouse that the copy becomes", () => {
    using both = makeBoth();
    rmSync(callerKeyOf(both.target));
    expect(() => carry(both.target, both.draft)).toThrow(callerKeyOf(both.target));
    expect(both.readDraft(CALLERS)).toEqual(BEFORE);
  });

  it.each([
    { title: "does not exist", make: (target: string) => rmSync(target) },
    { title: "is not a database", make: (target: string) => writeFileSync(target, "x".repeat(9000)) },
    {
      title: "is another program's",
      make: (target: string) => {
        rmSync(target);
        const sqlite = new Database(target);
        sqlite.exec("CREATE TABLE forgotten_callers (digest); INSERT INTO forgotten_callers VALUES ('x')");
        sqlite.close();
      },
    },
    {
      title: "has forgotten nobody",
      make: (target: string) => {
        using warehouse = openWarehouse(target);
        warehouse.sqlite.exec("DELETE FROM forgotten_callers");
      },
    },
    {
      title: "is damaged",
      make: (target: string) => {
        const bytes = readFileSync(target);
        bytes.fill(0xff, 100, 9000);
        writeFileSync(target, bytes);
      },
    },
  ])("does not change the copy if the warehouse $title", ({ make }) => {
    using both = makeBoth();
    make(both.target);
    expect(carry(both.target, both.draft)).toBe(false);
    expect(both.readDraft(CALLERS)).toEqual(BEFORE);
  });

  it("fails if it cannot read the forgotten callers of a warehouse for another reason", () => {
    using both = makeBoth();
    {
      using warehouse = openWarehouse(both.target);
      warehouse.sqlite.exec("ALTER TABLE forgotten_callers RENAME COLUMN key_mark TO mark");
    }
    expect(() => carry(both.target, both.draft)).toThrow("key_mark");
    expect(both.readDraft(CALLERS)).toEqual(BEFORE);
  });
});
