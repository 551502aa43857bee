import { SITES } from "../../../src/calls/attribution/channel-sites.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { channelOf } from "../../calls/attribution/channel-of.ts";

/** The figures of a row, in the order of its columns. */
export const METRICS = [
  "calls",
  "answered_calls",
  "missed_calls",
  "other_calls",
  "answer_rate",
  "unique_callers",
  "first_time_callers",
  "qualified_calls",
  "qualified_rate",
  "total_duration_seconds",
  "average_duration_seconds",
  "median_duration_seconds",
  "first_call_at",
  "last_call_at",
  "calls_in_hours",
  "missed_in_hours",
  "answer_rate_in_hours",
];

/** The configurable rules of docs/figures.md. */
export interface FoldRules {
  answered: readonly string[];
  missed: readonly string[];
  qualified_seconds: number;
  duration_unit: "seconds" | "milliseconds";
  /** From folded value to folded value. */
  aliases?: Readonly<Record<string, string>>;
  /** Of one field; a campaign's are to the name as it is written. */
  aliases_of?: Readonly<Partial<Record<Field, Readonly<Record<string, string>>>>> | undefined;
  /** Own channels: `*` stands for any part of a value. */
  channels?: readonly ({ channel: string } & Readonly<Record<Field | "referrer", string>>)[];
  /** Phrases of one ASCII word. */
  topics?: readonly { topic: string; phrase: string; qualifies: boolean | null; speaker?: string | null }[];
  /** Of spans within a day. */
  hours?: { week: string; closed: readonly string[]; timezone: string } | undefined;
}

/** Which calls count; see "Which calls" in docs/figures.md. */
export interface FoldFilter {
  org_unit?: readonly string[];
  channel?: readonly string[];
  source?: readonly string[];
  campaign?: readonly string[];
  disposition?: readonly string[];
  topic?: readonly string[];
  min_duration_seconds?: number;
  first_time?: true;
  has_gclid?: true;
  tracking_number?: readonly string[];
  exclude_callers?: readonly string[];
}

/** A span of time, ISO 8601 UTC; the end is exclusive. */
export interface FoldSpan {
  startsAt?: string;
  endsAt?: string;
}

export interface FoldQuery {
  dimensions: readonly string[];
  rules: FoldRules;
  /** The zone of weekdays and hours. @default UTC */
  zone?: string;
  raw?: boolean;
  /** How many keys have rows of their own. @default all */
  top?: number;
  filter?: FoldFilter;
  /** Which calls count, apart from the filter. @default all */
  isMeant?: (call: Call) => boolean;
  span?: FoldSpan;
  /** Where each period starts, in order; leads the key. */
  periods?: readonly { period: string; startsAt: string; endsAt?: string }[];
  fill?: boolean | undefined;
  /** The dimensions of the rollup of which this is the total. */
  totalOf?: readonly string[];
  /** Whether the total only includes keys with a cost over 0. */
  isWithSpend?: boolean;
  /** The live calls of the whole warehouse, by which campaigns are named. @default the folded calls */
  live?: readonly Call[];
  /** When the first call started, if the service no longer lists it. */
  firstStart?: string | undefined;
  previous?: { span: FoldSpan; periods: readonly { period: string; startsAt: string }[] };
  /** Adds the columns of spend. */
  spend?: {
    rows: readonly FoldSpend[];
    /** All calls in the warehouse, with whose campaigns spend is matched. */
    calls: readonly Call[];
  };
  /** Adds the columns of revenue, which counts at the call or on the day of the job. */
  outcomes?: { jobs: readonly FoldJob[]; by: "call" | "job-date" };
}

/** A job that a call led to. */
export interface FoldJob {
  call_id: number;
  day: string;
  /** The start of its day, ISO 8601 UTC. */
  startsAt: string;
  stage: "lost" | "booked" | "sold";
  amount_micros: number | null;
}

/** A row of spend. */
export interface FoldSpend {
  /** The start of its day, ISO 8601 UTC. */
  startsAt: string;
  source: string;
  medium: string;
  campaign: string | null;
  campaign_id: string | null;
  cost_micros: number;
  clicks: number | null;
  impressions: number | null;
}

type Cell = string | number | null;
type Figures = readonly (number | string | null)[];

const NOT_SET = "(not set)";
const MISSING = [
  "null",
  "undefined",
  "(none)",
  "(direct)",
  "(organic)",
  "(referral)",
  "(not provided)",
  NOT_SET,
];

const trimmed = (value: string | null): string | null => value?.trim() || null;
const words = (value: string): string =>
  value
    .split(/\s+/)
    .filter((word) => word !== "")
    .join(" ");
/** As a browser decodes a part of a link, if it can. */
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
/** Whether a text has an unexpanded macro, in the notation of ad platforms and mailers. */
const hasMacro = (text: string): boolean =>
  text.includes("{{") ||
  text.split("{").some((part, index) => index > 0 && part.includes("}")) ||
  text.split("*|").some((part, index) => index > 0 && part.includes("|*")) ||
  /^__[a-z_]+__$/i.test(text);
