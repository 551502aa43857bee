import { toInstants } from "../../calendar/dates.ts";
import { localTime, zoneOffsets } from "../../calendar/local-time.ts";
import { isNorthAmerican, readingsOf, readPhoneNumbers } from "../../call/phone-numbers.ts";
import { openCallerDigests } from "../../warehouse/calls/caller-hash.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import type { Job } from "./read-jobs.ts";

const DAY_MS = 86_400_000;

interface MatchOptions {
  /** IANA zone of the jobs' days. */
  zone: string;
  /** How long before its job a call may be. */
  withinDays: number;
  /** Digits before numbers that are written without a country code. */
  countryCode?: string | undefined;
}

/** When a job was: ISO 8601 UTC, the end exclusive; a day, or a moment. */
interface Stretch {
  earliest: string;
  until: string;
}

/** Finds the call of a job: by its id, or the latest live call of the number before the job. */
export class JobMatcher {
  readonly #options: MatchOptions;
  readonly #digests;
  readonly #offsetAt;
  readonly #toLocal;
  readonly #readCall;
  readonly #readCallerId;
  readonly #readCalls;
  readonly #forgotten: ReadonlySet<number>;
  /** Whether all callers are of North America, so that ten digits are a number from there. */
  readonly #isAmerican: boolean;
  readonly #days = new Map<string, Stretch & { startMs: number }>();
  /** How many numbers without a country code were read as numbers of North America. */
  completed = 0;

  constructor(warehouse: Warehouse, options: MatchOptions) {
    const { sqlite } = warehouse;
    this.#options = options;
    this.#digests = openCallerDigests(warehouse);
    this.#isAmerican = areAmerican(warehouse);
    this.#offsetAt = zoneOffsets(options.zone);
    this.#toLocal = localTime(options.zone);
    this.#forgotten = new Set(
      sqlite
        .prepare<[], number>("SELECT caller_id FROM callers JOIN forgotten_callers ON caller = pseudonym")
        .pluck()
        .all(),
    );
    this.#readCall = sqlite
      .prepare<[number], [started: string | null, caller_id: number | null]>(
        "SELECT call_started, caller_id FROM call_facts WHERE call_id = ?",
      )
      .raw();
    this.#readCallerId = sqlite
      .prepare<[string], number>("SELECT caller_id FROM callers WHERE caller = ?")
      .pluck();
    // All of them: to have SQLite sort so few rows takes twice the time.
    this.#readCalls = sqlite
      .prepare<[number, string], CallStart>(
        "SELECT call_id, call_started FROM call_facts WHERE caller_id = ? AND is_live AND call_started < ?",
      )
      .raw();
  }

  /** Returns the call and the job's local day, or why there is none. */
  match(job: Job): { call_id: number; day: string } | string {
    return job.call_id === null ? this.#matchNumber(job) : this.#matchCall(job, job.call_id);
  }

  /** Returns the local day of a job; null for none. */
  dayOf(job: Job): string | null {
    return this.#stretchOf(job)?.day ?? null;
  }

  #matchCall(job: Job, call_id: number): ReturnType<JobMatcher["match"]> {
    const found = this.#readCall.get(call_id);
    if (found === undefined) return "no call has this id";
    const [started, callerId] = found;
    if (callerId !== null && this.#forgotten.has(callerId)) return "the call's caller was forgotten";
    const when = this.#stretchOf(job);
    if (when && started !== null && started >= when.until) return "the job is before its call";
    const day = when?.day ?? (started === null ? undefined : this.#localDay(started));
    return day === undefined ? "neither the job nor its call has a date" : { call_id, day };
  }

  #matchNumber(job: Job): ReturnType<JobMatcher["match"]> {
    const when = this.#stretchOf(job);
    const names = this.#namesOf(job.phone);
    if (when === undefined || names.length === 0) return "not a phone number, or a hidden one";
    const ids = names.flatMap((name) => this.#readCallerId.get(name) ?? []);
    const latest = ids.flatMap((id) => {
      const [last, ...others] = this.#readCalls.all(id, when.until);
      return last === undefined ? [] : [others.reduce(laterOf, last)];
    });
    const [first, other] = latest.filter(([, started]) => started >= when.earliest);
    if (other !== undefined) return "the number fits the calls of several callers";
    if (first !== undefined) return { call_id: first[0], day: when.day };
    if (latest.length > 0)
      return `the last call before it is more than ${this.#options.withinDays} days older`;
    if (ids.length > 0) return "the caller has no call before it";
    const isOpen = this.#options.countryCode === undefined && !readPhoneNumbers(job.phone)[0]?.prefix;
    return isOpen ? "no call has this number, which has no country code" : "no call has this number";
  }

  /** Returns how the facts name the callers that the numbers of a text may be. */
  #namesOf(text: string): string[] {
    const { countryCode } = this.#options;
    const numbers = readPhoneNumbers(text).flatMap((phone) => {
      const isOfHome = countryCode === undefined && this.#isAmerican && isNorthAmerican(phone);
      if (isOfHome) this.completed++;
      return readingsOf(phone, isOfHome ? "1" : countryCode);
    });
    return [...new Set(numbers)].map((each) => this.#digests?.hash(each) ?? each);
  }

  #stretchOf({ day, time }: Job): (Stretch & { day: string }) | undefined {
    if (day === null) return undefined;
    const { startMs, ...ofDay } = this.#dayOf(day);
    if (time === undefined) return { day, ...ofDay };
    const local = startMs + time.ms;
    const ms =
      time.offset === undefined
        ? local + this.#offsetAt(startMs).offsetMs - this.#offsetAt(local).offsetMs
        : Date.parse(`${day}T00:00:00${toOffset(time.offset)}`) + time.ms;
    const own = time.offset === undefined ? day : this.#localDay(new Date(ms).toISOString());
    // A call may start in the second of its job.
    return { day: own, ...this.#stretch(ms, ms + 1000) };
  }

  #stretch(startMs: number, endMs: number): Stretch {
    const earliest = new Date(startMs - this.#options.withinDays * DAY_MS).toISOString();
    return { earliest, until: new Date(endMs).toISOString() };
  }

  #localDay(utc: string): string {
    return this.#toLocal(utc).local.slice(0, "YYYY-MM-DD".length);
  }

  #dayOf(day: string): Stretch & { startMs: number } {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { startsAt = "", endsAt = "" } = toInstants({ from: day, to: day }, this.#options.zone);
    const startMs = Date.parse(startsAt);
    const found = { startMs, ...this.#stretch(startMs, Date.parse(endsAt)) };
    this.#days.set(day, found);
    return found;
  }
}

/** Whether there are callers, and all are numbers with the country code 1. */
function areAmerican({ sqlite }: Warehouse): boolean {
  const count = (where: string) =>
    sqlite.prepare<[], number>(`SELECT count(*) FROM callers WHERE ${where}`).pluck().get() ?? 0;
  return (
    count("caller GLOB '+1[2-9]?????????'") > 0 &&
    count("caller NOT GLOB '+1[2-9]?????????' AND caller NOT GLOB 'forgotten*'") === 0
  );
}

type CallStart = [call_id: number, started: string];

/** Of two at one moment, that of the higher id. */
function laterOf(one: CallStart, other: CallStart): CallStart {
  const [[id, started], [otherId, otherStarted]] = [one, other];
  const isLater = otherStarted > started || (otherStarted === started && otherId > id);
  return isLater ? other : one;
}

/** +0200 → +02:00 */
function toOffset(text: string): string {
  return text.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase();
}
