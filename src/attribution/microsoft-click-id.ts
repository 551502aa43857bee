import { presentId } from "./call-text.ts";

/** The parameter that Microsoft Advertising adds to the landing page's address. */
const NAME = "msclkid";
const PARAMETER = new RegExp(`[?&]${NAME}=([^&#]*)`, "i");

/**
 * Returns the click id as served; null for none. The API has no member for it: it may be in the query of
 * `referring_url`, or a member `msclkid` at any depth of `extra`, a JSON object.
 */
export function microsoftClickId(referringUrl: string | null, extra: string | null): string | null {
  const parameter = PARAMETER.exec(referringUrl ?? "")?.[1];
  return presentId(parameter ?? null) ?? (extra?.includes(NAME) ? findMember(JSON.parse(extra)) : null);
}

function findMember(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const found = name === NAME && typeof member === "string" ? presentId(member) : findMember(member);
    if (found !== null) return found;
  }
  return null;
}