/** Null for a placeholder. */
const presentId = (value: string | null): string | null => {
  const text = trimmed(value);
  if (text === null || MISSING.includes(words(unescaped(text)).toLowerCase())) return null;
  return hasMacro(unescaped(text)) ? null : text;
};
const present = (value: string | null): string | null => presentId(value)?.normalize() ?? null;
const folded = (value: string | null): string | null => present(words(value ?? "").toLowerCase());
/** Numbers that phones show, or carriers send, for ANONYMOUS and RESTRICTED. */
const WITHHELD = ["+266696687", "+7378742833"];
/** `+` and the digits; without digits, the letters. */
const digits = (served: string | null): string => {
  const value = present(served);
  const bare = [...(value ?? "")].filter((sign) => /[a-z0-9]/i.test(sign)).join("");
  return /^\d+$/.test(bare) ? `+${bare.startsWith("00") ? bare.slice(2) : bare}` : bare.toLowerCase();
};
/** The caller; empty for a withheld number. */
const callerOf = ({ caller_id }: Call): string => {
  const caller = digits(caller_id);
  return /\d/.test(caller) && !WITHHELD.includes(caller) ? caller : "";
};
/** A number by its digits. */
const numbered = (value: string | null): string | null =>
  digits(value).startsWith("+") ? digits(value) : present(value);
/** Without case; `-` and `_` are spaces next to anything else. */
const comparable = (disposition: string): string => {
  const spaced = words(disposition.replaceAll("-", " ").replaceAll("_", " ")).toLowerCase().normalize();
  return spaced || disposition.trim();
};
/** Converted to upper case first, which makes ß and SS equal. */
const caseless = (text: string): string => words(text).toUpperCase().toLowerCase().normalize();
/** A text that looks like a reserved key is quoted. */
const shown = (text: string | null): string => {
  const reads = ["(not set)", "(total)", "(with spend)", "(other)"].includes(
    (text ?? "").replace(/^"+|"+$/g, "").toLowerCase(),
  );
  return text === null ? NOT_SET : reads ? `"${text}"` : text;
};

const UTM_FIELDS = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;
type UtmField = (typeof UTM_FIELDS)[number];
type Field = "source" | "medium" | "campaign";
const FIELD_OF: Partial<Record<UtmField, Field>> = {
  utm_source: "source",
  utm_medium: "medium",
  utm_campaign: "campaign",
};

