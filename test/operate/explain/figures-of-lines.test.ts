import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { readCallsOfTopic, readTopicFigures } from "../../../src/features/topics/topic-figures.ts";
import { readChannelFigures } from "../../../src/operate/explain/channel-figures.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { markGone, newWarehouse, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

/** Three minutes are qualified, one is not. Each count below differs from the others. */
const [LONG, SHORT] = [180, 60];
const RULES = { ...DEFAULT_RULES, qualified_seconds: 120 };

function openCalls(calls: readonly Partial<Call>[], rules = RULES) {
  const warehouse = newWarehouse();
  setRules(warehouse, rules);
  const answered = { call_started: "2026-10-01T12:00:00.000Z", disposition: "ANSWERED" };
  storeCalls(
    warehouse,
    calls.map((members, index) => makeCall({ call_id: index + 1, ...answered, ...members })),
  );
  return warehouse;
}

const times = (count: number, call: Partial<Call>) => Array.from({ length: count }, () => call);

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

const topicLine = (topic: string, phrase: string, qualifies: boolean | null = null) => ({
  ...{ topic, phrase, speaker: null, qualifies, value: null },
});
const TOPICS = [topicLine("leak", "burst pipe"), topicLine("job", "apply", false)];
const TOPIC_CALLS: Partial<Call>[] = [
  ...times(4, { utm_source: "google", transcription: "A burst pipe.", duration: LONG }),
  ...times(2, { utm_source: "google", transcription: "I want to apply.", duration: LONG }),
  ...times(3, { utm_source: "bing", transcription: "A price, please.", duration: SHORT }),
  { utm_source: "bing", transcription: "A burst pipe.", duration: SHORT },
  { transcription: "Hello.", duration: LONG },
];

describe("readTopicFigures", () => {
  it("counts what each line to try decides, and what it changes by source", async () => {
    const rules = { ...RULES, topics: TOPICS };
    using warehouse = openCalls(TOPIC_CALLS, rules);
    const tried = [topicLine("leak", "burst pipe"), topicLine("quote", "price", true)];
    expect(await readTopicFigures(warehouse, { rules, tried })).toEqual({
      lines: [
        { line: 2, topic: "leak", phrase: "burst pipe", speaker: null, calls: 5 },
        { line: 3, topic: "quote", phrase: "price", speaker: null, calls: 3 },
      ],
      calls_kept: 0,
      sources: [
        { source: "google", calls: 6, other_topic: 2, qualified_calls: 4, qualified_calls_then: 6 },
        { source: "bing", calls: 4, other_topic: 3, qualified_calls: 0, qualified_calls_then: 3 },
        { source: "(direct)", calls: 1, other_topic: 0, qualified_calls: 1, qualified_calls_then: 1 },
      ],
    });
    // Two calls keep their topic without a transcript; one is gone.
    warehouse.sqlite.exec(`DELETE FROM transcripts WHERE call_id IN (1, 2);
      UPDATE calls SET withheld = 'transcripts' WHERE call_id IN (1, 2)`);
    markGone(warehouse, [7]);
    expect(await readTopicFigures(warehouse, { rules, tried })).toMatchObject({
      lines: [{ calls: 3 }, { calls: 2 }],
      calls_kept: 2,
      sources: [
        { source: "google", calls: 6, other_topic: 2, qualified_calls_then: 6 },
        { source: "bing", calls: 3, other_topic: 2, qualified_calls_then: 2 },
        { source: "(direct)", calls: 1 },
      ],
    });
  });

  it("shows lines of the file where they stand today if they are in force, and otherwise those in force", async () => {
    const rules = { ...RULES, topics: TOPICS };
    using warehouse = openCalls(TOPIC_CALLS, rules);
    const linesBy = async (wanted: typeof rules) =>
      (await readTopicFigures(warehouse, { rules: wanted })).lines.map(({ line, topic, calls }) => [
        line,
        topic,
        calls,
      ]);
    const moved = { ...rules, topics: TOPICS.map((each, index) => ({ ...each, line: 5 + index })) };
    expect(await linesBy(moved)).toEqual([
      [5, "leak", 5],
      [6, "job", 2],
    ]);
    expect(await linesBy({ ...rules, topics: [topicLine("quote", "price")] })).toEqual([
      [2, "leak", 5],
      [3, "job", 2],
    ]);
    expect(await readTopicFigures(warehouse, { rules })).not.toHaveProperty("sources");
  });
});

describe("readCallsOfTopic", () => {
  it("returns the calls of a topic in any case, and names like ones for another", () => {
    using warehouse = openCalls(TOPIC_CALLS, { ...RULES, topics: [...TOPICS, topicLine("quote", "offer")] });
    markGone(warehouse, [2]);
    expect(readCallsOfTopic(warehouse, "LEAK")).toEqual([1, 3, 4, 10]);
    expect(readCallsOfTopic(warehouse, "job")).toEqual([5, 6]);
    expect(readCallsOfTopic(warehouse, "Quote")).toEqual([]);
    expect(() => readCallsOfTopic(warehouse, "leek")).toThrow("There is no topic leek");
    expect(() => readCallsOfTopic(warehouse, "burst pipe")).toThrow("There is no topic burst pipe");
  });
});
