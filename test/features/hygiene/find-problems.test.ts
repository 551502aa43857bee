import { describe, expect, it } from "vitest";
import {
  type CampaignCost,
  findProblems,
  type Tags,
  type Visits,
} from "../../../src/features/hygiene/find-problems.ts";
import type { SpellingGroup } from "../../../src/sources/sqlite/sqlite-visits-sql.ts";

const visits = (members: Partial<Visits>): Visits => ({
  source: null,
  medium: null,
  campaign: null,
  campaign_id: null,
  is_google_click: false,
  referring_host: null,
  calls: 10,
  since: "2026-01-05T10:00:00.000Z",
  ...members,
});
const cost = (members: Partial<CampaignCost>): CampaignCost => ({
  source: "google",
  campaign: null,
  campaign_id: null,
  has_calls: true,
  cost_micros: 5_000_000n,
  ...members,
});

function find(own: readonly Partial<Visits>[], others: Partial<Omit<Tags, "visits">> = {}) {
  const tags = { costs: undefined, spellings: [], rules: { aliases: {} }, newSince: null, ...others };
  return findProblems({ visits: own.map(visits), ...tags });
}

const inShort = (found: ReturnType<typeof find>) =>
  found.map(({ kind, field, value, other, calls, line }) => [
    kind,
    field,
    value,
    other,
    calls,
    line && Object.values(line.cells).join(),
  ]);

