import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callerKeyOf, openCallerKey } from "../../src/warehouse/caller-key.ts";
import { readDrift, recordDrift, type SchemaDrift } from "../../src/warehouse/drift.ts";
import { CallerDigests, insertForgotten } from "../../src/warehouse/forgotten.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { makeTempFolder } from "../temp-folder.ts";

const msclkid: SchemaDrift = {
  path: "dni_data.msclkid",
  kind: "unknown",
  json_type: "string",
  first_run_id: 1,
  first_seen_at: "2026-10-01T00:00:00.000Z",
};

describe("recordDrift", () => {
  it("lists a member once for each kind, as it was met first", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const later = {
      ...msclkid,
      json_type: "number",
      first_run_id: 2,
      first_seen_at: "2026-10-02T00:00:00.000Z",
    };
    const asType: SchemaDrift = { ...later, kind: "type" };
    const proto = { ...msclkid, path: "__proto__" };
    recordDrift(warehouse, [msclkid, later]);
    recordDrift(warehouse, [later, asType, proto]);
    recordDrift(warehouse, []);
    expect(readDrift(warehouse)).toEqual([proto, asType, msclkid]);
  });

  it("names no member by the number of a forgotten caller", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const digests = new CallerDigests(openCallerKey(warehouse.path).key);
    const forgotten = {
      digest: digests.of("+4930123456"),
      national_digest: null,
      pseudonym: "forgotten0123456789abcdef",
      key_mark: digests.mark,
      forgotten_at: "2026-10-01T00:00:00.000Z",
      calls: 1,
    };
    insertForgotten(warehouse, [forgotten]);
    const named = { ...msclkid, path: "callers.+4930123456.name" };
    recordDrift(warehouse, [named, { ...named, first_run_id: 2 }, msclkid]);
    expect(readDrift(warehouse)).toEqual([{ ...named, path: "callers.+9999999999.name" }, msclkid]);
    // Most runs meet none, and need no key.
    rmSync(callerKeyOf(warehouse.path));
    recordDrift(warehouse, []);
    expect(() => recordDrift(warehouse, [named])).toThrow("is not there");
  });
});