/** The first own channel that matches, or GA4's. */
function channelBy(
  { channels = [] }: FoldRules,
  source: string | null,
  medium: string | null,
  campaign: string,
  host: string | null,
): string {
  const values = { source, medium, campaign, referrer: host };
  const own = channels.find((line) =>
    (["source", "medium", "campaign", "referrer"] as const).every((field) => {
      const parts = line[field]
        .split("*")
        .map((part) => caseless(part).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      return (
        line[field] === "" ||
        (values[field] && new RegExp(`^${parts.join(".*")}$`, "s").test(caseless(values[field])))
      );
    }),
  );
  return own?.channel ?? channelOf(source ?? "", medium ?? "", campaign);
}

/** A utm value of a field, folded, by its alias. */
const aliased = (
  value: string,
  { aliases = {}, aliases_of = {} }: FoldRules,
  field?: Field,
): string | null => {
  const own = field && aliases_of[field];
  if (own && Object.hasOwn(own, value)) return folded(own[value] ?? null);
  return (Object.hasOwn(aliases, value) ? aliases[value] : value) || null;
};

/** A value of a field, wherever it is from. */
const renamed = (value: string | null, { aliases_of = {} }: FoldRules, field: Field): string | null => {
  const own = aliases_of[field] ?? {};
  const key = folded(value) ?? "";
  return (Object.hasOwn(own, key) ? own[key] : value) || null;
};

const campaignOf = (call: Call, rules: FoldRules): string | null =>
  renamed(present(call.campaign_name), rules, "campaign") ??
  renamed(present(call.utm_campaign), rules, "campaign") ??
  (originOf(call, rules).medium === "ai-assistant" ? "(ai-assistant)" : null);

/** The value under an undocumented name, or in the query of the referrer. */
const elsewhere = ({ extra, referring_url }: Call, name: string): string | null => {
  const found = new RegExp(`"${name}":"([^"]*)"`, "i").exec(extra ?? "") ?? [];
  const query = new URLSearchParams((referring_url ?? "").split("#", 1)[0]?.split("?").slice(1).join("?"));
  const [, asked] = [...query].find(([key]) => key.toLowerCase() === name) ?? [];
  return presentId(found[1] ?? null) ?? presentId(asked ?? null);
};

/** The platform of the clicked ad. */
const clickOf = (call: Call): "google" | "bing" | "other" | undefined => {
  const gclid = presentId(call.gclid) ?? elsewhere(call, "gclid");
  const isOther = trimmed(call.gclsrc)?.toLowerCase() === "3p.ds";
  if (gclid !== null && !isOther) return "google";
  if ((elsewhere(call, "gbraid") ?? elsewhere(call, "wbraid")) !== null) return "google";
  if (elsewhere(call, "msclkid") !== null) return "bing";
  return gclid === null ? undefined : "other";
};

/** The assistants that random calls may have. */
const ASSISTANTS = ["chatgpt.com", "gemini.google.com"];

/** "Sources and channels" in docs/figures.md. */
function originOf(call: Call, rules: FoldRules): { source: string | null; medium: string | null } {
  const tags = UTM_FIELDS.map((name) => aliased(folded(call[name]) ?? "", rules, FIELD_OF[name]));
  const [source = null, medium = null] = tags;
  const click = clickOf(call);
  const isDecided = source !== null && medium !== null && medium !== "organic";
  if ((click === "google" || click === "bing") && !isDecided)
    return { source: aliased(click, rules, "source"), medium: "cpc" };
  const isOfAssistant = ASSISTANTS.includes(folded(call.utm_source) ?? "");
  if (isOfAssistant && medium === null) return { source, medium: "ai-assistant" };
  const isKnown =
    tags.some((tag) => tag !== null) ||
    click !== undefined ||
    present(call.campaign_id) !== null ||
    [call.campaign_name, call.utm_campaign].some(
      (value) => renamed(present(value), rules, "campaign") !== null,
    );
  if (isKnown) return { source, medium };
  const host = referrerOf(call);
  if (host === null) return { source: "(direct)", medium: "(none)" };
  if (ASSISTANTS.includes(host)) return { source: aliased(host, rules, "source"), medium: "ai-assistant" };
  const engine = ENGINES.find((name) => searchHosts(name).includes(host));
  const isSearch = engine !== undefined || SITES.search.some((site) => site === host);
  return {
    source: aliased(folded(engine ?? host) ?? "", rules, "source"),
    medium: isSearch ? "organic" : "referral",
  };
}

/** The search engines that random calls may have; test/calls/attribution/traffic-source.test.ts has the others. */
const ENGINES = ["google", "bing", "yahoo", "duckduckgo"];
const searchHosts = (engine: string) =>
  ["", "search.", "m."].flatMap((prefix) => ["com", "de", "co.uk"].map((end) => `${prefix}${engine}.${end}`));

const described = new WeakMap<Call, Map<string, Described>>();

/** One call with the values needed for figures; the same object for the same call. */
function describe(call: Call, query: FoldQuery): Described {
  const known = described.get(call) ?? new Map<string, Described>();
  described.set(call, known);
  const by = JSON.stringify([query.rules, query.raw ?? false, query.zone ?? "UTC"]);
  const found = known.get(by) ?? describeAnew(call, query);
  known.set(by, found);
  return found;
}

function describeAnew(call: Call, { rules, raw = false, zone = "UTC" }: FoldQuery) {
  const utm = (field: UtmField): string | null => {
    const value = folded(call[field]);
    return value === null ? null : aliased(value, rules, FIELD_OF[field]);
  };
  const utmKey = (field: UtmField) => (raw ? call[field] || null : utm(field));
  const { source, ...origin } = originOf(call, rules);
  const medium = renamed(origin.medium, rules, "medium");
  const campaign = campaignOf(call, rules);
  // SQLite lower-cases only ASCII, and the rules need nothing else.
  const channelCampaign = utm("utm_campaign") ?? campaign?.toLowerCase() ?? "";
  const keys: Record<string, readonly Cell[]> = {
    utm_source: [shown(utmKey("utm_source"))],
    utm_medium: [shown(utmKey("utm_medium"))],
    utm_campaign: [shown(utmKey("utm_campaign"))],
    utm_content: [shown(utmKey("utm_content"))],
    utm_term: [shown(utmKey("utm_term"))],
    source: [shown(source)],
    medium: [shown(medium)],
    campaign: [shown(campaign), present(call.campaign_id)],
    gclid: [shown(presentId(call.gclid) ?? elsewhere(call, "gclid"))],
    channel: [channelBy(rules, source, medium, channelCampaign, referrerOf(call))],
    insight_name: [shown(present(call.insight_name))],
    org_unit: [shown(present(call.org_unit_name)), call.org_unit_id],
    tracking_number: [shown(numbered(call.tracking_number))],
    disposition: [shown(present(call.disposition))],
    topic: [shown(topicOf(call, rules)?.topic ?? null)],
    referring_host: [shown(referrerOf(call))],
    in_hours: [shown(inHoursOf(call, rules))],
    weekday: [clockOf(call, zone, "weekday")],
    hour: [clockOf(call, zone, "hour")],
  };
  return { call, keys };
}

/** "Hours" in docs/figures.md, by what a clock and a calendar on the wall show. */
function inHoursOf({ call_started }: Call, { hours }: FoldRules): "yes" | "no" | null {
  if (hours === undefined) return null;
  if (call_started === null) return "no";
  const { timezone: timeZone } = hours;
  const name = `${timeZone} minute`;
  const clock =
    clocks.get(name) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  clocks.set(name, clock);
  const [date = "", time = ""] = clock.format(new Date(call_started)).split(" ");
  const today = new Date(date).getUTCDay();
  const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const isOpen = hours.week.split(", ").some((entry) => {
    const [days = "", ...spans] = entry.split(" ");
    const [first = "", last = first] = days.split("-");
    // Sunday ends the week.
    const [from, to, now] = [names.indexOf(first), names.indexOf(last), today].map((day) => day || 7);
    if (from === undefined || to === undefined || now === undefined || now < from || now > to) return false;
    return spans.some((span) => {
      const [begins = "", ends = ""] = span.split("-");
      return begins <= time && time < ends;
    });
  });
  return isOpen && !hours.closed.includes(date) ? "yes" : "no";
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The local time at which the call started. */
function clockOf({ call_started }: Call, timeZone: string, part: "weekday" | "hour"): string {
  if (call_started === null) return NOT_SET;
  const options = part === "weekday" ? ({ weekday: "long" } as const) : ({ hour: "2-digit" } as const);
  const name = `${timeZone} ${part}`;
  const clock =
    clocks.get(name) ?? new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...options });
  clocks.set(name, clock);
  return clock.format(new Date(call_started));
}

type Described = ReturnType<typeof describeAnew>;

