import { z } from "zod";
import {
  answers,
  callsHave,
  callsOf,
  dataHas,
  envelopeHas,
  failed,
  passed,
  sameCalls,
} from "./expectations.ts";
import type { Answer, Request, Row, Verdict } from "./row.ts";
import { anyObject, integer, isoUtcMs, phoneNumber, text, url, uuid } from "./types.ts";

const PATH = "/v3/conversations/attribution-engine";

const page = (query = ""): Request => ({ method: "GET", path: `${PATH}${query}` });

export const ATTRIBUTION = page();
export const ATTRIBUTION_REFUSED = page("?limit=many");

const ENVELOPE: Readonly<Record<string, z.ZodType>> = {
  code: z.literal(200),
  message: text,
  data: anyObject,
  request_id: uuid,
  timestamp: isoUtcMs,
};

const CALL: Readonly<Record<string, z.ZodType>> = {
  insight_name: text,
  call_id: integer,
  caller_id: phoneNumber,
  tracking_number: phoneNumber,
  call_started: isoUtcMs,
  duration: integer,
  disposition: text,
  org_unit_id: integer,
  org_unit_name: text,
  recording_url: url,
  dni_data: anyObject,
  summary: text,
  transcription: text,
  transcription_details: z.array(
    z.object({ channel: text, time: text.regex(/^\d+:\d\d$/, "not mm:ss"), text }),
  ),
};

const DNI = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "gclid",
  "gclsrc",
  "google_analytics_cid",
  "referring_url",
  "campaign_name",
  "campaign_id",
];

const DATA: Readonly<Record<string, z.ZodType>> = {
  calls: z.array(anyObject),
  total: integer.min(0),
  limit: integer,
  offset: integer,
};

const SORT_KEYS = ["source_name", "total_calls", "conversion_rate", "roi", "cost_per_conversion"];

const applied = (members: Record<string, number>) =>
  dataHas(
    z.object(Object.fromEntries(Object.entries(members).map(([name, value]) => [name, z.literal(value)]))),
  );

const atMost = (rows: number) => (answer: Answer) => {
  const served = answer.status === 200 ? callsOf(answer.body).length : 0;
  return served <= rows ? passed() : failed(`${served} calls`);
};

/** Refused, or served with the maximum: the document does not say which. */
function aboveMaximum(answer: Answer): Verdict {
  return answer.status === 400 ? passed("400") : applied({ limit: 1000 })(answer, undefined);
}

/** §§ 1, 2.3 and 4.2. */
export const ATTRIBUTION_ROWS: readonly Row[] = [
  ...Object.entries(ENVELOPE).map(([name, schema]) => ({
    section: `1 ${name}`,
    request: ATTRIBUTION,
    expect: envelopeHas(z.object({ [name]: schema })),
  })),
  ...Object.entries(CALL).map(([name, schema]) => ({
    section: `2.3 ${name}`,
    request: ATTRIBUTION,
    expect: callsHave([name], schema),
  })),
  ...DNI.map((name) => ({
    section: `2.3 dni_data.${name}`,
    request: ATTRIBUTION,
    expect: callsHave(["dni_data", name], text),
  })),
  { section: "4.2 method and path", request: ATTRIBUTION, expect: answers(200) },
  { section: "4.2 limit default", request: ATTRIBUTION, expect: applied({ limit: 100 }) },
  { section: "4.2 limit", request: page("?limit=2"), expect: atMost(2) },
  { section: "4.2 limit maximum", request: page("?limit=1000"), expect: applied({ limit: 1000 }) },
  { section: "4.2 limit above the maximum", request: page("?limit=1001"), expect: aboveMaximum },
  { section: "4.2 limit integer", request: ATTRIBUTION_REFUSED, expect: answers(400) },
  { section: "4.2 offset default", request: ATTRIBUTION, expect: applied({ offset: 0 }) },
  {
    section: "4.2 offset number of calls skipped",
    request: page("?limit=1&offset=2"),
    other: page("?limit=3"),
    expect: sameCalls((ids) => ids.slice(2)),
  },
  { section: "4.2 offset integer", request: page("?offset=some"), expect: answers(400) },
  ...SORT_KEYS.map((key) => ({
    section: `4.2 sort_by ${key}`,
    request: page(`?sort_by=${key}&limit=5`),
    expect: answers(200),
  })),
  { section: "4.2 sort_by other", request: page("?sort_by=made_up"), expect: answers(400) },
  {
    section: "4.2 sort_order asc",
    request: page("?sort_by=roi&sort_order=asc&limit=5"),
    expect: answers(200),
  },
  {
    section: "4.2 sort_order desc",
    request: page("?sort_by=roi&sort_order=desc&limit=5"),
    expect: answers(200),
  },
  {
    section: "4.2 sort_order default",
    request: page("?sort_by=source_name&limit=5"),
    other: page("?sort_by=source_name&sort_order=desc&limit=5"),
    expect: sameCalls(),
  },
  { section: "4.2 sort_order other", request: page("?sort_order=up"), expect: answers(400) },
  { section: "4.2 org_unit_id accepted", request: page("?org_unit_id=2101&limit=5"), expect: answers(200) },
  ...Object.entries(DATA).map(([name, schema]) => ({
    section: `4.2 data: ${name}`,
    request: ATTRIBUTION,
    expect: dataHas(z.object({ [name]: schema })),
  })),
  { section: "4.2 data: applied limit", request: page("?limit=7"), expect: applied({ limit: 7 }) },
  {
    section: "4.2 data: applied offset",
    request: page("?limit=7&offset=3"),
    expect: applied({ limit: 7, offset: 3 }),
  },
  {
    section: "4.2 rule 1: only calls with DNI session data",
    request: ATTRIBUTION,
    expect: dataHas(z.object({ calls: z.array(z.object({ dni_data: anyObject })) })),
  },
];
