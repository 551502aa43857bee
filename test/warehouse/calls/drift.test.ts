import { describe, expect, it } from "vitest";
import { cutoffsAt, KEEP_ALL } from "../../../src/calls/privacy/keep-settings.ts";
import { Keeping, keepingAll } from "../../../src/warehouse/calls/call-guard.ts";
import {
  readDrift,
  recordDrift,
  type SchemaDrift,
  withholdDrift,
} from "../../../src/warehouse/calls/drift.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const msclkid: SchemaDrift = {
  path: "dni_data.msclkid",
  kind: "unknown",
  json_type: "string",
  first_run_id: 1,
  first_seen_at: "2026-10-01T00:00:00.000Z",
};

describe("recordDrift", () => {
  it("lists a member once per kind, as it was first met", () => {
    using warehouse = newWarehouse();
    const later = {
      ...msclkid,
      json_type: "number",
      first_run_id: 2,
      first_seen_at: "2026-10-02T00:00:00.000Z",
    };
    const asType: SchemaDrift = { ...later, kind: "type" };
    const proto = { ...msclkid, path: "__proto__" };
    const keeping = keepingAll(warehouse);
    recordDrift(warehouse, [msclkid, later], keeping);
    recordDrift(warehouse, [later, asType, proto], keeping);
    recordDrift(warehouse, [], keeping);
    expect(readDrift(warehouse)).toEqual([proto, asType, msclkid]);
  });

  it("neither records nor keeps a name that contains a value if anything may not be kept", () => {
    using warehouse = newWarehouse();
    const named = [
      "dni_data.+4930123456",
      "dni_data.jane@example.com",
      "She said: call me.",
      "tel4930123456",
    ];
    const others = ["msclkid", "dni_data.Größe", "utm_id2"];
    const drift = [...named, ...others].map((path) => ({ ...msclkid, path }));
    const paths = () => readDrift(warehouse).map(({ path }) => path);
    recordDrift(warehouse, drift, keepingAll(warehouse));
    expect(new Set(paths())).toEqual(new Set([...named, ...others]));
    withholdDrift(warehouse, keepingAll(warehouse));
    expect(paths()).toHaveLength(drift.length);
    const cutoffs = cutoffsAt({ ...KEEP_ALL, summaries: 90 }, 0);
    const keeping = new Keeping(warehouse, cutoffs, 0);
    const left = new Set(["[name]", "dni_data.[name]", ...others]);
    withholdDrift(warehouse, keeping);
    expect(new Set(paths())).toEqual(left);
    recordDrift(warehouse, drift, keeping);
    expect(new Set(paths())).toEqual(left);
  });
});