/** The name that most live calls of each campaign's id have: the first of several. */
function commonNames(live: readonly Call[], rules: FoldRules): Map<string, string> {
  const named = live.flatMap((call) => {
    const [name, id] = [campaignOf(call, rules), present(call.campaign_id)];
    return name === null || id === null ? [] : [{ name, id }];
  });
  const names = new Map<string, string>();
  for (const [id, own] of Map.groupBy(named, ({ id }) => id)) {
    const calls = [...Map.groupBy(own, ({ name }) => name)];
    const [[name] = [""]] = calls.sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || compareCells(a, b));
    names.set(id, name);
  }
  return names;
}

const withName = (described: Described, name: string | undefined): Described =>
  name === undefined
    ? described
    : {
        ...described,
        keys: { ...described.keys, campaign: [shown(name), present(described.call.campaign_id)] },
      };

/**
 * Finds the campaign of a row of spend among those of calls: by id (of the same name first), then by name; most calls first.
 * Calls of other sources only count where the source has no such campaign.
 */
function matchAmong(
  { campaign, campaign_id, source }: Pick<FoldSpend, "campaign" | "campaign_id" | "source">,
  calls: readonly Call[],
  rules: FoldRules,
  nameOf: (call: Call) => string | null,
): { key: readonly Cell[]; match: "id" | "name" | "unmatched" | "unnamed" } {
  const groups = Map.groupBy(calls, (call) => JSON.stringify([nameOf(call), present(call.campaign_id)]));
  const isOwn = (call: Call) => originOf(call, rules).source === aliased(source, rules, "source");
  const known = [...groups]
    .map(([key, of]) => ({ key: JSON.parse(key) as Cell[], all: of.length, own: of.filter(isOwn).length }))
    .sort((a, b) => b.own - a.own || b.all - a.all || compareKeys(a.key, b.key));
  type Known = (typeof known)[number];
  const preferred = (found: readonly Known[]) =>
    found.some(({ own }) => own > 0) ? found.filter(({ own }) => own > 0) : found;
  const isNamed = ([name]: readonly Cell[]) =>
    typeof name === "string" && campaign !== null && folded(name) === folded(campaign);
  const sameId = preferred(known.filter(({ key }) => campaign_id !== null && key[1] === campaign_id));
  const ofId = sameId.find(({ key }) => isNamed(key)) ?? sameId[0];
  if (ofId) return { key: ofId.key, match: "id" };
  const [ofName] = preferred(known.filter(({ key }) => isNamed(key)));
  if (ofName) return { key: ofName.key, match: "name" };
  return {
    key: [campaign, campaign_id],
    match: campaign === null && campaign_id === null ? "unnamed" : "unmatched",
  };
}

/** First by the names of rows, then by other names of the calls in them. */
function matchCampaign(
  spend: FoldSpend,
  { rules, spend: { calls } = { rows: [], calls: [] } }: FoldQuery,
  names: ReadonlyMap<string, string>,
) {
  const commonOf = (id: Cell | undefined) => names.get(String(id)) ?? null;
  const ofRows = matchAmong(
    spend,
    calls,
    rules,
    (call) => commonOf(present(call.campaign_id)) ?? campaignOf(call, rules),
  );
  if (ofRows.match !== "unmatched") return ofRows;
  const { key, match } = matchAmong(spend, calls, rules, (call) => campaignOf(call, rules));
  return { key: match === "unmatched" ? key : [commonOf(key[1]) ?? key[0] ?? null, key[1] ?? null], match };
}

/** A row of spend with the keys of a call. */
function describeSpend(spend: FoldSpend, query: FoldQuery, names: ReadonlyMap<string, string>) {
  const { rules } = query;
  const [source, medium] = [aliased(spend.source, rules, "source"), aliased(spend.medium, rules, "medium")];
  const given = renamed(spend.campaign, rules, "campaign");
  const [campaign = null, campaign_id = null] = matchCampaign(
    { ...spend, campaign: given },
    query,
    names,
  ).key;
  const channel = channelBy(rules, source, medium, given?.toLowerCase() ?? "", null);
  const keys: Record<string, readonly Cell[]> = {
    source: [shown(source)],
    medium: [shown(medium)],
    campaign: [shown(campaign === null ? null : String(campaign)), campaign_id],
    channel: [channel],
  };
  return { spend, keys };
}

/** The jobs of a call, with its keys. */
function describeJobs({ call, keys }: Described, { outcomes }: FoldQuery) {
  const own = (outcomes?.jobs ?? []).filter(({ call_id }) => call_id === call.call_id);
  const firstOf = (isMeant: (job: FoldJob) => boolean) =>
    own
      .filter(isMeant)
      .map(({ day }) => day)
      .sort()[0];
  const [booked, sold] = [firstOf(({ stage }) => stage !== "lost"), firstOf(({ stage }) => stage === "sold")];
  return own.map((job) => ({
    job,
    keys,
    at: outcomes?.by === "call" ? call.call_started : job.startsAt,
    isFirstBooked: job.stage !== "lost" && job.day === booked,
    isFirstSold: job.stage === "sold" && job.day === sold,
  }));
}
type DescribedJob = ReturnType<typeof describeJobs>[number];

/**
 * Booked and sold calls, revenue, revenue per call of the calls' own periods, and with spend the return on it and the cost
 * per booked call.
 */
