import { describe, expect, it } from "vitest";
import { IdSketch } from "../../../src/service/paging/id-sketch.ts";

describe("IdSketch", () => {
  it("contains every added id and few others", () => {
    const sketch = new IdSketch();
    const ids = Array.from({ length: 20_000 }, (_, index) => index * 3 + (index % 7) * 2 ** 40);
    expect(ids.filter((id) => sketch.has(id))).toEqual([]);
    for (const id of ids) sketch.add(id);
    expect(ids.filter((id) => !sketch.has(id))).toEqual([]);
    // 20,000 of 2^22 bits are set: some 95 of 20,000 other ids are expected to collide.
    const others = ids.map((id) => id + 1);
    expect(others.filter((id) => sketch.has(id)).length).toBeLessThan(200);
  });

  it("spreads ids that differ only in their upper half", () => {
    const sketch = new IdSketch();
    const ids = Array.from({ length: 2000 }, (_, index) => (index + 1) * 2 ** 32 + 5);
    let met = 0;
    for (const id of ids) {
      if (sketch.has(id)) met++;
      sketch.add(id);
    }
    expect(met).toBeLessThan(20);
    expect(ids.every((id) => sketch.has(id))).toBe(true);
  });

  it("confuses few of a million consecutive ids", () => {
    const sketch = new IdSketch();
    let met = 0;
    for (let id = 0; id < 1_000_000; id++) {
      if (sketch.has(id)) met++;
      sketch.add(id);
    }
    expect(met).toBeLessThan(200_000);
  });
});
