import { recordOf } from "../../base/records.ts";
import { ALIAS_FIELDS, type AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { foldUtm, presentText } from "../../calls/attribution/call-text.ts";
import { siteKind } from "../../calls/attribution/channel-sites.ts";
import type { SpellingGroup } from "../../sources/sqlite/sqlite-visits-sql.ts";
import { findNearMisses } from "./near-misses.ts";
import { type MendingLine, TAG_PROBLEMS, type TagProblem } from "./tag-problem.ts";

/** Calls with the same tags. */
export interface Visits {
  source: string | null;
  medium: string | null;
  campaign: string | null;
  campaign_id: string | null;
  /** Whether a click on an ad of Google led to them. */
  is_google_click: boolean;
  referring_host: string | null;
  /** Of the last 28 days. */
  calls: number;
  /** Start of the first one that was read, ISO 8601 UTC. */
  since: string | null;
}

/** What the ads of a campaign cost in the last 28 days. */
export interface CampaignCost {
  source: string | null;
  campaign: string | null;
  campaign_id: string | null;
  /** Whether any call has the campaign. */
  has_calls: boolean;
  cost_micros: bigint;
}

export interface Tags {
  visits: readonly Visits[];
  spellings: readonly SpellingGroup[];
  /** Undefined without spend. */
  costs: readonly CampaignCost[] | undefined;
  rules: Pick<AttributionRules, "aliases" | "aliases_of">;
  /** When the last 7 days begin, ISO 8601 UTC; null if calls do not reach back far enough to know what is new. */
  newSince: string | null;
}

type FoundProblem = Omit<TagProblem, "cost_micros" | "line"> & { mend?: string | MendingLine };

/** Finds tags that are probably wrong, by kind, most calls first. */
export function findProblems(tags: Tags): TagProblem[] {
  const costOf = toCosts(tags.costs);
  const toLine = aliasMaker(tags.rules);
  const problems = [
    ...ALIAS_FIELDS.flatMap((field) =>
      ofValues(
        field,
        tally(tags.visits, (visits) => visits[field]),
      ),
    ),
    ...ofClicks(tags.visits),
    ...ofReferrers(tags.visits),
    ...ofNames(tags.visits),
    ...newSources(tags),
    ...ofSpellings(tags.spellings),
  ].map(
    ({ mend, ...problem }): TagProblem => ({
      ...problem,
      cost_micros: costOf(problem.field, problem.value),
      line: typeof mend === "string" ? toLine(problem.field, problem.value, mend) : (mend ?? null),
    }),
  );
  return [...problems, ...ofSpend(tags)].toSorted(
    (a, b) =>
      TAG_PROBLEMS.indexOf(a.kind) - TAG_PROBLEMS.indexOf(b.kind) ||
      b.calls - a.calls ||
      Number((b.cost_micros ?? 0n) - (a.cost_micros ?? 0n)) ||
      (a.value < b.value ? -1 : 1),
  );
}

type Tally = Pick<Visits, "calls" | "since">;

/** Adds up calls by a key; leaves out those without. */
function tally<Of extends Tally>(
  visits: Iterable<Of>,
  keyOf: (visits: Of) => string | null,
): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const each of visits) {
    const key = keyOf(each);
    if (key === null) continue;
    const known = tallies.get(key);
    tallies.set(key, {
      calls: (known?.calls ?? 0) + each.calls,
      since: earlier(known?.since ?? null, each.since),
    });
  }
  return tallies;
}

const earlier = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a);

/** `{campaignid}`, `{{campaign.name}}`, `%%keyword%%`, `[source]`, `<medium>`, `${x}`, and what programs write for no value. */
const MACRO = /\{[^{}]*\}|%%[^%]+%%|^\[[^\]]+\]$|^<[^>]+>$|^\$\w+$|^__\w+__$/;
const NO_VALUE =
  /^(?:undefined|null|nan|none|n\/?a|\(not set\)|not set|\[object object\]|x{3,}|todo|tbd|(?:your|my|insert)[ _-]?(?:source|medium|campaign)(?:[ _-]?name)?|(?:source|medium|campaign)[ _-]?name|utm_(?:source|medium|campaign))$/i;

