import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockAt, makeWarehouse } from "../../support/figures/produce-files.ts";
import { conversionCall, NOW, readLedger, sync, uploadNotesOf, type Warehouse } from "./upload-files.ts";

/** Exports new conversions; returns how many there are, and the numbers of the files that each list of notes names. */
async function exportNew(warehouse: Warehouse) {
  const conversion = { name: "Qualified call", every: false, new: true };
  const made = await warehouse.export({
    targets: [{ kind: "google-ads", conversion }],
    clock: clockAt(NOW),
  });
  const { left, rewritten, replaced } = uploadNotesOf(made) ?? {};
  const notes = Object.entries({ left, rewritten, replaced }).flatMap(([list, files]) =>
    files === undefined ? [] : [[list, files.map(({ upload_file_id }) => upload_file_id)]],
  );
  return { rows: made.manifest.files[0]?.rows, notes: Object.fromEntries(notes) };
}

/** Leaves the last file as an export does that was killed after it had renamed it. */
function killLast(warehouse: Warehouse): void {
  warehouse.execute(
    "UPDATE upload_files SET draft = path || '.tmp', process = '1@1' WHERE upload_file_id = (SELECT max(upload_file_id) FROM upload_files)",
  );
}

const statesOf = (warehouse: Warehouse) => readLedger(warehouse).files.map(({ state }) => state);

describe("a file of a killed export is reported by one export, and by none after it", () => {
  it("that was moved away, and counts", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2)]);
    expect(await exportNew(warehouse)).toEqual({ rows: 2, notes: {} });
    killLast(warehouse);
    renameSync(join(warehouse.folder, "google-ads.csv"), join(warehouse.folder, "moved.csv"));
    sync(warehouse, [conversionCall(3)]);
    expect(await exportNew(warehouse)).toEqual({ rows: 1, notes: { left: [1] } });
    expect(statesOf(warehouse)).toEqual(["written", "written"]);
    expect((await exportNew(warehouse)).notes).not.toHaveProperty("left");
  });

  it("that is still in its place, and is written again", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2)]);
    await exportNew(warehouse);
    killLast(warehouse);
    sync(warehouse, [conversionCall(3)]);
    expect(await exportNew(warehouse)).toEqual({ rows: 3, notes: { rewritten: [1] } });
    expect(statesOf(warehouse)).toEqual(["replaced", "written"]);
    expect(await exportNew(warehouse)).toEqual({ rows: 0, notes: { replaced: [2] } });
    expect(await exportNew(warehouse)).toEqual({ rows: 0, notes: {} });
  });

  it("with the file of an earlier export that it had replaced", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await exportNew(warehouse);
    sync(warehouse, [conversionCall(2), conversionCall(3)]);
    expect(await exportNew(warehouse)).toEqual({ rows: 2, notes: { replaced: [1] } });
    killLast(warehouse);
    expect(await exportNew(warehouse)).toEqual({ rows: 2, notes: { replaced: [1], rewritten: [2] } });
    expect(statesOf(warehouse)).toEqual(["written", "replaced", "written"]);
    expect((await exportNew(warehouse)).notes).toEqual({ replaced: [3] });
    expect((await exportNew(warehouse)).notes).toEqual({});
  });
});
