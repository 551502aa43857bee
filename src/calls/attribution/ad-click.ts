import type { Call } from "../columns.ts";
import { presentId } from "./call-text.ts";

/** What ad platforms add to the landing page's address, in this order: Google may add several for one click. */
const CLICK_IDS = ["gclid", "gbraid", "wbraid", "msclkid"] as const;
export type ClickId = (typeof CLICK_IDS)[number];

export interface AdClick {
  /** `other`: Search Ads 360 issued the gclid for another platform's ad. */
  platform: "google" | "microsoft" | "other";
  by: ClickId;
  /** As served: ids are case-sensitive. */
  id: string;
  gclsrc: string | null;
}

/** The members of a call that may hold click ids. */
export type ClickMembers = Pick<Call, "gclid" | "gclsrc" | "referring_url" | "extra">;

type Find = (name: string) => string | null;

/**
 * Returns the click on an ad that led to a call; null for none. An id is looked for in `dni_data`, which has members for
 * `gclid` and `gclsrc` alone, then in undocumented members at any depth, then in the query of `referring_url`.
 */
export function findAdClick({ gclid, gclsrc, referring_url, extra }: ClickMembers): AdClick | null {
  const places: Find[] = [
    (name) => presentId(name === "gclid" ? gclid : name === "gclsrc" ? gclsrc : null),
    ...(extra !== null && MEMBER.test(extra) ? [memberFinder(JSON.parse(extra))] : []),
    ...(referring_url !== null && PARAMETER.test(referring_url) ? [parameterFinder(referring_url)] : []),
  ];
  // Another click's gclsrc says nothing of this one.
  const sourceOf = (by: ClickId, id: string) => {
    const ofClick = places.filter((find) => (find(by) ?? id) === id);
    return firstOf(ofClick, "gclsrc")?.toLowerCase() ?? null;
  };
  const clicks = CLICK_IDS.flatMap((by): AdClick[] => {
    const id = firstOf(places, by);
    if (id === null) return [];
    const gclsrc = sourceOf(by, id);
    return [{ platform: platformOf(by, gclsrc), by, id, gclsrc }];
  });
  return clicks.find(({ platform }) => platform !== "other") ?? clicks[0] ?? null;
}

function platformOf(by: ClickId, gclsrc: string | null): AdClick["platform"] {
  if (by === "msclkid") return "microsoft";
  return by === "gclid" && gclsrc === "3p.ds" ? "other" : "google";
}

function firstOf(places: readonly Find[], name: string): string | null {
  for (const find of places) {
    const value = find(name);
    if (value !== null) return value;
  }
  return null;
}

/** Most calls have neither, and looking closely takes time. */
const NAMES = [...CLICK_IDS, "gclsrc"].join("|");
const MEMBER = new RegExp(`"(?:${NAMES})"`, "i");
const PARAMETER = new RegExp(`[?&](${NAMES})=([^&#]*)`, "i");

/** Names differ in case from service to service. */
function memberFinder(extra: unknown): Find {
  const find = (value: unknown, wanted: string): string | null => {
    if (typeof value !== "object" || value === null) return null;
    for (const [name, member] of Object.entries(value)) {
      const isWanted = name.toLowerCase() === wanted && typeof member === "string";
      const text = isWanted ? presentId(member) : find(member, wanted);
      if (text !== null) return text;
    }
    return null;
  };
  return (name) => find(extra, name);
}

function parameterFinder(url: string): Find {
  const [query = ""] = url.split("#", 1);
  const parameters = [...query.matchAll(new RegExp(PARAMETER, "gi"))];
  return (wanted) => {
    for (const [, name = "", value = ""] of parameters) {
      const id = name.toLowerCase() === wanted ? presentId(value) : null;
      if (id !== null) return id;
    }
    return null;
  };
}
