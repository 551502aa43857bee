import { describe, expect, it } from "vitest";
import { beginFactLog } from "../../../src/restatements/logged-facts.ts";
import { renameCallers } from "../../../src/warehouse/calls/caller-names.ts";
import { readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCall } from "../../support/calls.ts";
import { newWarehouse, storeCalls } from "../../support/warehouse.ts";

describe("renameCallers", () => {
  it.each([true, false])(
    "gives other names wherever the facts have them, and logs nothing: %s",
    (isLogged) => {
      using warehouse = newWarehouse();
      const { sqlite } = warehouse;
      const log = isLogged ? beginFactLog(warehouse) : undefined;
      // Another trigger than those of the log goes on working.
      sqlite.exec(`CREATE TABLE seen (caller);
      CREATE TRIGGER other AFTER UPDATE ON call_facts BEGIN INSERT INTO seen VALUES (OLD.caller); END`);
      const callers = ["+491", "+492", null, "kept"];
      const write = (disposition: string) =>
        storeCalls(
          warehouse,
          callers.map((caller_id, index) => makeCall({ call_id: -index, caller_id, disposition })),
        );
      write("ANSWERED");
      write("BUSY");
      const read = (table: string, order: string) =>
        sqlite.prepare(`SELECT caller FROM ${table} ORDER BY ${order}`).pluck().all();
      const changes = sqlite.prepare("SELECT count(*) FROM fact_changes").pluck();
      const before = changes.get();
      expect(before).toBe(isLogged ? 2 * callers.length : 0);
      sqlite.exec("DELETE FROM seen");
      writeTransaction(warehouse, (tx) =>
        renameCallers(tx, (caller) => (caller === "kept" ? caller : `named ${caller}`)),
      );
      const named = ["named +491", "named +492", null, "kept"];
      expect(read("call_facts", "-call_id")).toEqual(named);
      expect(read("callers", "caller")).toEqual(["kept", "named +491", "named +492"]);
      const ofLog = isLogged ? [...callers.map(() => null), ...named] : [];
      expect(read("fact_changes", "reason DESC, -call_id")).toEqual(ofLog);
      expect([changes.get(), readFactLog(warehouse)]).toEqual([before, log]);
      expect(sqlite.prepare("SELECT caller FROM seen ORDER BY 1").pluck().all()).toEqual(["+491", "+492"]);
      write("FAILED");
      expect(changes.get()).toBe(isLogged ? 3 * callers.length : 0);
    },
  );
});
