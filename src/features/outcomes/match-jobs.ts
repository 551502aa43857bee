import { eq, sql } from "drizzle-orm";
import { toInstants } from "../../base/calendar/dates.ts";
import { localTime, zoneOffsets } from "../../base/calendar/local-time.ts";
import { isNorthAmerican, readingsOf, readPhoneNumbers } from "../../calls/phone-numbers.ts";
import { readHomeCode } from "../../warehouse/by-number/home-code.ts";
import { openCallerDigests } from "../../warehouse/calls/caller-hash.ts";
import { callers } from "../../warehouse/calls/callers.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import { forgotten_callers } from "../../warehouse/calls/forgotten-callers.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import type { ImportedJob } from "./jobs-intake.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** By how much the clock of a list and that of the phone system may differ. */
const TOLERANCE_MS = 5 * MINUTE_MS;

interface MatchOptions {
  /** IANA zone of the jobs' days. */
  zone: string;
  /** How long before its job a call may be. */
  withinDays: number;
  /** Digits before numbers that are written without a country code. */
  countryCode?: string | undefined;
}

/** When a job was, the end exclusive; a day, or a moment. */
interface Stretch {
  startMs: number;
  /** ISO 8601 UTC. */
  earliest: string;
  until: string;
  /** The end by a clock that is behind. */
  untilAtMost: string;
}

export interface Match {
  /** Null if the job has no call. */
  call_id: number | null;
  /** The caller in `callers`; null if unknown. */
  caller_id: number | null;
  /** The job's local day, or else that of its call. */
  day: string | null;
  /** Why it has no call. */
  reason?: string;
  /** Whether the job is before the call that it names. */
  isEarly?: true;
}

/** Finds the call of a job: by its id, or the latest live call of the number before the job. */
export class JobMatcher {
  /** How many jobs have a call only because +1 was put before ten digits. */
  assumed = 0;
  readonly #options: MatchOptions;
  readonly #digests;
  readonly #offsetAt;
  readonly #toLocal;
  readonly #readCall;
  readonly #readCaller;
  readonly #readCalls;
  readonly #isAmerican: boolean;
  readonly #forgotten: ReadonlySet<number>;
  readonly #days = new Map<string, Stretch>();

  constructor(warehouse: Warehouse, options: MatchOptions) {
    const { db, sqlite } = warehouse;
    this.#options = options;
    this.#digests = openCallerDigests(warehouse);
    this.#offsetAt = zoneOffsets(options.zone);
    this.#toLocal = localTime(options.zone);
    this.#isAmerican = options.countryCode === undefined && readHomeCode(warehouse) === "1";
    const forgotten = db
      .select({ caller_id: callers.caller_id })
      .from(callers)
      .innerJoin(forgotten_callers, eq(forgotten_callers.pseudonym, callers.caller))
      .all();
    this.#forgotten = new Set(forgotten.map(({ caller_id }) => caller_id));
    this.#readCall = db
      .select({ started: call_facts.call_started, caller_id: call_facts.caller_id })
      .from(call_facts)
      .where(eq(call_facts.call_id, sql.placeholder("call_id")))
      .prepare();
    this.#readCaller = db
      .select({ caller_id: callers.caller_id })
      .from(callers)
      .where(eq(callers.caller, sql.placeholder("name")))
      .prepare();
    // All of them: to have SQLite sort so few rows takes twice the time.
    this.#readCalls = sqlite
      .prepare<[number, string], CallStart>(
        "SELECT call_id, call_started FROM call_facts WHERE caller_id = ? AND is_live AND call_started < ?",
      )
      .raw();
  }

  match(job: ImportedJob): Match {
    const when = this.#stretchOf(job);
    if (job.call_id !== null) return this.#matchCall(job.call_id, when);
    let first: Match | undefined;
    for (const phone of job.phones) {
      const match = this.#matchNumber(phone, when);
      if (match.call_id !== null) return match;
      // That the caller is known says more than that another number is not.
      if (first === undefined || (first.caller_id === null && match.caller_id !== null)) first = match;
    }
    return first ?? { call_id: null, caller_id: null, day: null, reason: NO_NUMBER };
  }

