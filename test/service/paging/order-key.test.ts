import { describe, expect, it } from "vitest";
import {
  describeKeys,
  describeOrder,
  hasKey,
  keepsKey,
  nameKeys,
  ORDER_KEYS,
  readKeys,
} from "../../../src/service/paging/order-key.ts";
import type { Row } from "../../../src/service/paging/slice.ts";

const row = (id: number | null, second: number | null, name: string | null): Row => ({
  id,
  started: second === null ? null : new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  name,
});

const keyOf = (name: string) => {
  const [key] = readKeys(name);
  if (key === undefined) throw new Error(`There is no key ${name}`);
  return key;
};

describe("ORDER_KEYS", () => {
  it("orders by id, by start, by source and id, and by source and start, in both directions", () => {
    const lines = ORDER_KEYS.map(({ name, words, newestAt }) => `${name}: ${words} (${newestAt})`);
    expect(lines).toEqual([
      "call_id desc: highest id first (front)",
      "call_id asc: lowest id first (end)",
      "call_started desc: newest start first (front)",
      "call_started asc: oldest start first (end)",
      "insight_name desc then call_id desc: by source from Z to A, highest id first in each (undefined)",
      "insight_name desc then call_id asc: by source from Z to A, lowest id first in each (undefined)",
      "insight_name asc then call_id desc: by source from A to Z, highest id first in each (undefined)",
      "insight_name asc then call_id asc: by source from A to Z, lowest id first in each (undefined)",
      "insight_name desc then call_started desc: by source from Z to A, newest start first in each (undefined)",
      "insight_name desc then call_started asc: by source from Z to A, oldest start first in each (undefined)",
      "insight_name asc then call_started desc: by source from A to Z, newest start first in each (undefined)",
      "insight_name asc then call_started asc: by source from A to Z, oldest start first in each (undefined)",
    ]);
  });

  it.each([
    { key: "call_id desc", first: row(2, 1, "a"), next: row(1, 2, "b") },
    { key: "call_id asc", first: row(1, 2, "b"), next: row(2, 1, "a") },
    { key: "call_started desc", first: row(1, 2, "a"), next: row(2, 1, "a") },
    { key: "call_started asc", first: row(2, 1, "a"), next: row(1, 2, "a") },
    { key: "insight_name asc then call_id desc", first: row(1, 1, "a"), next: row(9, 9, "b") },
    { key: "insight_name asc then call_id desc", first: row(9, 1, "a"), next: row(1, 9, "a") },
    { key: "insight_name desc then call_started asc", first: row(1, 9, "b"), next: row(1, 1, "a") },
    { key: "insight_name desc then call_started asc", first: row(9, 1, "a"), next: row(1, 9, "a") },
  ])("compares rows by their members: $key", ({ key, first, next }) => {
    const { compare } = keyOf(key);
    expect(compare(first, next)).toBeLessThan(0);
    expect(compare(next, first)).toBeGreaterThan(0);
    expect(compare(first, first)).toBe(0);
  });

  it("sorts a missing text first, and a missing id as 0", () => {
    expect(keyOf("call_started asc").compare(row(1, null, null), row(2, 1, null))).toBeLessThan(0);
    expect(keyOf("call_started asc").compare(row(1, 1, null), row(2, null, null))).toBeGreaterThan(0);
    const bySource = keyOf("insight_name asc then call_started asc");
    expect(bySource.compare(row(1, 1, null), row(2, 1, ""))).toBe(0);
    expect(bySource.compare(row(1, 1, ""), row(2, 1, null))).toBe(0);
    expect(keyOf("call_id asc").compare(row(null, 1, null), row(1, 1, null))).toBeLessThan(0);
    expect(keyOf("call_id asc").compare(row(1, 1, null), row(null, 1, null))).toBeGreaterThan(0);
  });

  it("lists the members that each key compares", () => {
    expect(ORDER_KEYS.map(({ members }) => members.join())).toEqual([
      ...Array(2).fill("call_id"),
      ...Array(2).fill("call_started"),
      ...Array(4).fill("insight_name,call_id"),
      ...Array(4).fill("insight_name,call_started"),
    ]);
  });

  it("compares two calls with the same start as equal", () => {
    expect(keyOf("call_started desc").compare(row(1, 5, "a"), row(2, 5, "b"))).toBe(0);
  });
});

describe("hasKey and keepsKey", () => {
  it("require all members of the key and ignore the others", () => {
    const key = keyOf("insight_name asc then call_started asc");
    expect(hasKey(key, row(null, 1, "a"))).toBe(true);
    expect(hasKey(key, row(1, null, "a"))).toBe(false);
    expect(hasKey(key, row(1, 1, null))).toBe(false);
    expect(hasKey(keyOf("call_id asc"), row(1, null, null))).toBe(true);
    expect(hasKey(keyOf("call_id asc"), row(null, 1, "a"))).toBe(false);
    expect(hasKey(keyOf("call_started asc"), row(null, 1, null))).toBe(true);
    expect(hasKey(keyOf("call_started asc"), row(1, null, "a"))).toBe(false);
    expect(keepsKey(key, row(1, 1, "a"), row(1, 1, "a"))).toBe(true);
    expect(keepsKey(key, row(1, 1, "a"), row(1, 2, "a"))).toBe(false);
    expect(keepsKey(key, row(1, 1, "a"), row(1, 1, "b"))).toBe(false);
    expect(keepsKey(keyOf("call_id asc"), row(1, 1, "a"), row(1, 2, "b"))).toBe(true);
  });
});

describe("nameKeys and readKeys", () => {
  it("write keys for the ledger and skip unknown names when reading", () => {
    const keys = [keyOf("call_id desc"), keyOf("call_started desc")];
    expect(nameKeys(keys)).toBe("call_id desc, call_started desc");
    expect(readKeys("call_id desc, duration asc, call_started desc")).toEqual(keys);
    expect(nameKeys([])).toBeNull();
    expect([null, undefined, ""].flatMap(readKeys)).toEqual([]);
  });
});

describe("describeKeys", () => {
  it("describes the order by time if there is one", () => {
    expect(describeKeys(readKeys("call_id desc, call_started desc"))).toBe("newest start first");
    expect(describeKeys(readKeys("call_id asc"))).toBe("lowest id first");
    expect(describeKeys(readKeys("insight_name asc then call_started asc"))).toBe(
      "by source from A to Z, oldest start first in each",
    );
    expect(describeKeys([])).toBeUndefined();
  });
});

describe("describeOrder", () => {
  it("describes the order of a pass, and whether it was requested", () => {
    expect(
      (["own", null, "source_name asc"] as const).map((sort) =>
        describeOrder({ order_key: "insight_name asc then call_id asc", sort }),
      ),
    ).toEqual([
      "by source from A to Z, lowest id first in each",
      "by source from A to Z, lowest id first in each",
      "by source from A to Z, lowest id first in each, as requested: the service's own order has no key",
    ]);
    expect(describeOrder({ order_key: null, sort: null })).toBe("none by id, start or source");
  });
});
