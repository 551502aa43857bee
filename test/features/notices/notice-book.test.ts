import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { loadNotices } from "../../../src/features/load-notices.ts";
import { findNotices, toNotice } from "../../../src/features/notices/notice-book.ts";
import { endNotice, insertNotice, readAllNotices } from "../../../src/features/notices/notice-table.ts";
import { readSnapshot } from "../../../src/schedule/warehouse-snapshot.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const SINCE = "2026-11-02T08:00:00.000Z";
const JUDGED = "2026-11-02T18:00:00.000Z";
const NOTICED = "2026-11-02T19:00:00.000Z";
const END = { ended_at: "2026-11-03T10:00:00.000Z", end_reason: "as before" } as const;
const END_NOTICED = "2026-11-03T11:00:00.000Z";

/** Makes a warehouse with open notices of two sources and all calls, and one of a number that is over. */
function makeWarehouse() {
  const warehouse = newWarehouse();
  const times = { since: SINCE, judged_until: JUDGED, noticed_at: NOTICED };
  const given = { ...times, kind: "few", calls: 2, expected: 14.2, run_id: 7 } as const;
  writeTransaction(warehouse, (tx) => {
    insertNotice(tx, { ...given, dimension: "source", key: '{"source":"bing"}' });
    insertNotice(tx, { ...given, dimension: "all", key: "{}" });
    insertNotice(tx, { ...given, dimension: "source", key: '{"source":"google"}' });
    insertNotice(tx, { ...given, dimension: "tracking_number", key: '{"tracking_number":"+1"}' });
    endNotice(tx, 4, { ...END, end_noticed_at: END_NOTICED });
  });
  return warehouse;
}

describe("notices", () => {
  it("the schedule counts open notices by dimension", async () => {
    using warehouse = makeWarehouse();
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    expect(readSnapshot([], settings, await loadNotices())?.notices).toEqual([
      { dimension: "tracking_number", open: 0 },
      { dimension: "source", open: 2 },
      { dimension: "campaign", open: 0 },
      { dimension: "all", open: 1 },
    ]);
  });

  it("a reader gets open notices, and those that ended after a time, or all", async () => {
    using warehouse = makeWarehouse();
    const { read } = await loadNotices();
    const newsOf = (endedAfter?: string) => read(warehouse, endedAfter).map(({ news }) => news);
    expect(newsOf()).toEqual([1, 2, 3]);
    expect(newsOf(END.ended_at)).toEqual([1, 2, 3]);
    expect(newsOf("2026-11-03T09:59:59.999Z")).toEqual([1, 2, 3, 5]);
    expect(newsOf("")).toEqual([1, 2, 3, 5]);
  });

  it("a notice shows logs no names, and assistants no numbers of the warehouse", () => {
    using warehouse = makeWarehouse();
    const [row] = readAllNotices(warehouse);
    if (row === undefined) throw new Error("There is no notice");
    const { notice_id, run_id, news, ...shared } = row;
    expect([notice_id, run_id, news]).toEqual([1, 7, 1]);
    expect(toNotice(row)).toMatchObject({ name: "bing", data: row, shared });
    expect(toNotice(row).shared).toEqual(shared);
    const logged = { notice_id: 1, dimension: "source", kind: "few", since: SINCE, ended_at: null };
    expect(toNotice(row).logged).toEqual(logged);
  });

  it("findNotices finds notices by when their start or end was noticed", () => {
    using warehouse = makeWarehouse();
    const keysOf = (since?: string) => findNotices(warehouse, since).rows.map((row) => Object(row).key);
    const [bing, google, number] = [{ source: "bing" }, { source: "google" }, { tracking_number: "+1" }];
    expect(keysOf()).toEqual([bing, {}, google, number]);
    expect(keysOf(NOTICED)).toEqual([bing, {}, google, number]);
    expect(keysOf("2026-11-02T19:00:00.001Z")).toEqual([number]);
    expect(keysOf(END_NOTICED)).toEqual([number]);
    expect(keysOf("2026-11-03T11:00:00.001Z")).toEqual([]);
    expect(findNotices(warehouse, END_NOTICED).ends).toEqual([JUDGED]);
  });
});
