import { describe, expect, it } from "vitest";
import { TimeOrder } from "../../src/sync/time-order.ts";

const at = (day: number | null) => (day === null ? null : `2026-10-0${day}T00:00:00.000Z`);

describe("TimeOrder", () => {
  it.each([
    {
      title: "falling times",
      pages: [
        [5, 4, 3],
        [2, 1],
      ],
      order: "newest",
    },
    {
      title: "rising times",
      pages: [
        [1, 2],
        [3, 4, 5],
      ],
      order: "oldest",
    },
    {
      title: "equal times among falling ones",
      pages: [
        [5, 5, 4],
        [4, 4],
      ],
      order: "newest",
    },
    { title: "unknown times among rising ones", pages: [[1, null, 2, null]], order: "oldest" },
    {
      title: "pages that step back and overlap, as those of a walk do",
      pages: [
        [5, 4, 3],
        [4, 3, 2],
        [5, 4],
      ],
      order: "newest",
    },
    {
      title: "one pair out of order",
      pages: [
        [5, 4, 3],
        [2, 1],
        [1, 2],
      ],
      order: "unknown",
    },
    {
      title: "an unknown time between two out of order",
      pages: [
        [5, 4],
        [3, null, 4],
      ],
      order: "unknown",
    },
    { title: "equal times alone", pages: [[3, 3, 3]], order: "unknown" },
    { title: "one call a page", pages: [[5], [4], [3]], order: "unknown" },
    { title: "no known time", pages: [[null, null], []], order: "unknown" },
    { title: "nothing at all", pages: [], order: "unknown" },
  ])("learns $order from $title", ({ pages, order }) => {
    const learnt = new TimeOrder();
    for (const page of pages) learnt.observe(page.map(at));
    expect(learnt.order).toBe(order);
  });
});
