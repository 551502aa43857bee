import { z } from "zod";
import {
  answers,
  callsHave,
  callsOf,
  dataHas,
  dataIs,
  envelopeHas,
  failed,
  hasOwnRequestId,
  isJson,
  isStampedNow,
  notSeen,
  passed,
  sameCalls,
  sameTotal,
} from "./expectations.ts";
import type { Answer, Request, Row, Verdict } from "./row.ts";
import { anyObject, integer, isoUtcMs, phoneNumber, text, url, uuid } from "./types.ts";

const PATH = "/v3/conversations/attribution-engine";

const page = (query = ""): Request => ({ method: "GET", path: `${PATH}${query}` });

export const ATTRIBUTION = page();
export const ATTRIBUTION_REFUSED = page("?limit=many");

export const ENVELOPE: Readonly<Record<string, z.ZodType>> = {
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

/** The names never go in the other direction, in one of the possible orders of a database. */
function namesGo(order: "asc" | "desc") {
  const orders = [(name: string) => name, (name: string) => name.toLowerCase()];
  return dataIs(({ calls }) => {
    const names = z
      .array(z.object({ insight_name: text }))
      .parse(calls)
      .map((call) => call.insight_name);
    if (new Set(names).size < 2) return notSeen("fewer than two sources");
    const isSorted = orders.some((fold) => {
      const sorted = names.toSorted((a, b) => (fold(a) < fold(b) ? -1 : Number(fold(a) > fold(b))));
      const wanted = order === "asc" ? sorted : sorted.reverse();
      return wanted.every((name, index) => fold(name) === fold(names[index] ?? ""));
    });
    return isSorted ? passed() : failed("not in the order of insight_name");
  });
}

/** Refused, or answered with the maximum: the document does not specify it. */
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
  { section: "1 application/json: attribution", request: ATTRIBUTION, expect: isJson },
  { section: "1 timestamp is the time of the response", request: ATTRIBUTION, expect: isStampedNow },
  {
    section: "1 request_id identifies the request",
    request: ATTRIBUTION,
    other: page("?limit=3"),
    expect: hasOwnRequestId,
  },
  {
    section: "2.3 call_id: one call each",
    request: page("?limit=1000"),
    expect: dataIs(({ calls }) => {
      const ids = z
        .array(anyObject)
        .parse(calls)
        .map(({ call_id }) => call_id);
      return new Set(ids).size === ids.length ? passed() : failed("an id twice in a page");
    }),
  },
  { section: "4.2 method and path", request: ATTRIBUTION, expect: answers(200) },
  { section: "4.2 limit default", request: ATTRIBUTION, expect: applied({ limit: 100 }) },
  { section: "4.2 limit 1", request: page("?limit=1"), expect: atMost(1) },
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
  {
    section: "4.2 offset beyond the end",
    request: page("?offset=1000000000"),
    expect: atMost(0),
  },
  { section: "4.2 offset integer", request: page("?offset=some"), expect: answers(400) },
  ...SORT_KEYS.map((key) => ({
    section: `4.2 sort_by ${key}`,
    request: page(`?sort_by=${key}&limit=5`),
    expect: answers(200),
  })),
  ...(["asc", "desc"] as const).map((order) => ({
    section: `4.2 sort_by source_name, ${order}`,
    request: page(`?sort_by=source_name&sort_order=${order}&limit=1000`),
    expect: namesGo(order),
  })),
  { section: "4.2 sort_order asc alone", request: page("?sort_order=asc&limit=5"), expect: answers(200) },
  {
    section: "4.2 sort_order desc alone is the default",
    request: page("?sort_order=desc&limit=3"),
    other: page("?limit=3"),
    expect: sameCalls(),
  },
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
    section: "4.2 data: total is of all pages",
    request: page("?limit=1&offset=1"),
    other: page("?limit=3"),
    expect: sameTotal,
  },
  {
    section: "4.2 rule 1: calls without DNI tracking are neither listed nor counted",
    request: page("?limit=1000"),
    expect: dataHas(z.object({ total: z.literal(150), calls: z.array(anyObject).length(150) })),
    callsWithoutDni: 3,
  },
  {
    section: "5 another scheme than Bearer",
    request: { ...ATTRIBUTION, token: "basic" },
    expect: answers(401),
  },
  {
    section: "9 the version is part of the path",
    request: { method: "GET", path: PATH.replace("/v3", "") },
    // Without a route there may be nothing to require the token for, or it is required first.
    expect: answers(401, 403, 404),
  },
  {
    section: "4.2 rule 1: only calls with DNI session data",
    request: ATTRIBUTION,
    expect: dataHas(z.object({ calls: z.array(z.object({ dni_data: anyObject })) })),
  },
];
