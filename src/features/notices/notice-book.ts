import type { Reader } from "../../warehouse/warehouse.ts";
import type { Findings } from "../feature.ts";
import type { Notice, NoticeBook } from "../notice.ts";
import { type NoticeRow, readAllNotices, readNotices, WATCHED } from "./notice-table.ts";
import { describeNotice } from "./notice-words.ts";

export const NOTICE_BOOK: NoticeBook = {
  dimensions: WATCHED,
  read: (reader, endedAfter) => readNotices(reader, endedAfter).map(toNotice),
};

export function toNotice(row: NoticeRow): Notice {
  const { notice_id, news, dimension, key, kind, since, ended_at, expected } = row;
  return {
    ...{ news, dimension, kind, since, ended_at, expected },
    name: key[dimension] ?? `[${key.campaign_id}]`,
    describe: (zone) => describeNotice(row, zone),
    data: row,
    shared: toShared(row),
    logged: { notice_id, dimension, kind, since, ended_at },
  };
}

function toShared({ notice_id: _, run_id: __, news: ___, ...row }: NoticeRow) {
  return row;
}

/** Finds notices that started or ended since a time. */
export function findNotices(reader: Reader, since = ""): Findings {
  const notices = readAllNotices(reader).filter(
    ({ noticed_at, end_noticed_at }) => (end_noticed_at ?? noticed_at) >= since,
  );
  return { rows: notices.map(toShared), ends: notices.map(({ judged_until }) => judged_until) };
}
