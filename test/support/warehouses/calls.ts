import fc from "fast-check";
import type { AttributionRules } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";

const BARE: Call = {
  call_id: 1,
  insight_name: null,
  caller_id: null,
  tracking_number: null,
  call_started: null,
  duration: null,
  disposition: null,
  org_unit_id: null,
  org_unit_name: null,
  recording_url: null,
  utm_source: null,
  utm_medium: null,
  utm_campaign: null,
  utm_content: null,
  utm_term: null,
  gclid: null,
  gclsrc: null,
  google_analytics_cid: null,
  referring_url: null,
  campaign_name: null,
  campaign_id: null,
  summary: null,
  transcription: null,
  transcription_details: null,
  extra: null,
};

/** A call in which every member has a value. */
export const FULL_CALL: Call = {
  call_id: 731_000_005,
  insight_name: "Google Ads",
  caller_id: "+4930123456",
  tracking_number: "+4989654321",
  call_started: "2026-09-15T14:30:00.125Z",
  duration: 61,
  disposition: "ANSWERED",
  org_unit_id: 7,
  org_unit_name: "Munich",
  recording_url: "https://recordings.example.com/5.mp3?Expires=1&Signature=one",
  utm_source: "Google",
  utm_medium: "cpc",
  utm_campaign: "Autumn",
  utm_content: "headline",
  utm_term: "plumber",
  gclid: "CjABC_def-1",
  gclsrc: "aw.ds",
  google_analytics_cid: "123.456",
  referring_url: "https://www.google.com/",
  campaign_name: "Autumn sale",
  campaign_id: "99",
  summary: "A leaking tap.",
  transcription: "Hello. My tap leaks.",
  transcription_details: '[{"channel":"caller","time":"00:01","text":"Hello."}]',
  extra: '{"score":3}',
};

/** Returns a call with these members; the others are null, and its id is 1. */
export function makeCall(members: Partial<Call> = {}): Call {
  return { ...BARE, ...members };
}

/** Values of one utm member in one account: the same source in many spellings, and traps. */
const utmValue = fc.option(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom("google", "Google", "GOOGLE", " google ", "\u00a0google", "google\t"),
    },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        "face book",
        "Face  Book",
        "face\u2003book\n",
        "\ufefffacebook",
        "İstanbul",
        "i\u0307stanbul",
        "istanbul",
        "STRASSE",
        "Straße",
        "STRAẞE",
        "É",
        "é",
        "e\u0301",
        "ΌΔΟΣ",
        "",
        "   ",
        "\u00a0\t",
        "(not set)",
        "undefined",
        "(direct)",
        "{keyword}",
        "fb_%7B%7Bcampaign.name%7D%7D",
        "__CAMPAIGN_NAME__",
        "chatgpt.com",
        "=1+1",
        "it's; DROP TABLE calls",
        'a,"b"',
        "nul\0l",
        // UTF-8 puts the emoji after the private-use character, UTF-16 before it.
        "😀",
        "\uf8ff",
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
  ),
  { freq: 8 },
);

/** Values of a member that differ by case and inner blanks, but not by surrounding ones. */
function textValue(...values: string[]) {
  const around = fc.constantFrom("", "", "", " ", "\t", "\u00a0", "\u3000");
  const padded = fc.tuple(around, fc.constantFrom(...values, ""), around).map((parts) => parts.join(""));
  return fc.option(padded, { freq: 8 });
}

const disposition = fc.option(
  fc.constantFrom(
    "ANSWERED",
    "answered",
    " Answered ",
    "TRANSFERRED",
    "NO ANSWER",
    "no-answer",
    "No_Answer",
    "no  answer",
    "noanswer",
    "BUSY",
    "Failed",
    "VOICEMAIL",
    "voice-mail",
    "abandoned",
    "ÜBERGEBEN",
    "Übergeben",
    "it's ok",
    "-answered_",
    "",
  ),
  { freq: 12 },
);

