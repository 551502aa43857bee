import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDrift, recordDrift, type SchemaDrift } from "../../src/warehouse/drift.ts";
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
});