  #matchCall(call_id: number, when: Timed | undefined): Match {
    const none = { call_id: null, caller_id: null, day: when?.day ?? null };
    const call = this.#readCall.get({ call_id });
    if (call === undefined) return { ...none, reason: "no call has this id" };
    const { started, caller_id } = call;
    if (caller_id !== null && this.#forgotten.has(caller_id))
      return { ...none, caller_id, reason: "the call's caller was forgotten" };
    const day = when?.day ?? (started === null ? null : this.#localDay(started));
    if (day === null) return { ...none, caller_id, reason: "neither the job nor its call has a date" };
    // The id is certain, and a clock may be wrong.
    const isEarly = when !== undefined && started !== null && started >= when.untilAtMost;
    return { call_id, caller_id, day, ...(isEarly && { isEarly }) };
  }

  #matchNumber(phone: string, when: Timed | undefined): Match {
    const { names, assumed } = this.#namesOf(phone);
    const none = { call_id: null, caller_id: null, day: when?.day ?? null };
    if (when === undefined || names.length === 0) return { ...none, reason: NO_NUMBER };
    const ids = names.flatMap((name) => this.#readCaller.get({ name })?.caller_id ?? []);
    const latest = ids.flatMap((id) => {
      const call = latestOf(this.#readCalls.all(id, when.untilAtMost), when.until);
      return call === undefined ? [] : [{ id, call }];
    });
    const [first, other] = latest.filter(({ call: [, started] }) => started >= when.earliest);
    if (other !== undefined) return { ...none, reason: "the number fits the calls of several callers" };
    if (first !== undefined) {
      if (assumed.some((name) => this.#readCaller.get({ name })?.caller_id === first.id)) this.assumed++;
      return { call_id: first.call[0], caller_id: first.id, day: when.day };
    }
    const caller_id = ids[0] ?? null;
    if (latest.length > 0)
      return {
        ...none,
        caller_id,
        reason: `the last call before it is more than ${this.#options.withinDays} days older`,
      };
    if (caller_id !== null) return { ...none, caller_id, reason: "the caller has no call before it" };
    const isOpen = this.#options.countryCode === undefined && !readPhoneNumbers(phone)[0]?.prefix;
    return {
      ...none,
      caller_id,
      reason: isOpen ? "no call has this number, which has no country code" : "no call has this number",
    };
  }

  /** Returns how the facts name the callers that a text may name, and which of these names have an assumed +1. */
  #namesOf(text: string): { names: string[]; assumed: string[] } {
    const { countryCode } = this.#options;
    const assumed: string[] = [];
    const numbers = readPhoneNumbers(text).flatMap((phone) => {
      if (!this.#isAmerican || !isNorthAmerican(phone)) return readingsOf(phone, countryCode);
      const readings = readingsOf(phone, "1");
      assumed.push(...readings.filter((number) => number !== phone.number));
      return readings;
    });
    const nameOf = (number: string) => this.#digests?.hash(number) ?? number;
    return { names: [...new Set(numbers)].map(nameOf), assumed: assumed.map(nameOf) };
  }

  #stretchOf({ day, time }: ImportedJob): Timed | undefined {
    if (day === null) return undefined;
    const ofDay = this.#dayOf(day);
    if (time === undefined) return { day, ...ofDay };
    const local = ofDay.startMs + time.ms;
    const ms =
      time.offsetMinutes === undefined
        ? local + this.#offsetAt(ofDay.startMs).offsetMs - this.#offsetAt(local).offsetMs
        : Date.parse(`${day}T00:00:00Z`) + time.ms - time.offsetMinutes * MINUTE_MS;
    const localDay = time.offsetMinutes === undefined ? day : this.#localDay(new Date(ms).toISOString());
    // A call may start in the second or minute of its job.
    return { day: localDay, ...this.#stretch(ms, ms + time.lengthMs) };
  }

  #stretch(startMs: number, endMs: number): Stretch {
    return {
      startMs,
      earliest: new Date(startMs - this.#options.withinDays * DAY_MS).toISOString(),
      until: new Date(endMs).toISOString(),
      untilAtMost: new Date(endMs + TOLERANCE_MS).toISOString(),
    };
  }

  #localDay(utc: string): string {
    return this.#toLocal(utc).local.slice(0, "YYYY-MM-DD".length);
  }

  #dayOf(day: string): Stretch {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const { startsAt = "", endsAt = "" } = toInstants({ from: day, to: day }, this.#options.zone);
    const endMs = Date.parse(endsAt);
    // A day's end is nobody's clock.
    const stretch = { ...this.#stretch(Date.parse(startsAt), endMs), untilAtMost: endsAt };
    this.#days.set(day, stretch);
    return stretch;
  }
}

const NO_NUMBER = "not a phone number, or a hidden one";

type Timed = Stretch & { day: string };
type CallStart = [call_id: number, started: string];

/** Returns the last call before the end, or else the first behind it: two clocks may differ. */
function latestOf(calls: readonly CallStart[], until: string): CallStart | undefined {
  let before: CallStart | undefined;
  let after: CallStart | undefined;
  for (const call of calls) {
    const [id, started] = call;
    if (started < until) {
      if (before === undefined || started > before[1] || (started === before[1] && id > before[0]))
        before = call;
    } else if (after === undefined || started < after[1] || (started === after[1] && id < after[0]))
      after = call;
  }
  return before ?? after;
}