function tallyJobs(
  jobs: readonly DescribedJob[],
  calls: number,
  {
    by,
    micros,
    jobs: imported,
  }: { by: "call" | "job-date"; micros: bigint | undefined; jobs: readonly FoldJob[] },
): Figures {
  const isUnknown = imported.every(({ amount_micros }) => amount_micros === null);
  const countCalls = (some: readonly DescribedJob[]) => new Set(some.map(({ job }) => job.call_id)).size;
  const revenue = jobs.reduce(
    (sum, { job }) =>
      sum + (job.stage === "sold" || (job.amount_micros ?? 0) < 0 ? BigInt(job.amount_micros ?? 0) : 0n),
    0n,
  );
  const booked = countCalls(jobs.filter(({ isFirstBooked }) => isFirstBooked));
  /** Hundredths of a quotient, a half away from zero. */
  const hundredths = (dividend: bigint, divisor: bigint) => {
    const [size, sign] = dividend < 0n ? [-dividend, -1] : [dividend, 1];
    const [whole, rest] = [(size * 100n) / divisor, (size * 100n) % divisor];
    return (sign * Number(whole + (2n * rest >= divisor ? 1n : 0n))) / 100 || 0;
  };
  const paid = micros !== undefined && micros > 0n ? micros : undefined;
  return [
    booked,
    countCalls(jobs.filter(({ isFirstSold }) => isFirstSold)),
    isUnknown ? null : Number(revenue) / 1e6,
    ...(by === "call"
      ? [calls === 0 || isUnknown ? null : hundredths(revenue, BigInt(calls) * 1_000_000n)]
      : []),
    ...(micros === undefined
      ? []
      : [
          paid === undefined || isUnknown ? null : hundredths(revenue, paid),
          paid === undefined || booked === 0 ? null : hundredths(paid, BigInt(booked) * 1_000_000n),
        ]),
  ];
}

/** A counted entry: a call, a row of spend, or a job. */
type Entry = Described | ReturnType<typeof describeSpend> | DescribedJob;

const startOf = (entry: Entry): string | null => {
  if ("job" in entry) return entry.at;
  return "call" in entry ? entry.call.call_started : entry.spend.startsAt;
};

/** Spend is filtered by source, channel and campaign. */
function isSpendCounted({ keys }: Entry, { filter = {} }: FoldQuery): boolean {
  const isAmong = (texts: readonly string[] | undefined, ...values: (Cell | undefined)[]) =>
    texts === undefined ||
    values.some((value) => typeof value === "string" && texts.map(caseless).includes(caseless(value)));
  return (
    isAmong(filter.channel, keys.channel?.[0]) &&
    isAmong(filter.source, keys.source?.[0]) &&
    isAmong(filter.campaign, keys.campaign?.[0], keys.campaign?.[1])
  );
}

/** The sum of the spend of each key, in millionths. */
function costsOf(entries: readonly Entry[], keyOf: (entry: Entry) => string): Map<string, bigint> {
  const costs = new Map<string, bigint>();
  for (const entry of entries) {
    if (!("spend" in entry)) continue;
    const key = keyOf(entry);
    costs.set(key, (costs.get(key) ?? 0n) + BigInt(entry.spend.cost_micros));
  }
  return costs;
}

/**
 * Cost, clicks, impressions, and costs per call, which are the quotients of the row's own figures; empty without
 * spend. @param isShared whether some of the calls have keys without spend
 */
function tallySpend(rows: readonly FoldSpend[], calls: Figures, isShared: boolean): Figures {
  const micros = rows.reduce((sum, { cost_micros }) => sum + BigInt(cost_micros), 0n);
  const sum = (values: readonly (number | null)[]) =>
    known(values).length === 0 ? null : sumOf(known(values));
  const per = (count: Figures[number] | undefined) => {
    if (micros <= 0n || isShared || typeof count !== "number" || count === 0) return null;
    const parts = BigInt(count) * 10_000n;
    return Number(micros / parts + (2n * (micros % parts) >= parts ? 1n : 0n)) / 100;
  };
  return [
    rows.length === 0 ? null : Number(micros) / 1e6,
    sum(rows.map(({ clicks }) => clicks)),
    sum(rows.map(({ impressions }) => impressions)),
    per(calls[0]),
    per(calls[7]),
    per(calls[6]),
  ];
}

