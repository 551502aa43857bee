import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { readCallsOfTopic, readTopicFigures } from "../../../src/features/topics/topic-figures.ts";
import { LONG, openCalls, RULES, SHORT, times } from "../../operate/explain/line-calls.ts";
import { markGone } from "../../support/warehouses/warehouse.ts";

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
    const linesBy = async (current: typeof rules) =>
      (await readTopicFigures(warehouse, { rules: current })).lines.map(({ line, topic, calls }) => [
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
    expect(await readTopicFigures(warehouse, { rules: rules })).not.toHaveProperty("sources");
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