const call: fc.Arbitrary<Call> = fc.record({
  call_id: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -20, max: 200 }) },
    { weight: 1, arbitrary: fc.maxSafeInteger() },
  ),
  insight_name: textValue("Google Ads", "google ads", "Bing"),
  // Few callers, so that they call again.
  caller_id: fc.option(fc.constantFrom("+491", "+492", "+493", "+494", "anonymous", "+266696687", ""), {
    freq: 8,
  }),
  tracking_number: textValue("+4930", "+4989"),
  // Few moments, so that calls share them.
  call_started: fc.option(
    fc.constantFrom(
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.001Z",
      "2026-03-29T01:30:00.000Z",
      "2026-12-31T23:59:59.999Z",
    ),
    { freq: 8 },
  ),
  duration: fc.option(
    fc.oneof(
      fc.constantFrom(0, 1, 59, 60, 61, 59_999, 60_000),
      fc.nat({ max: 3600 }),
      fc.nat({ max: 3_600_000 }),
    ),
    { freq: 8 },
  ),
  disposition,
  org_unit_id: fc.option(fc.constantFrom(9, 10, -1), { freq: 5 }),
  org_unit_name: textValue("Munich", "Berlin"),
  recording_url: fc.option(fc.webUrl({ withQueryParameters: true })),
  utm_source: utmValue,
  utm_medium: utmValue,
  utm_campaign: utmValue,
  utm_content: utmValue,
  utm_term: utmValue,
  gclid: textValue("CjABC", "cjabc", "Cj ABC", "=CjABC"),
  gclsrc: fc.option(fc.constantFrom("", "aw.ds", "3p.ds")),
  google_analytics_cid: fc.option(fc.constantFrom("", "123.456")),
  referring_url: fc.option(
    fc.oneof(
      fc.webUrl(),
      fc.constantFrom(
        "/landing/page",
        "//cdn.example.com/a",
        " https://WWW.Google.com:443/search?q=a#b",
        "google.com/?u=http://x.example",
        "android-app://com.google.android.gm/",
        "https://user:word@l.facebook.com/",
        "https://user:p@ss@WWW.example.com.:8443/?a@b",
        "http://www./",
        "direct",
        "https://www.google.co.uk/",
        "https://search.yahoo.com/search?p=a",
        "https://duckduckgo.com/",
        "https://www.ecosia.org/",
        "https://m.facebook.com/",
        "https://bing.com/?a&MSCLKID=1#b",
        "https://www.plumber.example/?gad_source=1&gclid=CjABC",
        "https://chatgpt.com/",
        "https://gemini.google.com/app?q={x}",
        "null",
        "?a=b",
        "",
      ),
    ),
  ),
  campaign_name: textValue("Autumn", "autumn", "Herbst  Aktion", "*|CAMPAIGN_UID|*"),
  campaign_id: textValue("1", "2", "10"),
  summary: fc.option(fc.constantFrom("", "A tap.", "nul\0l 😀")),
  transcription: fc.option(fc.constantFrom("", "Hello.")),
  transcription_details: fc.option(fc.constantFrom("[]", '[{"text":"Hello."}]')),
  extra: fc.option(
    fc.constantFrom('{"__proto__":1}', '{"dni_data":{"msclkid":"x"}}', '{"dni_data":{"wbraid":"y"}}'),
  ),
});

/** Rules about names that such calls have. */
export const arbitraryNameRules = {
  aliases_of: fc.constantFrom<AttributionRules["aliases_of"]>(
    undefined,
    { medium: { cpc: "paid" }, campaign: { autumn: "Fall" } },
    { source: { google: "goog" }, campaign: { autumn: "" } },
  ),
  channels: fc.constantFrom<AttributionRules["channels"]>(
    [],
    [{ channel: "Search", source: "g*", medium: "", campaign: "", referrer: "" }],
    [
      { channel: "Sites", source: "", medium: "", campaign: "", referrer: "*.com" },
      { channel: "Autumn", source: "", medium: "", campaign: "autumn*", referrer: "" },
    ],
  ),
};

/** Up to `maxLength` different calls of one account, full of cases that break tallies. */
export function arbitraryCalls(maxLength: number): fc.Arbitrary<Call[]> {
  return fc.uniqueArray(call, { maxLength, selector: ({ call_id }) => call_id, size: "max" });
}
