import { describe, expect, it } from "vitest";
import { GRAINS } from "../../src/base/calendar/grain.ts";
import { namesOf } from "../../src/base/records.ts";
import { REQUEST_KEYS } from "../../src/config/request/export-request.ts";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { FIGURES } from "../../src/figures/metrics.ts";
import { readCsv } from "../support/page.ts";
import { ACCOUNTS, LATE, RANGE } from "../support/scene/accounts.ts";
import { alike, askScene, writeScene } from "../support/scene/ask.ts";
import { FILE_OPTIONS } from "../support/scene/file-options.ts";
import { type Asked, figuresOf } from "../support/scene/oracle.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const BOTH = { spend: true, outcomes: true } as const;

/** Requests in which one option changes something, in the figures of each account. */
const CASES: readonly (readonly [option: string, asked: Asked, without: Asked])[] = [
  ["by", { by: ["source", "medium"], range: RANGE }, { by: ["source"], range: RANGE }],
  ["range", { by: ["channel"], range: LATE }, { by: ["channel"] }],
  ["range", { by: ["channel"], range: { from: "2026-04-08", to: "2026-04-08" } }, { by: ["channel"] }],
  ...GRAINS.map((grain): [string, Asked, Asked] => [
    "grain",
    { by: ["channel"], range: LATE, grain },
    { by: ["channel"], range: LATE },
  ]),
  ["grain", { by: ["in_hours"], grain: "day", fill: true }, { by: ["in_hours"], grain: "day" }],
  [
    "compare",
    { by: ["source"], range: LATE, compare: "year", grain: "week" },
    { by: ["source"], range: LATE, compare: "previous", grain: "week" },
  ],
  ["compare", { by: ["source"], range: RANGE, compare: "year" }, { by: ["source"], range: RANGE }],
  [
    "fill",
    { by: ["channel"], range: LATE, grain: "day", fill: true },
    { by: ["channel"], range: LATE, grain: "day" },
  ],
  ["total", { by: ["topic"], range: RANGE, total: true }, { by: ["topic"], range: RANGE }],
  ["raw", { by: ["utm_source", "utm_term"], raw: true }, { by: ["utm_source", "utm_term"] }],
  ["top", { by: ["source"], range: RANGE, top: 3 }, { by: ["source"], range: RANGE }],
  [
    "top",
    { by: ["campaign"], range: RANGE, top: 2, compare: "previous" },
    { by: ["campaign"], range: RANGE },
  ],
  ...(["source", "medium", "campaign", "channel"] as const).map((dimension): [string, Asked, Asked] => [
    "spend",
    { by: [dimension], range: RANGE, spend: true, total: true, compare: "previous" },
    { by: [dimension], range: RANGE, total: true, compare: "previous" },
  ]),
  ...(
    [
      { source: ["google", "meta"] },
      { channel: ["Paid Social", "Social ads"] },
      { campaign: ["twin"] },
    ] as const
  ).map((filter): [string, Asked, Asked] => [
    "spend",
    { by: ["campaign"], range: RANGE, spend: true, total: true, filter },
    { by: ["campaign"], range: RANGE, spend: true, total: true },
  ]),
  [
    "spend",
    { by: ["source"], range: LATE, grain: "day", spend: true },
    { by: ["source"], range: LATE, grain: "day" },
  ],
  [
    "outcomes",
    { by: ["channel"], range: RANGE, outcomes: true, compare: "previous", total: true },
    { by: ["channel"], range: RANGE, compare: "previous", total: true },
  ],
  ["outcomes", { by: ["campaign"], range: RANGE, ...BOTH, total: true }, { by: ["campaign"], range: RANGE }],
  ...(["day", "week"] as const).map((grain): [string, Asked, Asked] => [
    "revenue_by",
    { by: ["channel"], range: RANGE, grain, ...BOTH, revenue_by: "job-date" },
    { by: ["channel"], range: RANGE, grain, ...BOTH },
  ]),
  ...(
    [
      { channel: ["Paid Search", "email"] },
      { source: ["google", "(direct)"] },
      { campaign: ["Twin", "701"] },
      { org_unit: ["North", "42"] },
      { disposition: ["answered", "busy", "no-answer", "rang_out"] },
      { topic: ["(not set)"] },
      { outcome: ["sold"] },
      { outcome: ["none", "lost"] },
      { min_duration_seconds: 61 },
      { first_time: true },
      { has_gclid: true },
      { tracking_number: ["+1 (808) 555-0999", "+61265550997"] },
      { exclude_callers: ["+18085550100", "+13125550126", "+61265550139", "+8185550113"] },
      { include_gone: true },
    ] as const
  ).map((filter): [string, Asked, Asked] => [
    `filter.${Object.keys(filter).join()}`,
    { by: ["channel"], range: RANGE, filter, compare: "previous", total: true },
    { by: ["channel"], range: RANGE, compare: "previous", total: true },
  ]),
];