/** A macro leaves the host of a URL; any other text is dropped. */
const referrerOf = ({ referring_url }: Call): string | null => {
  const address = trimmed(referring_url)?.normalize() ?? null;
  return hostOf(/^https?:\/\//i.test(address ?? "") ? address : present(address));
};

/** For URLs in the notation of browsers, and some without a scheme; test/calls/attribution/referring-host.test.ts has the others. */
function hostOf(url: string | null): string | null {
  if (url === null) return null;
  const authority = url.replace(/^[^/]*:\/\/|^\/\//, "").split(/[/?#]/, 1)[0] ?? "";
  const [host = ""] = (authority.split("@").at(-1) ?? "").toLowerCase().split(":", 1);
  return host.replace(/\.$/, "").replace(/^www\.(?=.)/, "") || null;
}

const nameOf = ({ keys }: Described, dimension: string): Cell | undefined => keys[dimension]?.[0];

/** The ids of each caller's first call; a call of unknown time comes after those whose time is known. */
function firstCallIds(calls: readonly Call[]): Set<number> {
  const first = new Map<string, Call>();
  const isBefore = (a: Call, b: Call) => {
    if (a.call_started === b.call_started) return a.call_id < b.call_id;
    if (a.call_started === null || b.call_started === null) return b.call_started === null;
    return a.call_started < b.call_started;
  };
  for (const call of calls) {
    const caller = callerOf(call);
    if (caller === "") continue;
    const known = first.get(caller);
    if (known === undefined || isBefore(call, known)) first.set(caller, call);
  }
  return new Set([...first.values()].map(({ call_id }) => call_id));
}

function isCounted(
  described: Described,
  { filter = {}, rules }: FoldQuery,
  firstIds: ReadonlySet<number>,
): boolean {
  const { call, keys } = described;
  const isAmong = (texts: readonly string[] | undefined, ...values: (Cell | undefined)[]) =>
    texts === undefined ||
    values.some((value) => typeof value === "string" && texts.map(caseless).includes(caseless(value)));
  const perSecond = rules.duration_unit === "seconds" ? 1 : 1000;
  const disposition = comparable(present(call.disposition) ?? "") || NOT_SET;
  return (
    isAmong(
      filter.org_unit,
      nameOf(described, "org_unit"),
      call.org_unit_id === null ? null : String(call.org_unit_id),
    ) &&
    isAmong(filter.channel, nameOf(described, "channel")) &&
    isAmong(filter.source, nameOf(described, "source")) &&
    isAmong(filter.campaign, nameOf(described, "campaign"), keys.campaign?.[1]) &&
    isAmong(filter.disposition?.map(comparable), disposition) &&
    isAmong(filter.topic, nameOf(described, "topic")) &&
    (filter.min_duration_seconds === undefined ||
      (call.duration !== null && call.duration >= filter.min_duration_seconds * perSecond)) &&
    (filter.first_time === undefined || firstIds.has(call.call_id)) &&
    (filter.has_gclid === undefined || (presentId(call.gclid) ?? elsewhere(call, "gclid")) !== null) &&
    isAmong(
      filter.tracking_number?.map((text) => (text === NOT_SET ? text : digits(text) || text)),
      digits(call.tracking_number) || (present(call.tracking_number) ?? NOT_SET),
    ) &&
    // A caller without a number is not excluded by a text without one.
    (callerOf(call) === "" || !filter.exclude_callers?.map(digits).includes(callerOf(call)))
  );
}

function isIn(call_started: string | null, { startsAt, endsAt }: FoldSpan): boolean {
  if (startsAt === undefined && endsAt === undefined) return true;
  if (call_started === null) return false;
  return (
    (startsAt === undefined || call_started >= startsAt) && (endsAt === undefined || call_started < endsAt)
  );
}

function outcomeOf(call: Call, rules: FoldRules): "answered" | "missed" | "other" {
  const disposition = present(call.disposition);
  const isOneOf = (names: readonly string[]) =>
    disposition !== null && names.map(comparable).includes(comparable(disposition));
  if (isOneOf(rules.answered)) return "answered";
  return isOneOf(rules.missed) ? "missed" : "other";
}

function topicOf({ transcription, transcription_details }: Call, { topics = [] }: FoldRules) {
  const lines: { channel?: string; text: string }[] = JSON.parse(transcription_details ?? "[]");
  const textOf = (some: typeof lines) => some.map((line) => line.text).join(" ");
  return topics.find(({ phrase, speaker }) => {
    const text = speaker
      ? textOf(lines.filter(({ channel }) => channel === speaker))
      : transcription?.trim() || textOf(lines);
    return text
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(phrase.toLowerCase());
  });
}

const known = <T>(values: readonly (T | null)[]): T[] =>
  values.flatMap((value) => (value === null ? [] : [value]));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function tally(calls: readonly Call[], firstIds: ReadonlySet<number>, rules: FoldRules): Figures {
  const perSecond = rules.duration_unit === "seconds" ? 1 : 1000;
  const outcomes = calls.map((call) => outcomeOf(call, rules));
  const durations = known(calls.map(({ duration }) => duration));
  const seconds = sumOf(durations) / perSecond;
  const times = known(calls.map(({ call_started }) => call_started)).sort();
  const answered = calls.filter((_, index) => outcomes[index] === "answered");
  const qualified = answered.filter((call) => {
    const isLong = call.duration !== null && call.duration / perSecond >= rules.qualified_seconds;
    return topicOf(call, rules)?.qualifies ?? isLong;
  });
  const isIn = calls.map((call) => inHoursOf(call, rules) === "yes");
  const inHours = isIn.filter(Boolean).length;
  const countIn = (outcome: string) => isIn.filter((is, index) => is && outcomes[index] === outcome).length;
  const ordered = durations.toSorted((a, b) => a - b);
  const middles = [ordered[(ordered.length - 1) >> 1] ?? 0, ordered[ordered.length >> 1] ?? 0];
  return [
    calls.length,
    answered.length,
    outcomes.filter((outcome) => outcome === "missed").length,
    outcomes.filter((outcome) => outcome === "other").length,
    calls.length === 0 ? null : quotient(answered.length, calls.length, 4),
    new Set(calls.flatMap((call) => callerOf(call) || [])).size,
    calls.filter(({ call_id }) => firstIds.has(call_id)).length,
    qualified.length,
    calls.length === 0 ? null : quotient(qualified.length, calls.length, 4),
    seconds,
    durations.length === 0 ? null : quotient(sumOf(durations), perSecond * durations.length, 1),
    durations.length === 0 ? null : quotient(sumOf(middles), 2 * perSecond, 1),
    times.at(0) ?? null,
    times.at(-1) ?? null,
    ...(rules.hours === undefined
      ? [null, null, null]
      : [inHours, countIn("missed"), inHours === 0 ? null : quotient(countIn("answered"), inHours, 4)]),
  ];
}

/** Null first, then numbers, then texts by their UTF-8 bytes: SQLite's order. */
function compareCells(a: Cell, b: Cell): number {
  const rank = (cell: Cell) => (cell === null ? 0 : typeof cell === "number" ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", NOT_SET];
/** Calls of unknown time come after all hours. */
const toSortable = (cell: Cell, dimension: string): Cell => {
  if (dimension === "weekday") return cell === null ? -1 : WEEK.indexOf(String(cell));
  return dimension === "hour" && cell === NOT_SET ? "24" : cell;
};

/** @param names the dimensions of the cells */
function compareKeys(a: readonly Cell[], b: readonly Cell[], names: readonly string[] = []): number {
  for (const [index, cell] of a.entries()) {
    const name = names[index] ?? "";
    const order = compareCells(toSortable(cell, name), toSortable(b[index] ?? null, name));
    if (order !== 0) return order;
  }
  return 0;
}

const OTHER = "(other)";
const hasValue = (cells: readonly Cell[]) => cells.some((cell) => cell !== null && cell !== NOT_SET);

/** The keys that have rows of their own, as JSON; undefined for all. */
function keptKeys(
  now: readonly Entry[],
  before: readonly Entry[],
  { dimensions, top }: FoldQuery,
  names: readonly string[],
): Set<string> | undefined {
  if (top === undefined) return undefined;
  const calls = new Map<string, number>();
  const count = (each: Entry, by: number) => {
    const key = JSON.stringify(dimensions.flatMap((dimension) => each.keys[dimension] ?? []));
    calls.set(key, (calls.get(key) ?? 0) + by);
  };
  for (const each of now) count(each, "call" in each ? 1 : 0);
  for (const each of before) count(each, 0);
  const ranked = [...calls].sort(
    ([a, ofA], [b, ofB]) => ofB - ofA || compareKeys(JSON.parse(a), JSON.parse(b), names),
  );
  const keys = ranked.map(([key]) => key);
  const valued = keys.filter((key) => hasValue(JSON.parse(key)));
  return new Set([...valued.slice(0, top), ...keys.filter((key) => !valued.includes(key))]);
}

/** Places of the figures without a previous value and a change. */
const TIMES = ["first_call_at", "last_call_at"].map((name) => METRICS.indexOf(name));

/** When the first of some calls started. */
export const firstStartOf = (calls: readonly Call[]): string | undefined =>
  calls.flatMap(({ call_started }) => call_started ?? []).sort()[0];

/** Their places among the figures of calls, and of spend. */
const RATES = ["answer_rate", "qualified_rate", "answer_rate_in_hours"].map((name) => METRICS.indexOf(name));
const [FIRST_TIME_CALLERS, COST_PER_FIRST_TIME_CALLER] = [6, 5];
const NINETY_DAYS_MS = 90 * 24 * 3600 * 1000;

/** The difference of two rates, to four decimals. */
function pointsOf(now: Figures[number], before: Figures[number]): number | null {
  if (typeof now !== "number" || typeof before !== "number") return null;
  return quotient(Math.round(now * 1e4) - Math.round(before * 1e4), 1e4, 4);
}

/** The change as a share, to four decimals; none without something to compare with. */
function changeOf(now: Figures[number], before: Figures[number]): number | null {
  if (typeof now !== "number" || typeof before !== "number" || before === 0) return null;
  const isWhole = Number.isInteger(now) && Number.isInteger(before);
  const [after, of] = isWhole ? [now, before] : [Math.round(now * 1e6), Math.round(before * 1e6)];
  return quotient(after - of, Math.abs(of), 4);
}

/** Returns a quotient of whole numbers with some decimals, a half away from zero. */
function quotient(dividend: number, divisor: number, decimals: number): number {
  const unit = 10 ** decimals;
  const sign = Math.sign(dividend) * Math.sign(divisor);
  return (sign * Math.round(Math.abs((unit * dividend) / divisor))) / unit || 0;
}

/**
 * Counts calls by docs/figures.md, in memory and without the SQL: key columns, then metrics, each followed by its
 * comparison; by period, most calls first, then by key; only weekdays and hours in their own order; the row of other keys last.
 *
 * @param live calls that the service still lists
 */
export function foldRollup(live: readonly Call[], query: FoldQuery): Cell[][] {
  const { dimensions, rules, span = {}, periods, fill = false, previous } = query;
  const firstIds = firstCallIds(live);
  const campaigns = commonNames(query.live ?? live, rules);
  const calls = live
    .map((call) => withName(describe(call, query), campaigns.get(present(call.campaign_id) ?? "")))
    .filter((each) => isCounted(each, query, firstIds) && (query.isMeant?.(each.call) ?? true));
  const counted: Entry[] = [
    ...calls,
    ...calls.flatMap((each) => describeJobs(each, query)),
    ...(query.spend?.rows ?? [])
      .map((row) => describeSpend(row, query, campaigns))
      .filter((each) => isSpendCounted(each, query)),
  ];
  const names = dimensions.flatMap((name) => (["campaign", "org_unit"].includes(name) ? [name, ""] : [name]));
  const within = (span: FoldSpan) => counted.filter((each) => isIn(startOf(each), span));
  const kept = keptKeys(within(span), previous ? within(previous.span) : [], query, names);
  const fineKey = ({ keys }: Entry) =>
    JSON.stringify((query.totalOf ?? dimensions).map((dimension) => keys[dimension]));
  const isPaid = (entries: readonly Entry[]) => {
    const costs = costsOf(entries, fineKey);
    return (each: Entry) => (costs.get(fineKey(each)) ?? 0n) > 0n;
  };
  const group = (span: FoldSpan, labels: FoldQuery["periods"]) =>
    Map.groupBy(query.isWithSpend ? within(span).filter(isPaid(within(span))) : within(span), (each) => {
      const { keys } = each;
      const started = startOf(each);
      const period = labels?.findLast(
        ({ startsAt, endsAt = "~" }) => started !== null && startsAt <= started && started < endsAt,
      );
      const lead = labels === undefined ? [] : [period?.period ?? NOT_SET];
      const cells = dimensions.flatMap((dimension) => keys[dimension] ?? []);
      const isKept = kept?.has(JSON.stringify(cells)) ?? true;
      return JSON.stringify([
        ...lead,
        ...(isKept ? cells : cells.map((_, index) => (index === 0 ? OTHER : null))),
      ]);
    });
  // First-time callers have no change if fewer than 90 days of calls precede the compared range.
  const firstStart = query.firstStart ?? firstStartOf(live);
  const beginning = previous?.span.startsAt;
  const hasEnoughBefore =
    beginning !== undefined &&
    firstStart !== undefined &&
    Date.parse(beginning) >= Date.parse(firstStart) + NINETY_DAYS_MS;
  // There is no change at all if the compared range begins before the first call.
  const isCovered =
    beginning !== undefined && firstStart !== undefined && Date.parse(firstStart) <= Date.parse(beginning);
  const now = group(span, periods);
  const before = previous && group(previous.span, periods && previous.periods);
  const all = new Set([...now.keys(), ...(before?.keys() ?? [])]);
  // Without dimensions there is one row, even without calls.
  if (dimensions.length === 0 && periods === undefined) all.add("[]");
  if (fill && periods) {
    for (const key of [...all]) {
      const cells: Cell[] = JSON.parse(key);
      for (const { period } of periods) all.add(JSON.stringify([period, ...cells.slice(1)]));
    }
  }
  // A period without a counterpart, such as the 31st of a month after one of 30 days, has nothing before, not 0.
  const hasCounterpart = (period: Cell) =>
    !periods?.some((own) => own.period === period) ||
    previous?.periods.some(
      (own) =>
        own.period === period && (previous.span.endsAt === undefined || own.startsAt < previous.span.endsAt),
    );
  const figuresOf = (groups: typeof now, key: string) => {
    const entries = groups.get(key) ?? [];
    const calls = tally(
      entries.flatMap((each) => ("call" in each ? [each.call] : [])),
      firstIds,
      rules,
    );
    const jobs = entries.flatMap((each) => ("job" in each ? [each] : []));
    const earned = (micros?: bigint) =>
      query.outcomes === undefined ? [] : [tallyJobs(jobs, Number(calls[0]), { ...query.outcomes, micros })];
    if (query.spend === undefined) return [calls, ...earned()];
    const spent = entries.flatMap((each) => ("spend" in each ? [each.spend] : []));
    const isOfPaid = isPaid(entries);
    const isShared = entries.some((each) => !("spend" in each) && !isOfPaid(each));
    const micros = isShared ? 0n : spent.reduce((sum, row) => sum + BigInt(row.cost_micros), 0n);
    return [calls, tallySpend(spent, calls, isShared), ...earned(micros)];
  };
  return [...all]
    .map((key) => {
      const cells: Cell[] = JSON.parse(key);
      const figures = figuresOf(now, key);
      const compared = before && figuresOf(before, key);
      const columns = figures.flatMap((group, of) =>
        group.flatMap((value, index) => {
          const then = hasCounterpart(cells[0] ?? null) ? (compared?.[of]?.[index] ?? null) : null;
          const isOfSpend = of === 1 && query.spend !== undefined;
          const isFirstTime =
            index === (of === 0 ? FIRST_TIME_CALLERS : COST_PER_FIRST_TIME_CALLER) && (of === 0 || isOfSpend);
          const isKnown = isCovered && (!isFirstTime || hasEnoughBefore);
          const change = of === 0 && RATES.includes(index) ? pointsOf : changeOf;
          return compared && !(of === 0 && TIMES.includes(index))
            ? [value, then, isKnown ? change(value, then) : null]
            : [value];
        }),
      );
      return { cells, calls: Number(figures[0]?.[0]), row: [...cells, ...columns] };
    })
    .sort((a, b) => {
      const byPeriod = periods ? compareKeys(a.cells.slice(0, 1), b.cells.slice(0, 1)) : 0;
      const [keyOfA, keyOfB] = [a, b].map(({ cells }) => (periods ? cells.slice(1) : cells));
      const byOther = Number(keyOfA?.[0] === OTHER) - Number(keyOfB?.[0] === OTHER);
      const byCalls = dimensions.every((name) => name === "weekday" || name === "hour")
        ? 0
        : b.calls - a.calls;
      return byPeriod || byOther || byCalls || compareKeys(keyOfA ?? [], keyOfB ?? [], names);
    })
    .map(({ row }) => row);
}
