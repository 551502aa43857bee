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
import { type Answer, type Expectation, type Request, type Row, row, type Verdict } from "./row.ts";
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

/** Also compares with the response to another request. */
const compared = (section: string, query: string, other: string, expect: Expectation): Row => ({
  ...row(section, page(query), expect),
  other: page(other),
});
const accepted = (section: string, query: string): Row => row(section, page(query), answers(200));
const refused = (section: string, query: string): Row => row(section, page(query), answers(400));

/** §§ 1, 2.3 and 4.2. */
export const ATTRIBUTION_ROWS: readonly Row[] = [
  ...Object.entries(ENVELOPE).map(([name, schema]) =>
    row(`1 ${name}`, ATTRIBUTION, envelopeHas(z.object({ [name]: schema }))),
  ),
  ...Object.entries(CALL).map(([name, schema]) => row(`2.3 ${name}`, ATTRIBUTION, callsHave([name], schema))),
  ...DNI.map((name) => row(`2.3 dni_data.${name}`, ATTRIBUTION, callsHave(["dni_data", name], text))),
  row("1 application/json: attribution", ATTRIBUTION, isJson),
  row("1 timestamp is the time of the response", ATTRIBUTION, isStampedNow),
  compared("1 request_id identifies the request", "", "?limit=3", hasOwnRequestId),
  row(
    "2.3 call_id: one call each",
    page("?limit=1000"),
    dataIs(({ calls }) => {
      const ids = z
        .array(anyObject)
        .parse(calls)
        .map(({ call_id }) => call_id);
      return new Set(ids).size === ids.length ? passed() : failed("an id twice in a page");
    }),
  ),
  row("4.2 method and path", ATTRIBUTION, answers(200)),
  row("4.2 limit default", ATTRIBUTION, applied({ limit: 100 })),
  row("4.2 limit 1", page("?limit=1"), atMost(1)),
  row("4.2 limit", page("?limit=2"), atMost(2)),
  row("4.2 limit maximum", page("?limit=1000"), applied({ limit: 1000 })),
  row("4.2 limit above the maximum", page("?limit=1001"), aboveMaximum),
  row("4.2 limit integer", ATTRIBUTION_REFUSED, answers(400)),
  row("4.2 offset default", ATTRIBUTION, applied({ offset: 0 })),
  compared(
    "4.2 offset number of calls skipped",
    "?limit=1&offset=2",
    "?limit=3",
    sameCalls((ids) => ids.slice(2)),
  ),
  row("4.2 offset beyond the end", page("?offset=1000000000"), atMost(0)),
  refused("4.2 offset integer", "?offset=some"),
  ...SORT_KEYS.map((key) => accepted(`4.2 sort_by ${key}`, `?sort_by=${key}&limit=5`)),
  ...(["asc", "desc"] as const).flatMap((order) => [
    row(
      `4.2 sort_by source_name, ${order}`,
      page(`?sort_by=source_name&sort_order=${order}&limit=1000`),
      namesGo(order),
    ),
    accepted(`4.2 sort_order ${order}`, `?sort_by=roi&sort_order=${order}&limit=5`),
  ]),
  accepted("4.2 sort_order asc alone", "?sort_order=asc&limit=5"),
  compared("4.2 sort_order desc alone is the default", "?sort_order=desc&limit=3", "?limit=3", sameCalls()),
  refused("4.2 sort_by other", "?sort_by=made_up"),
  compared(
    "4.2 sort_order default",
    "?sort_by=source_name&limit=5",
    "?sort_by=source_name&sort_order=desc&limit=5",
    sameCalls(),
  ),
  refused("4.2 sort_order other", "?sort_order=up"),
  accepted("4.2 org_unit_id accepted", "?org_unit_id=2101&limit=5"),
  ...Object.entries(DATA).map(([name, schema]) =>
    row(`4.2 data: ${name}`, ATTRIBUTION, dataHas(z.object({ [name]: schema }))),
  ),
  row("4.2 data: applied limit", page("?limit=7"), applied({ limit: 7 })),
  row("4.2 data: applied offset", page("?limit=7&offset=3"), applied({ limit: 7, offset: 3 })),
  compared("4.2 data: total is of all pages", "?limit=1&offset=1", "?limit=3", sameTotal),
  {
    section: "4.2 rule 1: calls without DNI tracking are neither listed nor counted",
    request: page("?limit=1000"),
    expect: dataHas(z.object({ total: z.literal(150), calls: z.array(anyObject).length(150) })),
    callsWithoutDni: 3,
  },
  row("5 another scheme than Bearer", { ...ATTRIBUTION, token: "basic" }, answers(401)),
  row(
    "9 the version is part of the path",
    { method: "GET", path: PATH.replace("/v3", "") },
    // Without a route there may be nothing to require the token for, or it is required first.
    answers(401, 403, 404),
  ),
  row(
    "4.2 rule 1: only calls with DNI session data",
    ATTRIBUTION,
    dataHas(z.object({ calls: z.array(z.object({ dni_data: anyObject })) })),
  ),
];
