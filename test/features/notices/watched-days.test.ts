import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { countChangedDays, parseKeys, readWatchedDays } from "../../../src/features/notices/watched-days.ts";
import { updateRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import {
  deleteCalls,
  markGone,
  newWarehouse,
  setRules,
  storeCalls,
  storeRun,
} from "../../support/warehouses/warehouse.ts";

const FROM_MS = Date.parse("2026-10-01T00:00:00Z");
const UNTIL_MS = Date.parse("2026-10-03T12:00:00Z");
const call = (call_id: number, call_started: string, utm_source = "google") =>
  makeCall({ call_id, call_started, utm_source, tracking_number: "+15125551000" });

it("countChangedDays counts the calls of days by hour, and again after changes", () => {
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

it("listing delays are counted in quarters of an hour since the previous run, by the service's clock", () => {
  using warehouse = newWarehouse();
  const run = (startedAt: string, ...calls: Call[]) =>
    storeRun(warehouse, calls, { startedAt, finishedAt: startedAt });
  run("2026-10-02T09:00:00.000Z", call(1, "2026-10-02T08:00:00.000Z"));
  run("2026-10-02T09:30:00.000Z");
  run("2026-10-02T09:40:00.000Z");
  updateRun(warehouse, 2, { clock_ahead_ms: 30 * 60_000 });
  updateRun(warehouse, 3, { verdict: "unverified" });
  const starts = ["10:05:00", "10:00:00", "09:45:00", "09:44:59", "09:00:00"].map(
    (time) => `2026-10-02T${time}.000Z`,
  );
  const all = [...starts, "2026-10-01T10:00:00.000Z", "2026-10-01T10:15:00.000Z", "2026-10-01T00:00:00.000Z"];
  run("2026-10-02T11:00:00.000Z", ...all.map((start, index) => call(index + 2, start)));
  writeTransaction(warehouse, (tx) => countChangedDays(tx, FROM_MS, UNTIL_MS));
  const delays = readWatchedDays(warehouse, "numbers").map(({ delays }) =>
    Object.fromEntries(Object.entries(delays).filter(([, calls]) => calls > 0)),
  );
  expect(delays).toEqual([{ 95: 1, 96: 2 }, { 0: 2, 1: 1, 2: 1, 4: 1 }, {}]);
});

it("countChangedDays counts only changed days, or all if changes may have been missed", () => {
  const starts = ["2026-10-01T09:00:00.000Z", "2026-10-02T09:00:00.000Z"];
  using warehouse = newWarehouse(starts.map((start, index) => call(index + 1, start)));
  const { sqlite } = warehouse;
  const marked = () => {
    writeTransaction(warehouse, (tx) => countChangedDays(tx, FROM_MS, UNTIL_MS));
    return readWatchedDays(warehouse, "calls").map(({ delays }) => delays.length === 1);
  };
  marked();
  sqlite.exec("UPDATE watched_days SET delays = '[7]'");
  storeCalls(warehouse, [call(3, "2026-10-02T10:00:00.000Z")]);
  expect(marked()).toEqual([true, false, true]);
  sqlite.exec("DROP TRIGGER recount_new_call");
  expect(marked()).toEqual([false, false, false]);
});

it("countChangedDays counts by number, by visit and by both, and drops earlier days", () => {
  using warehouse = newWarehouse([call(1, "2026-10-01T09:00:00.000Z"), call(2, "2026-10-02T09:00:00.000Z")]);
  const counted = (fromMs: number) => {
    writeTransaction(warehouse, (tx) => countChangedDays(tx, fromMs, UNTIL_MS));
    return (["numbers", "visits", "calls"] as const).map((kind) =>
      readWatchedDays(warehouse, kind).map(({ keys }) => keys.map(parseKeys)),
    );
  };
  const none = { campaign: null, campaign_id: null };
  const [number, visit] = [
    { tracking_number: "+15125551000", source: null },
    { tracking_number: null, source: "google" },
  ];
  const keys = [number, visit, { ...number, source: "google" }].map((key) => [{ ...none, ...key }]);
  expect(counted(FROM_MS)).toEqual(keys.map((key) => [key, key, []]));
  expect(counted(FROM_MS + 86_400_000)).toEqual(keys.map((key) => [key, []]));
});
