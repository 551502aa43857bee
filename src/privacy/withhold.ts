import { parseJson, stringifyJson } from "../api/parse-json.ts";
import { isObject, parseTime } from "../api/parse-row.ts";
import type { Call } from "../call.ts";
import { type KeepKind, WITHHELD_KINDS, type WithheldKind } from "./keep-settings.ts";
import { isPseudonym } from "./pseudonym.ts";
import { describeExtra, describeLines, describeRow } from "./undocumented.ts";

type Member = "transcription" | "transcription_details" | "summary" | "caller_id" | "recording_url";

/** The documented members of each kind (API v3 § 2.3). */
const MEMBERS: Readonly<Record<KeepKind, readonly Member[]>> = {
  transcripts: ["transcription", "transcription_details"],
  summaries: ["summary"],
  caller_numbers: ["caller_id"],
  recording_urls: ["recording_url"],
};

/** A call, or its stored members, without what may not be kept. */
export interface Kept<C> {
  call: C;
  /** The kinds that were removed, in their order. */
  withheld: WithheldKind[];
}

type Personal = Pick<Call, Member | "extra">;

/** Removes from a call what may not be kept. A pseudonym does not count as a number. */
export function withhold<C extends Personal>(call: C, past: readonly WithheldKind[]): Kept<C> {
  const found = new Set<WithheldKind>();
  const rest: C = { ...call };
  const replace = (kind: WithheldKind, member: keyof Personal, value: string | null) => {
    if (rest[member] === value) return;
    Object.assign(rest, { [member]: value });
    found.add(kind);
  };
  for (const kind of past) {
    if (kind === "extra" || (kind === "caller_numbers" && isPseudonym(call.caller_id))) continue;
    for (const member of MEMBERS[kind]) replace(kind, member, null);
  }
  if (past.includes("extra")) {
    const { extra, transcription_details: details } = rest;
    replace("extra", "extra", extra && describeExtra(extra));
    replace("extra", "transcription_details", details && describeLines(details));
  }
  return found.size === 0
    ? { call, withheld: [] }
    : { call: rest, withheld: WITHHELD_KINDS.filter((kind) => found.has(kind)) };
}

/** Does this for the JSON of a row that could not be parsed. */
export function withholdFromRow(json: string, kinds: readonly WithheldKind[]): string {
  if (kinds.length === 0) return json;
  const row = parseJson(json);
  const described = kinds.includes("extra") ? describeRow(row) : row;
  if (!isObject(described)) return stringifyJson(described);
  const taken = new Set<string>(kinds.flatMap((kind) => (kind === "extra" ? [] : MEMBERS[kind])));
  return stringifyJson(Object.fromEntries(Object.entries(described).filter(([name]) => !taken.has(name))));
}

/** Returns the start of the call in such a row, ISO 8601 UTC; null if it is not given as documented. */
export function startOfRow(json: string): string | null {
  const row = parseJson(json);
  return (isObject(row) ? parseTime(row.call_started) : null) ?? null;
}
