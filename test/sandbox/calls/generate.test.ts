import { describe, expect, test } from "vitest";
import { CallGenerator } from "../../../src/sandbox/calls/generate.ts";

const COUNT = 20_000;
const END_MS = Date.parse("2026-11-20T15:00:00.000Z");

const generator = new CallGenerator(3, COUNT, END_MS);
const calls = Array.from({ length: COUNT }, (_, index) => generator.callAt(index));

const shareOf = (matches: (call: (typeof calls)[number]) => boolean) => calls.filter(matches).length / COUNT;

describe("CallGenerator", () => {
  test("gives ids that rise with gaps", () => {
    const steps = calls.slice(1).map((call, at) => call.call_id - (calls[at]?.call_id ?? 0));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(1);
    expect(new Set(steps).size).toBeGreaterThan(5);
    expect(calls.every((call, index) => generator.indexOf(call.call_id) === index)).toBe(true);
  });

  test("spreads the starts over 90 days, never falling, with a few ties, mostly in business hours", () => {
    const starts = calls.map((call) => call.call_started);
    const ties = starts.filter((start, at) => start === starts[at - 1]).length;

    expect(starts).toEqual(starts.toSorted());
    expect(starts[0]?.slice(0, 10)).toBe("2026-08-22");
    expect(Date.parse(starts.at(-1) ?? "")).toBe(END_MS);
    expect(ties / COUNT).toBeGreaterThan(0.005);
    expect(ties / COUNT).toBeLessThan(0.02);
    const isBusinessHour = (start: string) => Number(start.slice(11, 13)) >= 13;
    expect(starts.filter(isBusinessHour).length / COUNT).toBeGreaterThan(0.75);
    const isSunday = (start: string) => new Date(start).getUTCDay() === 0;
    expect(starts.filter(isSunday).length / COUNT).toBeLessThan(0.08);
  });

  test("answers seven calls in ten, and only those have a duration, a recording and a transcription", () => {
    const isAnswered = (disposition: string) => /^(answered|transferred)$/i.test(disposition);
    expect(shareOf((call) => isAnswered(call.disposition))).toBeCloseTo(0.7, 1);
    for (const call of calls) {
      const answered = isAnswered(call.disposition);
      expect(call.duration >= 5 && call.duration <= 1800).toBe(answered);
      expect(call.duration === 0).toBe(!answered);
      expect("recording_url" in call).toBe(answered);
      expect("transcription" in call).toBe(answered);
      expect(call.transcription_details?.map((line) => line.text).join(" ")).toBe(call.transcription);
    }
    expect(new Set(calls.map((call) => call.disposition))).toContain("no-answer");
    expect(shareOf((call) => Boolean(call.summary))).toBeCloseTo(0.7, 1);
  });

  test("makes DNI members null, empty or absent, and mixes in the habits of real accounts", () => {
    const sources = new Set(calls.map((call) => call.dni_data.utm_source));
    const wanted = ["google", "Google", "bing", "facebook", "fb", "newsletter", null, "", undefined];
    for (const source of wanted) expect(sources).toContain(source);

    const campaigns = Map.groupBy(calls, (call) => call.dni_data.campaign_name);
    const ids = campaigns.get("Emergency Plumbing")?.map((call) => call.dni_data.campaign_id);
    expect(new Set(ids).size).toBe(2);
    expect(new Set(calls.map((call) => call.dni_data.gclsrc))).toContain("aw.ds");
    expect(calls.some((call) => /^\d{9,10}\.\d{10}$/.test(call.dni_data.google_analytics_cid ?? ""))).toBe(
      true,
    );
  });

  test("generates texts that break programs only on request", () => {
    const odd = new CallGenerator(3, COUNT, END_MS, { oddTexts: true });
    const textsOf = (made: typeof calls) => new Set(made.flatMap(({ dni_data }) => Object.values(dni_data)));
    const texts = textsOf(calls.map((_, index) => odd.callAt(index)));
    const isOdd = (text: string | null) =>
      /^[\s=+@-]|[\s"<>]$|["\n\p{Extended_Pictographic}]/u.test(text ?? "");
    expect([...texts].filter(isOdd)).toEqual(
      expect.arrayContaining(["google ", " google", "cpc ", "@promo", expect.stringMatching(/^=HYPERLINK/)]),
    );
    expect([...texts].some((text) => /".*,.*\p{Emoji}.*\n/u.test(text ?? ""))).toBe(true);
    // A keyword of Google Ads may begin with a plus.
    expect([...textsOf(calls)].filter(isOdd)).toEqual(["+plumber +austin"]);
  });
});
