import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Row } from "../../src/service/paging/slice.ts";
import { readRows, toMembers } from "../../src/sync/order-members.ts";
import { draws, least } from "../support/draws.ts";

const text = fc.option(fc.constantFrom("", "Bing", "2026-11-20T00:00:00.000Z"));
const row: fc.Arbitrary<Row> = fc
  .record({
    id: fc.option(fc.maxSafeInteger()),
    started: text,
    name: text,
    isRejected: fc.boolean(),
  })
  .map(({ isRejected, ...rest }) => ({ ...rest, ...(isRejected && { isRejected }) }));

const keep = (rows: readonly Row[]) =>
  [JSON.stringify(rows.map(({ id }) => id)), JSON.stringify(toMembers(rows))] as const;

describe("readRows", () => {
  it("returns the rows that the ledger received", () => {
    let rejected = 0;
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
        rejected += rows.filter(({ isRejected }) => isRejected).length;
        const read = readRows(...keep(rows));
        expect(read).toEqual(rows);
        expect(read?.map((each) => Object.keys(each))).toEqual(rows.map((each) => Object.keys(each)));
      }),
      { numRuns: draws(200) },
    );
    expect(rejected).toBeGreaterThanOrEqual(least(100));
  });

  const two: Row[] = [
    { id: 1, started: null, name: null },
    { id: null, started: null, name: null, isRejected: true },
  ];
  const [ids, members] = keep(two);
  const without = (name: string, value: unknown) => JSON.stringify({ ...JSON.parse(members), [name]: value });
  it.each([
    { title: "the ids were dropped", kept: [null, members] },
    { title: "the members were dropped", kept: [ids, null] },
    { title: "there are more ids", kept: ["[1,null,3]", members] },
    { title: "there are fewer ids", kept: ["[1]", members] },
    { title: "an id is text", kept: ['[1,"2"]', members] },
    { title: "there are fewer starts", kept: [ids, without("started", [null])] },
    { title: "there are more names", kept: [ids, without("name", [null, null, null])] },
    { title: "a start is a number", kept: [ids, without("started", [1, null])] },
    { title: "the rejected rows are not listed", kept: [ids, without("rejected", undefined)] },
  ] as const)("returns nothing when $title", ({ kept: [keptIds, keptMembers] }) => {
    expect(readRows(ids, members)).toEqual(two);
    expect(readRows(keptIds, keptMembers)).toBeUndefined();
  });
});
