import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keepingAll } from "../../../src/warehouse/calls/call-guard.ts";
import {
  countRejected,
  deleteRejected,
  readRejected,
  recordRejected,
} from "../../../src/warehouse/calls/rejected.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const withId = { call_id: 5, json: '{"call_id":5,"duration":"x"}', path: "duration", reason: "no integer" };
const withoutId = { call_id: null, json: '{"call_id":"five"}', path: "call_id", reason: "no integer" };
const keyOf = (json: string) => `sha256:${hash("sha256", json)}`;

describe("recordRejected", () => {
  it("keeps each row once, with its latest error", () => {
    using warehouse = newWarehouse();
    recordRejected(warehouse, [withId, withoutId, withId], 1, keepingAll(warehouse));
    const later = {
      ...withId,
      json: '{"call_id":5,"call_started":"x"}',
      path: "call_started",
      reason: "no time",
    };
    recordRejected(warehouse, [later], 2, keepingAll(warehouse));
    recordRejected(warehouse, [withoutId], 3, keepingAll(warehouse));
    expect(readRejected(warehouse)).toEqual([
      { row_key: "id:5", ...later, first_run_id: 1, last_run_id: 2 },
      { row_key: keyOf(withoutId.json), ...withoutId, first_run_id: 1, last_run_id: 3 },
    ]);
  });

  it("distinguishes rows without an id by their content", () => {
    using warehouse = newWarehouse();
    const other = { ...withoutId, json: "null" };
    recordRejected(warehouse, [withoutId, other, withoutId], 1, keepingAll(warehouse));
    expect(
      readRejected(warehouse)
        .map(({ row_key }) => row_key)
        .sort(),
    ).toEqual([keyOf(withoutId.json), keyOf(other.json)].sort());
  });
});

describe("deleteRejected", () => {
  it("deletes the rows of calls that could be parsed, and no others", () => {
    using warehouse = newWarehouse();
    const ids = [5, 50, -5, Number.MAX_SAFE_INTEGER];
    recordRejected(
      warehouse,
      [...ids.map((call_id) => ({ ...withId, call_id })), withoutId],
      1,
      keepingAll(warehouse),
    );
    const readIds = () => readRejected(warehouse).map(({ call_id }) => call_id);
    deleteRejected(warehouse, []);
    expect(readIds()).toHaveLength(5);
    deleteRejected(warehouse, [5, 6, Number.MAX_SAFE_INTEGER]);
    expect(readIds().sort()).toEqual([-5, 50, null]);
    deleteRejected(warehouse, [5]);
    expect(readIds()).toHaveLength(3);
  });

  it("accepts as many ids as a page may have", () => {
    using warehouse = newWarehouse();
    recordRejected(warehouse, [{ ...withId, call_id: 999 }], 1, keepingAll(warehouse));
    deleteRejected(warehouse, [...Array(1000).keys()]);
    expect(readRejected(warehouse)).toEqual([]);
  });
});

describe("countRejected", () => {
  it("counts the rows of one run", () => {
    using warehouse = newWarehouse();
    recordRejected(warehouse, [withId, { ...withId, call_id: 6 }, withoutId], 1, keepingAll(warehouse));
    expect(countRejected(warehouse, 1)).toBe(3);
    recordRejected(warehouse, [withId], 2, keepingAll(warehouse));
    expect(countRejected(warehouse, 1)).toBe(2);
    expect(countRejected(warehouse, 2)).toBe(1);
    expect(countRejected(warehouse, 3)).toBe(0);
  });
});
