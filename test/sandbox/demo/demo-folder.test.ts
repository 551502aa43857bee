import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertOurFiles, makeWarehouse } from "../../../src/sandbox/demo/demo-folder.ts";
import * as exported from "../../support/figures/produce-files.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { fillWarehouse, readRows } from "../../support/warehouses/warehouse.ts";

const ADDRESS = new URL("http://127.0.0.1:8787");
const NAMES = ["channel.csv", "gclid.csv"];

const refusal = (file: string) =>
  expect.objectContaining({
    exitCode: 2,
    message: `Cannot run the demo: ${file} exists, and calltally demo did not write it`,
  });

describe("makeWarehouse", () => {
  it("replaces the warehouse of an earlier demo, and does not change another one", () => {
    using folder = makeTempFolder();
    const [demo, real] = ["demo.db", "real.db"].map((name) => join(folder.path, name)) as [string, string];
    const idOf = () => readRows(demo, "SELECT warehouse_id, is_demo FROM origin")[0];
    makeWarehouse(demo, ADDRESS);
    const first = idOf();
    makeWarehouse(demo, ADDRESS);
    expect(idOf()).toEqual({ warehouse_id: expect.any(String), is_demo: 1 });
    expect(idOf()).not.toEqual(first);

    fillWarehouse(real, [makeCall()]);
    const before = readFileSync(real);
    expect(() => makeWarehouse(real, ADDRESS)).toThrow(refusal(real));
    expect(readFileSync(real).equals(before)).toBe(true);
  });
});

describe("assertOurFiles", () => {
  it("accepts an empty folder, and the unchanged files of an earlier demo", async () => {
    using made = exported.makeWarehouse([makeCall()]);
    assertOurFiles(made.folder, NAMES);
    made.execute("UPDATE origin SET is_demo = 1");
    await made.export({ targets: [{ kind: "rollup", dimensions: ["channel"] }] });
    assertOurFiles(made.folder, NAMES);
    writeFileSync(join(made.folder, "gclid.csv"), "mine");
    expect(() => assertOurFiles(made.folder, NAMES)).toThrow(refusal(join(made.folder, "gclid.csv")));
    writeFileSync(join(made.folder, "channel.csv"), "changed");
    expect(() => assertOurFiles(made.folder, NAMES)).toThrow(refusal(join(made.folder, "channel.csv")));
  });

  it("refuses a file without a manifest, and the files of another warehouse", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "gclid.csv");
    writeFileSync(file, "mine");
    expect(() => assertOurFiles(folder.path, NAMES)).toThrow(refusal(file));
    using made = exported.makeWarehouse([makeCall()]);
    await made.export({ targets: [{ kind: "rollup", dimensions: ["channel"] }] });
    expect(() => assertOurFiles(made.folder, NAMES)).toThrow(refusal(join(made.folder, "manifest.json")));
  });
});
