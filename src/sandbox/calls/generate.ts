import type { Call, ServedField } from "../../calls/columns.ts";
import { deriveSeed, drawIndex, pick, pickWeighted, type Random, seededRandom } from "../random.ts";
import { drawConversation, type SpokenLine } from "./conversation.ts";
import { type DniData, drawDniData, drawToken } from "./dni.ts";
import { SOURCES } from "./sources.ts";
import { DISPOSITIONS, ORG_UNITS, phoneNumberOf } from "./vocabulary.ts";

/** An attributed call as served (API v3 § 2.3). */
type GeneratedCall = {
  [Name in Exclude<ServedField, "caller_id" | "recording_url">]: NonNullable<Call[Name]>;
} & {
  caller_id?: string | null;
  recording_url?: string;
  dni_data: DniData;
  summary?: string | null;
  transcription?: string;
  transcription_details?: readonly SpokenLine[];
};

const FIRST_ID = 731_000_000;
/** Average distance of ids; the actual distance varies, so there are gaps. */
const ID_STEP = 7;

/** With this pool about a quarter of the callers call more than once. */
const CALLERS_PER_CALL = 1.8;
/** Share of repeat calls from the same visit: same source, same click id. */
const SAME_VISIT_SHARE = 0.7;

const LONGEST_SECONDS = 1800;
const SHORTEST_SECONDS = 5;
const RECORDING_LIFE_SECONDS = 7 * 24 * 3600;

/** Makes calls on demand, each a pure function of seed and index, so none is held in memory. */
export class CallGenerator {
  readonly #idSeed: number;
  readonly #callSeed: number;
  readonly #visitSeed: number;
  readonly #callerCount: number;
  readonly #hasOddTexts: boolean;
  readonly #startedMs: (index: number) => number;

  constructor(seed: number, count: number, endMs: number, { oddTexts = false } = {}) {
    this.#hasOddTexts = oddTexts;
    this.#idSeed = deriveSeed(seed, "ids");
    this.#callSeed = deriveSeed(seed, "calls");
    this.#visitSeed = deriveSeed(seed, "visits");
    this.#callerCount = Math.max(1, Math.round(count * CALLERS_PER_CALL));
    this.#startedMs = createTimeline(deriveSeed(seed, "timeline"), count, endMs);
  }