function ofValues(field: TagProblem["field"], values: ReadonlyMap<string, Tally>): FoundProblem[] {
  const isPlaceholder = (value: string) => MACRO.test(value) || NO_VALUE.test(value);
  const placeholders = [...values].filter(([value]) => isPlaceholder(value));
  const names = [...values].filter(([value]) => !isPlaceholder(value));
  const near = findNearMisses(names.map(([value, { calls }]) => ({ value, calls })));
  return [
    ...near.map(({ rare, common }): FoundProblem => {
      const since = values.get(rare.value)?.since ?? null;
      const [value, other, calls] = [rare.value, common.value, rare.calls];
      return { kind: "near_miss", field, value, other, calls, since, mend: other };
    }),
    ...placeholders.map(
      ([value, tallied]): FoundProblem => ({
        kind: "placeholder",
        field,
        value,
        other: null,
        ...tallied,
        mend: "",
      }),
    ),
  ];
}

const GOOGLE = /google|youtube|adwords|gmail|doubleclick|^yt$|^ga?ds?$/;
const UNPAID = new Set(["email", "e-mail", "newsletter", "sms", "organic", "referral"]);

/** A click on an ad of Google with the name of another platform, or with a medium without ads. */
function ofClicks(visits: readonly Visits[]): FoundProblem[] {
  const wrong = visits.filter(
    ({ is_google_click, source, medium }) =>
      is_google_click &&
      ((source !== null && siteKind(source) !== undefined && !GOOGLE.test(source)) ||
        UNPAID.has(medium ?? "")),
  );
  const byTags = Map.groupBy(wrong, ({ source }) => source ?? "");
  return [...byTags].map(([value, ofSource]) => {
    const { calls, since } = sumOf(ofSource);
    return { kind: "contradiction", field: "source", value, other: "gclid", calls, since };
  });
}

const sumOf = (visits: readonly Visits[]): Tally =>
  tally(visits, () => "").get("") ?? { calls: 0, since: null };

/** Visitors come back from these; their first visit had another source. */
const RETURNS =
  /(?:^|\.)(?:paypal|stripe|klarna|adyen|mollie|worldpay|squareup|braintreegateway|authorize|sagepay|afterpay|affirm|okta|auth0|onelogin)\.(?:com|net|co\.uk|eu|io)$|^(?:checkout|payments?|pay|secure-?pay|login|signin|sso|auth|accounts?|appleid)\./;

function ofReferrers(visits: readonly Visits[]): FoundProblem[] {
  const ownHosts = findOwnHosts(visits);
  // Only where the referrer is what the calls are counted under.
  const sources = tally(visits, ({ source, referring_host }) =>
    source === referring_host ? referring_host : null,
  );
  return [...sources].flatMap(([value, tallied]): FoundProblem[] => {
    // Google Analytics counts unwanted referrals as direct, too.
    const mend = {
      file: "channels",
      cells: { channel: "Direct", source: value, medium: "referral", campaign: "", referrer: "" },
    } as const;
    const of = { field: "source", value, other: null, ...tallied, mend } as const;
    if (ownHosts.some((host) => value === host || value.endsWith(`.${host}`)))
      return [{ kind: "self_referral", ...of }];
    return RETURNS.test(value) ? [{ kind: "payment_or_login", ...of }] : [];
  });
}

/** A site's own pages are the addresses with most click ids; one partner's page has few. */
const MIN_SHARE = 0.3;
const MIN_CALLS = 5;

/** The hosts with which most clicks on ads arrive, unless they are of search engines and the like. */
export function findOwnHosts(visits: readonly Visits[]): string[] {
  const clicks = tally(visits, ({ is_google_click, referring_host: host }) =>
    is_google_click && host !== null && siteKind(host) === undefined && !GOOGLE.test(host) ? host : null,
  );
  const all = [...clicks.values()].reduce((sum, { calls }) => sum + calls, 0);
  return [...clicks]
    .filter(([, { calls }]) => calls >= MIN_CALLS && calls >= all * MIN_SHARE)
    .map(([host]) => host);
}

/** Each campaign id whose calls have several names: the rarer ones, with the commonest. */
function ofNames(visits: readonly Visits[]): FoundProblem[] {
  return [...Map.groupBy(visits, ({ campaign_id }) => campaign_id)].flatMap(
    ([id, ofCampaign]): FoundProblem[] => {
      if (id === null) return [];
      const names = [...tally(ofCampaign, ({ campaign }) => campaign)].toSorted(
        ([a, { calls: of }], [b, { calls }]) => calls - of || (a < b ? -1 : 1),
      );
      const other = names[0]?.[0] ?? null;
      return names
        .slice(1)
        .map(([value, tallied]) => ({ kind: "two_names", field: "campaign", value, other, ...tallied }));
    },
  );
}