describe("findProblems", () => {
  it.each<[string, Partial<Visits>[], unknown[]]>([
    [
      "a misspelt source, with the line that corrects it",
      [
        { source: "facebook", calls: 90 },
        { source: "facebok", calls: 2 },
      ],
      [["near_miss", "source", "facebok", "facebook", 2, "facebok,facebook,source"]],
    ],
    [
      "a campaign of two spellings",
      [
        { campaign: "Brand | Exact", calls: 90 },
        { campaign: "brand_exact", calls: 2 },
      ],
      [["near_miss", "campaign", "brand_exact", "Brand | Exact", 2, "brand_exact,Brand | Exact,campaign"]],
    ],
    ...(
      [
        ["[source]", "[source],,source"],
        ["your_campaign", "your_campaign,,source"],
        // Facts have no such values; the file of aliases refuses them.
        ...["{campaignid}", "%%keyword%%", "undefined", "(not set)"].map((value) => [value, null] as const),
      ] as const
    ).map(([value, line]): [string, Partial<Visits>[], unknown[]] => [
      `the placeholder ${value}`,
      [{ source: value }],
      [["placeholder", "source", value, null, 10, line]],
    ]),
    [
      "a Google ad click with the name of Bing",
      [{ source: "bing", medium: "cpc", is_google_click: true }],
      [["contradiction", "source", "bing", "gclid", 10, null]],
    ],
    ["a click with the name of Google", [{ source: "google", medium: "cpc", is_google_click: true }], []],
    ["a click with its own name", [{ source: "spring-mailing", medium: "cpc", is_google_click: true }], []],
    [
      "its own site as referrer",
      [
        { source: "google", is_google_click: true, referring_host: "acme.example", calls: 40 },
        { source: "shop.acme.example", referring_host: "shop.acme.example", calls: 3 },
        { source: "partner.example", referring_host: "partner.example", calls: 3 },
      ],
      [["self_referral", "source", "shop.acme.example", null, 3, "Direct,shop.acme.example,referral,,"]],
    ],
    [
      "payment and login hosts",
      ["www.paypal.com", "checkout.shop.example", "accounts.google.com", "paypal-tips.example"].map(
        (host) => ({
          source: host,
          referring_host: host,
        }),
      ),
      ["accounts.google.com", "checkout.shop.example", "www.paypal.com"].map((host) => [
        "payment_or_login",
        "source",
        host,
        null,
        10,
        `Direct,${host},referral,,`,
      ]),
    ],
    [
      "a campaign id with two names",
      [
        { campaign: "Spring", campaign_id: "7", calls: 50 },
        { campaign: "Roofing", campaign_id: "7", calls: 5 },
        { campaign: "Summer", campaign_id: "8" },
      ],
      [["two_names", "campaign", "Roofing", "Spring", 5, null]],
    ],
  ])("finds %s", (_, own, expected) => {
    expect(inShort(find(own))).toEqual(expected);
  });

  it("finds spend of campaigns without calls, and calls of paid campaigns without spend", () => {
    const own = [
      { source: "google", medium: "cpc", campaign: "Spring" },
      { source: "google", medium: "cpc", campaign: "Roofing" },
      { source: "google", medium: "organic", campaign: "Listing" },
      { source: "meta", medium: "paid_social", campaign: "Summer" },
    ];
    const costs = [cost({ campaign: "Spring" }), cost({ campaign: "Ghost", has_calls: false })];
    const found = find(own, { costs });
    expect(inShort(found)).toEqual([
      ["spend_without_calls", "campaign", "Ghost", "google", 0, null],
      ["calls_without_spend", "campaign", "Roofing", null, 10, null],
    ]);
    expect(found.map(({ cost_micros }) => cost_micros)).toEqual([5_000_000n, 0n]);
  });

  it("finds spend and calls by the names and ids of campaigns", () => {
    const paid = { source: "google", medium: "cpc" };
    const own = [
      { ...paid, campaign: "By name", campaign_id: "11" },
      { ...paid, campaign: "Renamed", campaign_id: "12" },
      { ...paid, campaign: "Neither", campaign_id: "13", calls: 4, since: "2026-01-03T10:00:00.000Z" },
      { ...paid, campaign: "Neither", campaign_id: null, calls: 3, since: "2026-01-02T10:00:00.000Z" },
      { ...paid, campaign: "Without calls", campaign_id: "14", calls: 0 },
      { ...paid, campaign: null, campaign_id: "15" },
      { ...paid, source: "bing", campaign: "Of no report" },
      { ...paid, source: null, campaign: "Of no source" },
      { ...paid, medium: "xcpm", campaign: "Of a paid medium", calls: 2 },
      { ...paid, medium: "email", campaign: "Of an unpaid medium" },
    ];
    const costs = [
      cost({ campaign: "By name", campaign_id: "99" }),
      cost({ campaign: "As before", campaign_id: "12" }),
      cost({ campaign: null, campaign_id: "77", has_calls: false, cost_micros: 3n, source: "meta" }),
      cost({ campaign: "Named", campaign_id: "78", has_calls: false, cost_micros: 1n }),
      cost({ campaign: "Free", campaign_id: "79", has_calls: false, cost_micros: 0n }),
    ];
    const found = find(own, { costs });
    expect(found.map(({ kind, value, other, calls, since }) => [kind, value, other, calls, since])).toEqual([
      ["spend_without_calls", "77", "meta", 0, null],
      ["spend_without_calls", "Named", "google", 0, null],
      ["calls_without_spend", "Neither", null, 7, "2026-01-02T10:00:00.000Z"],
      ["calls_without_spend", "Of a paid medium", null, 2, "2026-01-05T10:00:00.000Z"],
    ]);
  });

  it("finds clicks on ads of Google with an unpaid medium, adding up the calls of a source", () => {
    const click = { is_google_click: true, source: "google" };
    const own = [
      { ...click, medium: "email", calls: 4, since: "2026-01-07T10:00:00.000Z" },
      { ...click, medium: "sms", calls: 3, since: "2026-01-06T10:00:00.000Z" },
      { ...click, medium: "organic", is_google_click: false },
      { source: null, medium: "referral", is_google_click: true, calls: 2 },
    ];
    const found = find(own);
    expect(found.map(({ kind, value, calls, since }) => [kind, value, calls, since])).toEqual([
      ["contradiction", "google", 7, "2026-01-06T10:00:00.000Z"],
      ["contradiction", "", 2, "2026-01-05T10:00:00.000Z"],
    ]);
  });

  it.each<[string, { own?: number; other?: number; host?: string; isClick?: boolean }, number]>([
    ["five clicks of all", { own: 5 }, 1],
    ["four clicks", { own: 4 }, 0],
    ["three tenths of the clicks", { own: 30, other: 70 }, 1],
    ["fewer than three tenths", { own: 29, other: 70 }, 0],
    ["calls without clicks", { own: 50, isClick: false }, 0],
    ["a social network", { own: 50, host: "m.facebook.com" }, 0],
    ["a page of Google", { own: 50, host: "acme.googleusercontent.com" }, 0],
  ])(
    "knows the site's own pages by its clicks: %s",
    (_, { own = 0, other = 0, isClick = true, host = "acme.example" }, count) => {
      const visited = [
        { source: "google", is_google_click: isClick, referring_host: host, calls: own },
        // Others, each too rare.
        ...[1, 2, 3, 4].map((each) => ({
          ...{ source: "google", is_google_click: true, referring_host: `${each}.example` },
          calls: other / 4,
        })),
        { source: host, referring_host: host, calls: 2 },
        { source: "partner", referring_host: `www.${host}`, calls: 3 },
      ];
      expect(find(visited).filter(({ kind }) => kind === "self_referral")).toHaveLength(count);
    },
  );

  it("sorts by kind, calls, cost and value", () => {
    const placeholders = ["xxxx", "todo", "undefined", "null", "nan"];
    const calls = [5, 7, 5, 5, 9];
    const own = placeholders.map((campaign, index) => ({ campaign, calls: calls[index] ?? 0 }));
    const costs = [
      cost({ campaign: "undefined", cost_micros: 2n }),
      cost({ source: "xxxx", campaign: "other", cost_micros: 9n }),
    ];
    const found = find([...own, { source: "tbd", calls: 6 }], { costs });
    expect(found.map(({ field, value, cost_micros }) => [field, value, cost_micros])).toEqual([
      ["campaign", "nan", 0n],
      ["campaign", "todo", 0n],
      ["source", "tbd", 0n],
      ["campaign", "undefined", 2n],
      ["campaign", "null", 0n],
      ["campaign", "xxxx", 0n],
    ]);
  });

  it("names a campaign id by the name of most calls, and the first of equal ones", () => {
    const own = [
      { campaign: "Beta", campaign_id: "7", calls: 5, since: "2026-01-09T10:00:00.000Z" },
      { campaign: "Alpha", campaign_id: "7", calls: 5 },
      { campaign: "Gamma", campaign_id: "7", calls: 4 },
      { campaign: "Gamma", campaign_id: "8", calls: 9 },
      { campaign: null, campaign_id: "8", calls: 90 },
      { campaign: "Delta", campaign_id: null, calls: 3 },
    ];
    expect(find(own).map(({ value, other, calls, since }) => [value, other, calls, since])).toEqual([
      ["Beta", "Alpha", 5, "2026-01-09T10:00:00.000Z"],
      ["Gamma", "Alpha", 4, "2026-01-05T10:00:00.000Z"],
    ]);
  });

  it("finds sources whose first call was in the last days, if calls reach back far enough", () => {
    const own = [
      { source: "old", since: "2026-02-28T23:59:59.999Z" },
      { source: "both", since: "2026-03-02T10:00:00.000Z" },
      { source: "both", since: "2026-02-02T10:00:00.000Z" },
      { source: "undated", since: null },
      { source: "first", since: "2026-03-01T00:00:00.000Z", calls: 11 },
      { source: "new", since: "2026-03-05T10:00:00.000Z" },
    ];
    expect(inShort(find(own, { newSince: "2026-03-01T00:00:00.000Z" }))).toEqual([
      ["new_source", "source", "first", null, 11, null],
      ["new_source", "source", "new", null, 10, null],
    ]);
    expect(find(own)).toEqual([]);
  });

  const lineOf = (own: Partial<Visits>[], aliases: Record<string, string>, source = {}) =>
    find(own, { rules: { aliases, aliases_of: { source } } })[0]?.line;

  it("counts spellings that were merged, except the usual one", () => {
    const spelling = (members: Partial<SpellingGroup>): SpellingGroup => ({
      utm_source: null,
      utm_medium: null,
      campaign_name: null,
      utm_campaign: null,
      ...{
        source: null,
        medium: null,
        campaign: null,
        calls: 5,
        since: "2026-01-05T10:00:00.000Z",
        ...members,
      },
    });
    const spellings = [
      spelling({ utm_source: "Google", source: "google", utm_medium: "CPC", medium: "cpc" }),
      spelling({ utm_source: " google", source: "google", calls: 2 }),
      spelling({ utm_source: "goo", source: "google", calls: 1 }),
      spelling({ campaign_name: "Brand", utm_campaign: "x", campaign: "Brand | Exact", calls: 3 }),
      spelling({ utm_campaign: "brand_exact", campaign: "Brand | Exact", calls: 1 }),
    ];
    expect(inShort(find([], { spellings }))).toEqual([
      ["merged", "source", "Google", "google", 5, null],
      ["merged", "campaign", "brand_exact", "Brand | Exact", 1, null],
      ["merged", "source", "goo", "google", 1, null],
    ]);
  });

  it("proposes no line that the alias file would refuse", () => {
    const own = [
      { source: "facebook", calls: 90 },
      { source: "facebok", calls: 2 },
    ];
    // fb is already renamed to facebok, and aliases do not chain.
    expect(lineOf(own, { fb: "facebok" })).toBeNull();
    expect(lineOf(own, {}, { fb: "facebok" })).toBeNull();
    expect(lineOf(own, { facebook: "meta" })).toBeNull();
    expect(lineOf(own, {}, { facebok: "facebok" })).toBeNull();
    // (direct) is read as not set, and ="…" as what a spreadsheet would show.
    for (const [value, rare] of [
      ["(direct)", "direct"],
      ["=brand", '="brand"'],
    ] as const)
      expect(
        find([
          { source: value, calls: 9 },
          { source: rare, calls: 1 },
        ]),
      ).toMatchObject([{ kind: "near_miss", value: rare, line: null }]);
  });

  it("sums the cost of a campaign, and finds its first call at any time", () => {
    const own = [
      { campaign: "Brand Exact", calls: 90 },
      { campaign: "brand_exact", calls: 2, since: "2026-02-01T00:00:00.000Z" },
      { campaign: "brand_exact", medium: "cpc", calls: 1, since: "2025-02-01T00:00:00.000Z" },
    ];
    const costs = [cost({ campaign: "brand_exact" }), cost({ campaign: "brand_exact", source: "bing" })];
    expect(find(own, { costs })).toMatchObject([
      { calls: 3, cost_micros: 10_000_000n, since: "2025-02-01T00:00:00.000Z" },
    ]);
  });
});