  idAt(index: number): number {
    const gap = (deriveSeed(this.#idSeed, index) >>> 0) % ID_STEP;
    return FIRST_ID + index * ID_STEP + gap;
  }

  indexOf(id: number): number | undefined {
    const index = Math.floor((id - FIRST_ID) / ID_STEP);
    return index >= 0 && this.idAt(index) === id ? index : undefined;
  }

  /** What lists are ordered and filtered by, without making the whole call. */
  facetsAt(index: number): Pick<GeneratedCall, "insight_name" | "org_unit_id" | "disposition"> {
    const { source, orgUnit, disposition } = this.#draft(index);
    return {
      insight_name: source.insightName,
      org_unit_id: orgUnit.id,
      disposition: disposition.spelling,
    };
  }

  /** @param startedMs for calls added later than the seeded ones */
  callAt(index: number, startedMs: number = this.#startedMs(index)): GeneratedCall {
    const { random, visit, caller, source, orgUnit, disposition } = this.#draft(index);
    const id = this.idAt(index);
    const duration = disposition.isAnswered ? drawDuration(random) : 0;
    return {
      insight_name: source.insightName,
      call_id: id,
      ...drawCallerId(random, caller),
      tracking_number: pick(random, orgUnit.trackingNumbers),
      call_started: new Date(startedMs).toISOString(),
      duration,
      disposition: disposition.spelling,
      org_unit_id: orgUnit.id,
      org_unit_name: orgUnit.name,
      ...(disposition.isAnswered && { recording_url: drawRecordingUrl(random, id, startedMs) }),
      dni_data: drawDniData(visit, source, this.#hasOddTexts),
      ...(disposition.isAnswered ? drawTexts(random, duration) : drawMissedSummary(random)),
    };
  }

  /** The random stream of the visit, shared by the calls of one visitor on the same visit. */
  #draft(index: number) {
    const random = seededRandom(deriveSeed(this.#callSeed, index));
    const caller = drawIndex(random, this.#callerCount);
    const isSameVisit = random() < SAME_VISIT_SHARE;
    const visit = isSameVisit ? seededRandom(deriveSeed(this.#visitSeed, caller)) : random;
    const source = pickWeighted(visit, SOURCES);
    const orgUnit = pick(random, ORG_UNITS);
    return { random, visit, caller, source, orgUnit, disposition: pickWeighted(random, DISPOSITIONS) };
  }
}

/** Many short calls, few long ones: the median is about two minutes. */
function drawDuration(random: Random): number {
  return SHORTEST_SECONDS + Math.floor((LONGEST_SECONDS + 1 - SHORTEST_SECONDS) * random() ** 4);
}

/** Some callers withhold their number. */
function drawCallerId(random: Random, caller: number) {
  const share = random();
  if (share < 0.015) return { caller_id: null };
  if (share < 0.03) return {};
  return { caller_id: phoneNumberOf(caller) };
}

function drawRecordingUrl(random: Random, id: number, startedMs: number): string {
  const expires = Math.floor(startedMs / 1000) + RECORDING_LIFE_SECONDS;
  const signature = drawToken(random, 43);
  return `https://recordings.example.com/v3/${id}.mp3?Expires=${expires}&Signature=${signature}&Key-Pair-Id=KEXAMPLE1`;
}

function drawTexts(random: Random, durationSeconds: number) {
  const { summary, lines } = drawConversation(random, durationSeconds);
  return {
    ...(random() < 0.95 && { summary }),
    transcription: lines.map((line) => line.text).join(" "),
    transcription_details: lines,
  };
}

function drawMissedSummary(random: Random) {
  const share = random();
  if (share < 0.15) return { summary: "The caller hung up before anybody answered." };
  if (share < 0.5) return { summary: null };
  if (share < 0.6) return { summary: "" };
  return {};
}

const HOUR_MS = 3_600_000;
const SPAN_HOURS = 90 * 24;

/** Calls by hour of the day, UTC: the business hours of the central United States. */
const HOUR_WEIGHTS = [
  3, 2, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 2, 4, 8, 12, 13, 12, 10, 10, 11, 11, 10, 8, 5,
];

/** Calls by day of the week, Sunday first. */
const DAY_WEIGHTS = [0.25, 1.3, 1.1, 1, 1, 0.9, 0.4];

/** Every so often two calls start in the same millisecond. */
const TIE_EVERY = 97;

/**
 * Spreads calls over the 90 days before `endMs`, mostly in business hours. Returns the start of the call at an index,
 * in milliseconds since 1970-01-01 UTC, which never falls as the index grows.
 */
function createTimeline(seed: number, count: number, endMs: number): (index: number) => number {
  const beginMs = endMs - SPAN_HOURS * HOUR_MS;
  const elapsedWeights = new Float64Array(SPAN_HOURS + 1);
  for (let hour = 0; hour < SPAN_HOURS; hour++) {
    elapsedWeights[hour + 1] = (elapsedWeights[hour] ?? 0) + weightOf(beginMs + hour * HOUR_MS);
  }
  const totalWeight = elapsedWeights[SPAN_HOURS] ?? 0;

  return (index) => {
    const isLast = index === count - 1;
    const isTie = index % TIE_EVERY === TIE_EVERY - 1 && !isLast;
    const ownIndex = isTie ? index - 1 : index;
    const jitter = isLast ? 0 : seededRandom(deriveSeed(seed, ownIndex))();
    const weight = ((ownIndex + 1 - jitter) / count) * totalWeight;
    const hour = lastNotAbove(elapsedWeights, weight);
    const hourBegin = elapsedWeights[hour] ?? 0;
    const hourEnd = elapsedWeights[hour + 1] ?? totalWeight;
    const shareOfHour = hourEnd === hourBegin ? 0 : (weight - hourBegin) / (hourEnd - hourBegin);
    return Math.round(beginMs + (hour + shareOfHour) * HOUR_MS);
  };
}

function weightOf(atMs: number): number {
  const at = new Date(atMs);
  return (HOUR_WEIGHTS[at.getUTCHours()] ?? 0) * (DAY_WEIGHTS[at.getUTCDay()] ?? 0);
}

function lastNotAbove(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