function newSources({ visits, newSince }: Tags): FoundProblem[] {
  if (newSince === null) return [];
  return [...tally(visits, ({ source }) => source)].flatMap(([value, tallied]): FoundProblem[] =>
    tallied.since !== null && tallied.since >= newSince
      ? [{ kind: "new_source", field: "source", value, other: null, ...tallied }]
      : [],
  );
}

const PAID = /^(?:.*cp.*|ppc|retargeting|paid.*)$/;

/** Only of sources with spend can calls miss theirs. */
function ofSpend({ visits, costs }: Tags): TagProblem[] {
  if (costs === undefined) return [];
  const without = costs.filter(({ has_calls, cost_micros }) => !has_calls && cost_micros > 0n);
  const sources = new Set(costs.map(({ source }) => source));
  const known = new Set(
    costs.flatMap(({ campaign, campaign_id }) => [campaign ?? [], campaign_id ?? []].flat()),
  );
  const unpaid = tally(visits, ({ source, medium, campaign, campaign_id }) =>
    PAID.test(medium ?? "") &&
    sources.has(source) &&
    !known.has(campaign ?? "") &&
    !known.has(campaign_id ?? "")
      ? campaign
      : null,
  );
  return [
    ...without.map(
      ({ campaign, campaign_id, source, cost_micros }): TagProblem => ({
        ...{ kind: "spend_without_calls", field: "campaign", value: campaign ?? campaign_id ?? "" },
        ...{ other: source, calls: 0, cost_micros, since: null, line: null },
      }),
    ),
    ...[...unpaid].flatMap(([value, tallied]): TagProblem[] =>
      tallied.calls === 0
        ? []
        : [
            {
              ...{ kind: "calls_without_spend", field: "campaign", value, other: null, ...tallied },
              ...{ cost_micros: 0n, line: null },
            },
          ],
    ),
  ];
}

function toCosts(costs: Tags["costs"]) {
  const sums = new Map<string, bigint>();
  for (const { source, campaign, cost_micros } of costs ?? [])
    for (const key of [`source ${source}`, `campaign ${campaign}`])
      sums.set(key, (sums.get(key) ?? 0n) + cost_micros);
  return (field: string, value: string) => (costs ? (sums.get(`${field} ${value}`) ?? 0n) : null);
}

/** Finds the spellings of each value but the usual one: the value itself or, if nobody writes it so, that of most calls. */
function ofSpellings(spellings: readonly SpellingGroup[]): FoundProblem[] {
  return ALIAS_FIELDS.flatMap((field) => {
    const named = spellings.map(({ campaign_name, utm_campaign, ...each }) => ({
      ...{ calls: each.calls, since: each.since, value: each[field] },
      raw:
        field === "campaign"
          ? (presentText(campaign_name) ?? presentText(utm_campaign))
          : presentText(each[`utm_${field}`]),
    }));
    return [...Map.groupBy(named, ({ value }) => value)].flatMap(([other, ofValue]): FoundProblem[] => {
      const raws = [...tally(ofValue, ({ raw }) => raw)];
      if (other === null || raws.length < 2) return [];
      const rankOf = ([raw, { calls }]: (typeof raws)[number]) =>
        raw === other ? Number.POSITIVE_INFINITY : calls;
      return raws
        .toSorted((a, b) => rankOf(b) - rankOf(a))
        .slice(1)
        .map(([value, tallied]) => ({ kind: "merged", field, value, other, ...tallied }));
    });
  });
}

/** Returns what makes the line that renames a value; null if the file of aliases would refuse it, or read another value. */
function aliasMaker({ aliases, aliases_of = {} }: Tags["rules"]) {
  const known = recordOf(ALIAS_FIELDS, (field) => {
    const ofField = new Map(Object.entries({ ...aliases, ...aliases_of[field] }));
    return { ofField, values: new Set([...ofField.values()].map(foldUtm)) };
  });
  return (field: TagProblem["field"], raw: string, value: string): MendingLine | null => {
    const [from, to] = [foldUtm(raw), foldUtm(value)];
    const { ofField, values } = known[field];
    const next = ofField.get(to) ?? value;
    const isChained = (values.has(from) && from !== to) || next !== value;
    // Spreadsheets write a text as a formula.
    const isRead =
      from !== "" && (to !== "" || value === "") && !raw.startsWith('="') && !value.startsWith('="');
    return isChained || !isRead ? null : { file: "aliases", cells: { raw, value, of: field } };
  };
}
