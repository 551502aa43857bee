import { describe, expect, it } from "vitest";
import {
  endNotice,
  insertNotice,
  type NoticeRow,
  readAllNotices,
  readLastNews,
  readNotices,
} from "../../../src/features/notices/notice-table.ts";
import { describeNotice } from "../../../src/features/notices/notice-words.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const SINCE = "2026-11-02T08:47:00.000Z";
const ENDED = "2026-11-03T10:05:00.000Z";
const GIVEN = {
  ...({ dimension: "tracking_number", kind: "silent", calls: 0, expected: 14.2, run_id: 7 } as const),
  judged_until: SINCE,
  noticed_at: SINCE,
};
const NOTICE: NoticeRow = {
  ...GIVEN,
  key: { tracking_number: "+15125550117" },
  since: SINCE,
  notice_id: 1,
  news: 1,
  ended_at: null,
  end_reason: null,
  end_noticed_at: null,
};

describe("notices", () => {
  it("reads open and ended notices latest first; their news are numbered", () => {
    using warehouse = newWarehouse();
    expect(readLastNews(warehouse)).toBe(0);
    const insert = (since: string, number: string) =>
      writeTransaction(warehouse, (tx) =>
        insertNotice(tx, { ...GIVEN, since, key: JSON.stringify({ tracking_number: number }) }),
      );
    insert(SINCE, "+15125550117");
    insert("2026-11-05T00:00:00.000Z", "+2");
    insert(SINCE, "+3");
    const end = {
      ended_at: ENDED,
      end_reason: "as before",
      end_noticed_at: "2026-11-03T11:00:00.000Z",
    } as const;
    writeTransaction(warehouse, (tx) => endNotice(tx, 3, end));
    const read = (notices: NoticeRow[]) => notices.map(({ notice_id, news }) => [notice_id, news]);
    expect(read(readNotices(warehouse))).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(read(readAllNotices(warehouse))).toEqual([
      [2, 2],
      [1, 1],
      [3, 4],
    ]);
    expect(read(readNotices(warehouse, "2026-11-03T10:04:59.999Z"))).toEqual([
      [2, 2],
      [1, 1],
      [3, 4],
    ]);
    expect(read(readNotices(warehouse, ENDED))).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(readNotices(warehouse)[1]).toEqual(NOTICE);
    expect(readAllNotices(warehouse)[2]).toEqual({
      ...NOTICE,
      ...end,
      notice_id: 3,
      news: 4,
      key: { tracking_number: "+3" },
    });
    expect(readLastNews(warehouse)).toBe(4);
  });
});

describe("describeNotice", () => {
  it.each<[change: Partial<NoticeRow>, says: string]>([
    [{}, "+15125550117: no call since 2 Nov 2026 09:47, 14.2 expected"],
    [{ kind: "few", calls: 1 }, "+15125550117: 1 call since 2 Nov 2026 09:47, 14.2 expected"],
    [{ kind: "many", calls: 30 }, "+15125550117: 30 calls since 2 Nov 2026 09:47, 14.2 expected"],
    [
      { ended_at: ENDED, end_reason: "calls again" },
      "+15125550117: calls again since 3 Nov 2026 11:05, after no call since 2 Nov 2026 09:47, 14.2 expected",
    ],
    [{ dimension: "all", key: {} }, "all calls: no call since 2 Nov 2026 09:47, 14.2 expected"],
    [
      { dimension: "source", key: { source: "bing\u0000" } },
      "source bing\\u0000: no call since 2 Nov 2026 09:47, 14.2 expected",
    ],
    [
      { dimension: "campaign", key: { campaign: null, campaign_id: "99" } },
      "campaign [99]: no call since 2 Nov 2026 09:47, 14.2 expected",
    ],
    [
      { dimension: "source", key: { source: "😀".repeat(60) } },
      `source ${"😀".repeat(60)}: no call since 2 Nov 2026 09:47, 14.2 expected`,
    ],
    [
      { dimension: "source", key: { source: "😀".repeat(61) } },
      `source ${"😀".repeat(49)}… #def338c0: no call since 2 Nov 2026 09:47, 14.2 expected`,
    ],
  ])("describes, in local time, %o", (change, says) => {
    expect(describeNotice({ ...NOTICE, ...change }, "Europe/Berlin")).toBe(says);
  });
});
