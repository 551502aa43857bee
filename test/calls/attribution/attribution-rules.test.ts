import { expect, test } from "vitest";
import {
  DEFAULT_RULES,
  findContradictions,
  toRulesJson,
} from "../../../src/calls/attribution/attribution-rules.ts";

test("DEFAULT_RULES have these values", () => {
  expect(DEFAULT_RULES).toEqual({
    answered: ["answered", "transferred"],
    missed: ["no answer", "busy", "failed", "voicemail", "abandoned"],
    qualified_seconds: 60,
    duration_unit: "seconds",
    aliases: {},
    topics: [],
    channels: [],
  });
});

test("findContradictions names what is in both lists, in the spelling of the second", () => {
  expect(findContradictions({ answered: ["No_Answer", "ok"], missed: ["busy", "no-answer", "OK"] })).toEqual([
    "no-answer",
    "OK",
  ]);
  expect(findContradictions(DEFAULT_RULES)).toEqual([]);
});

test("toRulesJson is equal for equivalent rules, and contains every rule", () => {
  const rules = {
    answered: ["Transferred", "answered", "ANSWERED"],
    missed: ["no-answer", "Busy"],
    qualified_seconds: 30,
    duration_unit: "milliseconds",
    aliases: { goog: "google", fb: "facebook", ig: "instagram" },
    aliases_of: { medium: { cpc: "paid", ad: "paid" } },
    topics: [{ topic: "Spam", phrase: "A  job", speaker: null, qualifies: false, value: null }],
    channels: [{ channel: "Partners", source: "partner-*", medium: "", campaign: "", referrer: "", line: 4 }],
    hours: { timezone: "America/Chicago", week: "Sat 09:00-12:00", closed: ["2026-12-26"] },
  } as const;
  const json = toRulesJson(rules);
  expect(json).toBe(
    '{"answered":["answered","transferred"],"missed":["busy","no answer"],"qualified_seconds":30,' +
      '"duration_unit":"milliseconds","aliases":[{"fb":"facebook","goog":"google","ig":"instagram"},{},{"ad":"paid","cpc":"paid"},{}],' +
      '"topics":[{"topic":"Spam","phrase":"A  job","speaker":null,"qualifies":false,"value":null}],' +
      '"channels":[{"channel":"Partners","source":"partner-*","medium":"","campaign":"","referrer":""}],' +
      '"hours":{"week":"Sat 09:00-12:00","closed":["2026-12-26"],"timezone":"America/Chicago"}}',
  );
  const { fb, goog, ig } = rules.aliases;
  expect(
    toRulesJson({
      ...rules,
      answered: ["answered", "transferred"],
      missed: ["BUSY", "no answer"],
      aliases: { ig, goog, fb },
      hours: { week: "Sat 09:00-12:00", closed: ["2026-12-26"], timezone: "America/Chicago" },
    }),
  ).toBe(json);
});
