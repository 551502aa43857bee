import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { readChannelFigures } from "../../../src/operate/explain/channel-figures.ts";
import { markGone } from "../../support/warehouses/warehouse.ts";
import { LONG, openCalls, RULES, SHORT, times } from "./line-calls.ts";

const channelLine = (
  channel: string,
  cells: Partial<Record<"source" | "medium" | "campaign" | "referrer", string>>,
) => ({ channel, ...{ source: "", medium: "", campaign: "", referrer: "" }, ...cells });

const SHOP = { utm_source: "bing", utm_medium: "cpc", utm_campaign: "Shop" };
const CHANNEL_CALLS: Partial<Call>[] = [
  ...times(5, { ...SHOP, duration: SHORT }),
  ...times(2, { ...SHOP, duration: LONG }),
  ...times(3, { utm_source: "partner", utm_medium: "referral", utm_campaign: "Spring", duration: LONG }),
  { duration: SHORT },
];

describe("readChannelFigures", () => {
  it("counts the calls and the qualified calls of each channel, in force and by the lines to try", () => {
    using warehouse = openCalls(CHANNEL_CALLS);
    const tried = [
      channelLine("Shop", { campaign: "shop" }),
      channelLine("Partners", { source: "partner" }),
      channelLine("Nobody", { medium: "partner" }),
    ];
    expect(readChannelFigures(warehouse, { rules: RULES, tried })).toEqual({
      lines: [
        { ...tried[0], line: 2, calls: 7 },
        { ...tried[1], line: 3, calls: 3 },
        { ...tried[2], line: 4, calls: 0 },
      ],
      calls_moved: 10,
      channels: [
        { channel: "Paid Shopping", calls: 7, calls_then: 0, qualified_calls: 2, qualified_calls_then: 0 },
        { channel: "Referral", calls: 3, calls_then: 0, qualified_calls: 3, qualified_calls_then: 0 },
        { channel: "Direct", calls: 1, calls_then: 1, qualified_calls: 0, qualified_calls_then: 0 },
        { channel: "Shop", calls: 0, calls_then: 7, qualified_calls: 0, qualified_calls_then: 2 },
        { channel: "Partners", calls: 0, calls_then: 3, qualified_calls: 0, qualified_calls_then: 3 },
      ],
    });
    markGone(warehouse, [1, 8]);
    expect(readChannelFigures(warehouse, { rules: RULES, tried })).toMatchObject({
      lines: [{ calls: 6 }, { calls: 2 }, { calls: 0 }],
      calls_moved: 8,
    });
  });

  it("shows lines of the file where they stand today if they are in force, and otherwise those in force", () => {
    const channels = [channelLine("Shop", { campaign: "shop" })];
    const rules = { ...RULES, channels };
    using warehouse = openCalls(CHANNEL_CALLS, rules);
    const moved = { ...rules, channels: channels.map((line) => ({ ...line, line: 9 })) };
    expect(readChannelFigures(warehouse, { rules: moved })).toEqual({
      lines: [{ ...channels[0], line: 9, calls: 7 }],
    });
    const others = { ...rules, channels: [channelLine("Other", { source: "bing" })] };
    expect(readChannelFigures(warehouse, { rules: others })).toEqual({
      lines: [{ ...channels[0], line: 2, calls: 7 }],
    });
  });
});
