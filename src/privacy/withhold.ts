import { parseJson, stringifyJson } from "../api/parse-json.ts";
import { parseTime } from "../api/parse-row.ts";
import { isObject } from "../api/plain-call.ts";
import type { Call } from "../call.ts";
import { KEEP_KINDS, type KeepKind } from "./keep.ts";
import { isPseudonym } from "./pseudonym.ts";

type Member = "transcription" | "transcription_details" | "summary" | "caller_id" | "recording_url";

/** The documented members of each kind (API v3 § 2.3). */
const MEMBERS: Readonly<Record<KeepKind, readonly Member[]>> = {
  transcripts: ["transcription", "transcription_details"],
  summaries: ["summary"],
  caller_numbers: ["caller_id"],
  recording_urls: ["recording_url"],
};

/** What members are called that the API's document does not name and that most likely hold the same. */
const NAMES: Readonly<Record<KeepKind, RegExp>> = {
  transcripts: /transcri/i,
  summaries: /summar/i,
  caller_numbers: /caller|phone|(^|_)(ani|from)(_|$)/i,
  recording_urls: /recording/i,
};

/** Digits at the end of a number by which it is found, whatever stands before and between them. */
const TAIL_DIGITS = 7;
/** Characters of a piece of a text by which that is recognized. */
const PIECE_LENGTH = 20;

/** A call, or its members that are stored, without what may not be kept. */
export interface Kept<C> {
  call: C;
  /** The kinds of which it had something that was taken out, in their order. */
  withheld: KeepKind[];
}

type Personal = Pick<Call, Member | "extra">;

/** Takes out of a call what may not be kept of it, wherever it has that. A pseudonym is no number. */
export function withhold<C extends Personal>(call: C, past: readonly KeepKind[]): Kept<C> {
  const kinds = isPseudonym(call.caller_id) ? past.filter((kind) => kind !== "caller_numbers") : past;
  if (kinds.length === 0) return { call, withheld: [] };
  const found = new Set<KeepKind>();
  const rest = { ...call };
  for (const kind of kinds) {
    for (const member of MEMBERS[kind]) {
      if (rest[member] === null) continue;
      rest[member] = null;
      found.add(kind);
    }
  }
  if (call.extra !== null) {
    const finder = toFinder(kinds, (member) => call[member]);
    const extra = strip(parseJson(call.extra), finder);
    for (const kind of finder.found) found.add(kind);
    if (finder.found.size > 0) rest.extra = isEmpty(extra) ? null : stringifyJson(extra);
  }
  return found.size === 0
    ? { call, withheld: [] }
    : { call: rest, withheld: KEEP_KINDS.filter((kind) => found.has(kind)) };
}

/** Takes out of the JSON of a row that does not parse what may not be kept of it. Of what is no object nobody knows what it holds. */
export function withholdFromRow(json: string, kinds: readonly KeepKind[]): string {
  if (kinds.length === 0) return json;
  const row = parseJson(json);
  if (!isObject(row)) return "null";
  const finder = toFinder(kinds, (member) => {
    const value = row[member];
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  });
  const rest = strip(row, finder);
  return finder.found.size === 0 ? json : stringifyJson(rest);
}

/** Returns when the call of such a row began, ISO 8601 UTC; null where it does not say so as documented. */
export function startOfRow(json: string): string | null {
  const row = parseJson(json);
  return (isObject(row) ? parseTime(row.call_started) : null) ?? null;
}

/** Says of members and values whether they are to be taken out, and notes of what kind those were. */
interface Finder {
  found: Set<KeepKind>;
  isPersonalName: (name: string, value: unknown) => boolean;
  isPersonalText: (text: string) => boolean;
}

function toFinder(kinds: readonly KeepKind[], read: (member: Member) => string | null): Finder {
  const found = new Set<KeepKind>();
  const values = kinds.map((kind) => ({
    kind,
    texts: MEMBERS[kind].flatMap((member) => read(member) ?? []),
  }));
  const number = values.find(({ kind }) => kind === "caller_numbers")?.texts[0]?.replace(/\D/g, "") ?? "";
  const tail = number.slice(-TAIL_DIGITS);
  const kindOfText = (text: string): KeepKind | undefined => {
    if (tail.length === TAIL_DIGITS && text.replace(/\D/g, "").includes(tail)) return "caller_numbers";
    return values.find(
      ({ kind, texts }) =>
        kind !== "caller_numbers" && texts.some((whole) => isPartOf(text, withoutQuery(whole, kind))),
    )?.kind;
  };
  const note = (kind: KeepKind | undefined): boolean => {
    if (kind !== undefined) found.add(kind);
    return kind !== undefined;
  };
  return {
    found,
    isPersonalName: (name, value) =>
      note(kindOfText(name) ?? (isMissing(value) ? undefined : kinds.find((kind) => NAMES[kind].test(name)))),
    isPersonalText: (text) => note(kindOfText(text)),
  };
}

/** A link is signed anew in each response. */
function withoutQuery(text: string, kind: KeepKind): string {
  return kind === "recording_urls" ? text.replace(/[?#].*/s, "") : text;
}

function isPartOf(text: string, whole: string): boolean {
  if (whole.length > 0 && text.includes(whole)) return true;
  return text.length >= PIECE_LENGTH && whole.includes(text);
}

/** Returns a JSON value without what a finder finds in it: undefined where nothing is left. */
function strip(value: unknown, finder: Finder): unknown {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return finder.isPersonalText(String(value)) ? undefined : value;
  }
  if (Array.isArray(value)) {
    return value.flatMap((element) => {
      const rest = strip(element, finder);
      return rest === undefined ? [] : [rest];
    });
  }
  if (!isObject(value)) return value;
  // fromEntries defines members rather than assigning them, so that even `__proto__` is one.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const rest = finder.isPersonalName(name, member) ? undefined : strip(member, finder);
      return rest === undefined ? [] : [[name, rest]];
    }),
  );
}

const isMissing = (value: unknown) => value === null || value === "";

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
