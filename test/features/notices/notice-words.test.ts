import { expect, it } from "vitest";
import { describeNotice } from "../../../src/features/notices/notice-words.ts";

it("describeNotice cuts names of 10,000 characters, and keeps them different", () => {
  const notice = {
    notice_id: 1,
    news: 1,
    run_id: 1,
    dimension: "campaign",
    key: {},
    kind: "silent",
    calls: 0,
    expected: 18.3,
    since: "2026-10-01T09:10:00.000Z",
    judged_until: "2026-10-02T05:00:00.000Z",
    noticed_at: "2026-10-02T07:00:00.000Z",
    ended_at: null,
    end_reason: null,
    end_noticed_at: null,
  } as const;
  const texts = [1, 2].map((end) =>
    describeNotice({ ...notice, key: { campaign: `campaign ${"x".repeat(10_000)} ${end}` } }, "UTC"),
  );
  for (const text of texts) expect(text).toMatch(/^campaign campaign x{10,99}… #[0-9a-f]{8}: no call since /);
  expect(new Set(texts).size).toBe(2);
});
