import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { countChangedDays, readWatchedDays } from "../../src/notices/watched-days.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { makeCall } from "../support/calls.ts";
import { deleteCalls, markGone, newWarehouse, setRules, storeCalls } from "../support/warehouse.ts";

const FROM_MS = Date.parse("2026-10-01T00:00:00Z");
const UNTIL_MS = Date.parse("2026-10-03T12:00:00Z");
const call = (call_id: number, call_started: string, utm_source = "google") =>
  makeCall({ call_id, call_started, utm_source, tracking_number: "+15125551000" });

it("counts the calls of days by hour, and again those of days that something changed", () => {
  using warehouse = newWarehouse([call(1, "2026-10-01T23:59:59.999Z"), call(2, "2026-10-02T09:00:00.000Z")]);
  const counted = () => {
    writeTransaction(warehouse, (tx) => countChangedDays(tx, FROM_MS, UNTIL_MS));
    return readWatchedDays(warehouse, "visits").flatMap(({ day, keys, cells }) =>
      Array.from({ length: cells.length / 2 }, (_, at) => {
        const cell = cells[2 * at] ?? 0;
        const [, source] = JSON.parse(keys[Math.floor(cell / 24)] ?? "");
        const date = new Date(day * 86_400_000).toISOString().slice(8, 10);
        return `${date} ${cell % 24}h ${source} ${cells[2 * at + 1]}`;
      }),
    );
  };
  expect(counted()).toEqual(["01 23h google 1", "02 9h google 1"]);
  storeCalls(warehouse, [call(3, "2026-10-02T09:30:00.000Z"), call(4, "2026-10-03T00:00:00.000Z")]);
  expect(counted()).toEqual(["01 23h google 1", "02 9h google 2", "03 0h google 1"]);
  storeCalls(warehouse, [call(3, "2026-10-03T00:00:00.000Z", "bing")]);
  expect(counted()).toEqual(["01 23h google 1", "02 9h google 1", "03 0h bing 1", "03 0h google 1"]);
  markGone(warehouse, [4]);
  expect(counted()).toEqual(["01 23h google 1", "02 9h google 1", "03 0h bing 1"]);
  setRules(warehouse, { ...DEFAULT_RULES, aliases: { google: "adwords" } });
  expect(counted()).toEqual(["01 23h adwords 1", "02 9h adwords 1", "03 0h bing 1"]);
  deleteCalls(warehouse);
  expect(counted()).toEqual([]);
});
