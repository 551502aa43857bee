/** A call as the service serves it. */
export interface ServedCall {
  call_id: number;
  call_started: string;
  [member: string]: unknown;
}

/** When the fixtures sync: the service lists different calls each time. */
export const STAGES = [
  "2026-10-05T01:00:00.000Z",
  "2026-11-02T06:00:00.000Z",
  "2026-11-18T08:00:00.000Z",
] as const;
export type Stage = 0 | 1 | 2;

const DAY_MS = 86_400_000;

/** Draws the same values each time. */
function makeDraw(seed: number) {
  let state = BigInt(seed);
  return (below: number): number => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

/** Texts that formats, spreadsheets and pages may write wrongly. */
const ODD = [
  "=1+1",
  "+cmd|' /C calc'!A0",
  "@SUM(A1:A9)",
  "-2+3",
  'a "quoted", text',
  "two\nlines",
  "tab\there",
  "semi;colon|pipe",
  "(total)",
  "(other)",
  "(not set)",
  "😀 Ünïcödé ΌΔΟΣ",
  "<b>bold</b> & 'apostrophe'",
  "0012345",
  "1E5",
  "2026-10-01",
  "  blanks  around  ",
  "\\N",
  "x".repeat(300),
];

/** Texts that a share-safe file must not contain. */
const PERSONAL = ["call +49 30 1234567 now", "someone@example.com"];

const SOURCES = [
  { utm_source: "google", utm_medium: "cpc", insight_name: "Google Ads" },
  { utm_source: "google", utm_medium: "cpc", insight_name: "Google Ads" },
  { utm_source: "google", utm_medium: "cpc" },
  { utm_source: "Google", utm_medium: "CPC", insight_name: "google ads" },
  { utm_source: "fb", utm_medium: "paid_social", insight_name: "Meta" },
  { utm_source: "facebook", utm_medium: "paid_social", insight_name: "Meta" },
  { utm_source: "bing", utm_medium: "cpc", insight_name: "Bing" },
  { utm_source: "newsletter", utm_medium: "email", insight_name: "Mail" },
  { utm_source: "yelp", utm_medium: "referral" },
  { referring_url: "https://www.google.com/search?q=plumber" },
  { referring_url: "https://blog.example.org/a?b=c#d" },
  { referring_url: "android-app://com.google.android.gm/" },
  {},
];

const CAMPAIGNS = [
  { campaign_name: "Brand", campaign_id: "111", utm_campaign: "brand" },
  { campaign_name: "Brand (old name)", campaign_id: "111", utm_campaign: "brand" },
  { campaign_name: "Generic", campaign_id: "222", utm_campaign: "Generic" },
  { campaign_name: "Spring  Tune-Up", campaign_id: "999", utm_campaign: "spring tune-up" },
  { campaign_name: "Generic", campaign_id: "223" },
  { utm_campaign: "win-back" },
  {},
];

const DISPOSITIONS = [
  "ANSWERED",
  "answered",
  "TRANSFERRED",
  "NO ANSWER",
  "no-answer",
  "BUSY",
  "VOICEMAIL",
  "ABANDONED",
  "Handed over",
  undefined,
];

const UNITS = [
  { org_unit_id: 7, org_unit_name: "Munich" },
  { org_unit_id: 8, org_unit_name: "Berlin" },
  { org_unit_id: 9, org_unit_name: "Berlin" },
  { org_unit_id: 10 },
];

/** Times when a day, a week or the clock changes in some zone. */
const EDGES = [
  "2025-10-26T00:30:00.000Z",
  "2025-10-26T01:30:00.000Z",
  "2025-12-31T23:59:59.999Z",
  "2026-01-01T00:00:00.000Z",
  "2026-03-08T07:00:00.000Z",
  "2026-03-29T00:59:59.999Z",
  "2026-03-29T01:00:00.000Z",
  "2026-08-31T22:00:00.000Z",
  "2026-09-30T21:59:59.999Z",
  "2026-09-30T22:00:00.000Z",
  "2026-10-25T00:30:00.000Z",
  "2026-10-25T01:30:00.000Z",
  "2026-10-31T23:00:00.000Z",
  "2026-11-01T05:30:00.000Z",
  "2026-11-01T06:30:00.000Z",
  "2026-11-16T00:00:00.000Z",
];

/** Returns the calls that the service lists at a stage, the newest first: some come late, some change, some go. */
export function listCalls(count: number, seed: number, stage: Stage): ServedCall[] {
  const draw = makeDraw(seed);
  const until = Date.parse(STAGES[stage]);
  return Array.from({ length: count }, (_, index) => ({ index, call: makeCall(index, count, draw) }))
    .filter(({ index, call }) => {
      const isLate =
        index % 37 === 5 &&
        Date.parse(call.call_started) > Date.parse(STAGES[Math.max(0, stage - 1)] ?? "") - 20 * DAY_MS;
      const isRemoved = stage > 0 && index % 101 === 3;
      return Date.parse(call.call_started) < until && !isLate && !isRemoved;
    })
    .map(({ index, call }) => (stage > 0 && index % 43 === 7 ? correct(call, stage) : call))
    .sort((a, b) =>
      a.call_started === b.call_started ? b.call_id - a.call_id : a.call_started < b.call_started ? 1 : -1,
    );
}

/** Returns a call as the service corrects it later. */
function correct(call: ServedCall, stage: Stage): ServedCall {
  return {
    ...call,
    disposition: stage === 1 ? "ANSWERED" : "BUSY",
    duration: 61 + stage * 30,
    dni_data: { ...(call.dni_data as object), campaign_name: "Generic", campaign_id: "222" },
  };
}

function makeCall(index: number, count: number, draw: (below: number) => number): ServedCall {
  const pick = <T>(values: readonly T[]): T => values[draw(values.length)] as T;
  const odd = () => (draw(9) === 0 ? pick(ODD) : undefined);
  // More calls later.
  const backMs = Math.floor((1 - Math.sqrt((index + 0.5) / count)) * 440 * DAY_MS) + draw(DAY_MS);
  const edge = index % 29 === 0 ? EDGES[(index / 29) % EDGES.length] : undefined;
  const call_started = edge ?? new Date(Date.parse(STAGES[2]) - backMs).toISOString();
  const source = pick(SOURCES);
  const campaign = pick(CAMPAIGNS);
  const isGoogle = /google/i.test(source.utm_source ?? "");
  const callers = Math.ceil(count / 2.2);
  const strange = odd();
  const dni_data = {
    ...source,
    ...campaign,
    insight_name: undefined,
    ...(strange !== undefined && { utm_campaign: strange, campaign_name: odd() ?? strange }),
    utm_content: draw(3) === 0 ? (odd() ?? (draw(9) === 0 ? pick(PERSONAL) : "headline")) : undefined,
    utm_term: draw(3) === 0 ? (odd() ?? "plumber near me") : undefined,
    ...(isGoogle &&
      draw(3) > 0 && {
        gclid: `Cj0KCQjw_Zy-BhCLARIsAA${index % 400}${"EaIQobChMI".repeat(3)}_wcB`,
        gclsrc: "aw.ds",
      }),
    ...(index % 97 === 0 && { gclid: "=Cj1+1" }),
    ...(source.utm_source === "bing" && { msclkid: draw(1e9).toString(16).padStart(32, "0a1b2c3d4e5f") }),
    ...(draw(4) > 0 && { google_analytics_cid: `${draw(1e9)}.${draw(1e9)}` }),
  };
  return {
    call_id: index === 17 ? Number.MAX_SAFE_INTEGER : 731_000_000 + index,
    insight_name: source.insight_name,
    caller_id: draw(15) === 0 ? pick(["anonymous", undefined]) : `+4930${1_000_000 + draw(callers)}`,
    tracking_number: pick(["+49896543210", "+49896543211", "+12025550143", undefined]),
    call_started,
    duration: draw(14) === 0 ? pick([0, 59, 60, 61, undefined]) : draw(600),
    disposition: pick(DISPOSITIONS),
    ...pick(UNITS),
    ...(draw(3) === 0 && {
      recording_url: `https://recordings.example.com/${index}.mp3?Expires=1&Signature=s${index}`,
    }),
    dni_data,
    ...(draw(3) === 0 && { summary: odd() ?? `A leaking tap in room ${draw(50)}.` }),
    ...(index === 900 && { summary: "long ".repeat(8_000) }),
    ...(draw(4) === 0 && {
      transcription: odd() ?? "Hello. My tap leaks.",
      transcription_details: [{ channel: "caller", time: "00:01", text: odd() ?? "Hello." }],
    }),
    ...(draw(11) === 0 && { score: draw(100) }),
  };
}
