import { join } from "node:path";
import { expect, it } from "vitest";
import { rowOf, rowsOf, startRowService, syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";

const recorded = (signature: string, members = {}) =>
  JSON.stringify({
    ...JSON.parse(rowOf(3)),
    recording_url: `https://r.example/3?Sig=${signature}`,
    ...members,
  });

it("sync finds the one call that changed, and takes neither a new signature nor another order of members for a change", async () => {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  await using service = await startRowService([...rowsOf(1, 2), recorded("one"), ...rowsOf(4, 60)]);
  const full = { force: "full" } as const;
  expect(await syncFrom(service, folder.path, full)).toMatchObject({ calls_new: 60, verdict: "exact" });

  const { call_id, call_started, duration } = JSON.parse(rowOf(50));
  const reordered = JSON.stringify({ call_id, duration, call_started });
  service.rows[2] = recorded("two");
  service.rows[10] = JSON.stringify({ ...JSON.parse(rowOf(11)), duration: 61 });
  service.rows[49] = reordered;
  const again = { calls_new: 0, calls_unchanged: 59, calls_changed: 1, verdict: "exact" };
  expect(await syncFrom(service, folder.path, full)).toMatchObject(again);
  expect(readRows(database, "SELECT duration FROM calls WHERE changed_run_id = 2")).toEqual([
    { duration: 61 },
  ]);

  service.rows[49] = JSON.stringify({ duration, call_id, call_started });
  service.rows[2] = recorded("three", { summary: "A tap." });
  expect(await syncFrom(service, folder.path, full)).toMatchObject(again);
  expect(readRows(database, "SELECT summary FROM transcripts")).toEqual([{ summary: "A tap." }]);
});
