import { FEATURES } from "./list.ts";
import type { NoticeBook } from "./notice.ts";

/** Loads what reads the notices of all features. */
export async function loadNotices(): Promise<NoticeBook> {
  const books: NoticeBook[] = [];
  for (const feature of FEATURES) if (feature.loadNotices) books.push(await feature.loadNotices());
  return {
    dimensions: books.flatMap(({ dimensions }) => dimensions),
    read: (reader, endedAfter) => books.flatMap(({ read }) => read(reader, endedAfter)),
  };
}