describe("figures of the scene are those of the oracle", () => {
  it.each(ACCOUNTS)("by each dimension, $name", async (account) => {
    for (const dimension of DIMENSIONS) {
      const asked: Asked = { by: [dimension], range: RANGE, compare: "previous", total: true };
      const expected = figuresOf(account, asked);
      expect(new Set(expected.map((row) => row[dimension])).size, dimension).toBeGreaterThan(2);
      expect(alike((await askScene(account.name, asked)).rows, expected), dimension).toEqual(expected);
    }
  });

  it.each(CASES)("with %s, as in %j", async (_option, asked, without) => {
    let changed = 0;
    for (const account of ACCOUNTS) {
      const { rows } = await askScene(account.name, asked, { isEmptyAllowed: true });
      const expected = figuresOf(account, asked);
      expect(alike(rows, expected), account.name).toEqual(expected);
      if (JSON.stringify(expected) !== JSON.stringify(figuresOf(account, without))) changed++;
    }
    expect(changed).toBeGreaterThan(0);
  });

  it("with range.last, whose days end in each account's own zone", async () => {
    // It is Monday on Lord Howe, and still Sunday in the others.
    const nowMs = Date.parse("2026-04-05T15:00:00.000Z");
    const weeks = {
      oahu: { from: "2026-03-23", to: "2026-03-29" },
      chicago: { from: "2026-03-23", to: "2026-03-29" },
      howe: { from: "2026-03-30", to: "2026-04-05" },
    };
    for (const account of ACCOUNTS) {
      using folder = makeTempFolder();
      const read = await writeScene(
        account.name,
        { contents: ["source"], range: { last: "1w" } },
        { nowMs, folder: folder.path },
      );
      const expected = figuresOf(account, { by: ["source"], range: weeks[account.name] });
      expect(alike(readCsv(read("source.csv")), expected), account.name).toEqual(expected);
    }
  });

  it("with columns, and refuses a value that no call has unless it is allowed", async () => {
    for (const account of ACCOUNTS) {
      const asked = { by: ["channel"], range: RANGE };
      const columns = ["missed_calls", "calls"];
      const expected = figuresOf(account, asked).map(({ channel, missed_calls, calls }) => ({
        channel,
        missed_calls,
        calls,
      }));
      const { rows } = await askScene(account.name, asked, { request: { columns } });
      expect(rows.map((row) => Object.entries(row))).toEqual(expected.map((row) => Object.entries(row)));
      const none = { ...asked, filter: { source: ["nobody"] } };
      await expect(askScene(account.name, none)).rejects.toThrow("no call in the warehouse has this value");
      expect((await askScene(account.name, none, { isEmptyAllowed: true })).rows).toEqual([]);
    }
  });

  it("the scene has each option of a request, each filter and each figure, with a value that changes something", () => {
    const options = new Set(CASES.map(([option]) => option.split(".")[0]));
    expect([...options, ...namesOf(FILE_OPTIONS), "changed_since"].sort()).toEqual(
      namesOf(REQUEST_KEYS).sort(),
    );
    const filters = CASES.flatMap(([option]) => /^filter\.(.+)/.exec(option)?.[1] ?? []);
    expect([...new Set([...filters, "allow_empty"])].sort()).toEqual(
      namesOf(REQUEST_KEYS.filter.unwrap().shape).sort(),
    );
    const seen = new Map<string, Set<string>>();
    for (const account of ACCOUNTS) {
      const asked: Asked = { by: ["channel"], range: RANGE, ...BOTH, total: true };
      for (const row of figuresOf(account, asked)) {
        for (const figure of FIGURES) {
          const value = row[figure];
          if (value === null || value === undefined || value === 0) continue;
          seen.set(figure, (seen.get(figure) ?? new Set()).add(`${account.name} ${value}`));
        }
      }
    }
    expect(FIGURES.filter((figure) => (seen.get(figure)?.size ?? 0) < 5)).toEqual([]);
  });
});
