import type { DateRange } from "../../base/calendar/dates.ts";
import { toCaseless } from "../../calls/attribution/call-text.ts";
import type { LeftOut } from "../../intake/open-table.ts";
import type { HeldCall, HeldCalls } from "./held-calls.ts";
import type { ListedCall, ListedStart } from "./listed-call.ts";
import { Shifts } from "./shifts.ts";
import { around, type ClockSpan, type Clocks, clockText, type DecidedBy, isIn, SpanFinder } from "./span.ts";

/** Where a list and the copy disagree, and why. Only `isExpected` says that the copy is not meant to agree. */
export const REASONS = {
  not_in_copy: { side: "only in the list", text: "not in the copy" },
  too_new: { side: "only in the list", text: "began after the copy was last read" },
  gone: { side: "only in the list", text: "marked as gone in the copy: the service's list no longer had it" },
  rejected: { side: "only in the list", text: "rejected: its row could not be read" },
  other_account: { side: "only in the list", text: "in the copy of another account", isExpected: true },
  other_unit: { side: "only in the list", text: "of another organization unit", isExpected: true },
  not_in_list: { side: "only here", text: "not in the list" },
  missing: { side: "only here", text: "not in the list, nor in the service's list since the last full pass" },
  unlisted: { side: "only here", text: "older than any call that the service still lists" },
  unit_not_in_list: {
    side: "only here",
    text: "of an organization unit that the list does not have",
    isExpected: true,
  },
  start: { side: "differs", text: "another start" },
  duration: { side: "differs", text: "another duration" },
  unreadable: { side: "unread", text: "a line that cannot be read" },
} as const satisfies Record<string, { side: string; text: string; isExpected?: true }>;
export type Reason = keyof typeof REASONS;

/** A call, or a line, on which the list and the copy do not agree. */
export interface Difference {
  reason: Reason;
  /** What follows the reason. */
  detail: string | undefined;
  call_id: number | null;
  /** As clocks show it: in the list, or else here. */
  started: string | null;
  account: string | undefined;
  line: number | null;
}

export interface Reconciled {
  /** Different calls of the list within the compared time. */
  listed: number;
  /** How many of them are in the copy. */
  both: number;
  /** Lines that have a call again. */
  repeated: number;
  /** Calls of the list outside of the days that were asked for. */
  outside: number;
  span: (ClockSpan & { by: DecidedBy }) | undefined;
  shift: ReturnType<Shifts["find"]>;
  differences: readonly Difference[];
}

interface Options {
  range: DateRange;
  clocks: Clocks;
  /** Opens the copies of accounts that are not compared, which may have calls of the list. */
  openOthers: () => readonly HeldCalls[];
}

const MINUTE_MS = 60_000;
/** A spreadsheet keeps 15 digits, and writes zeros for the others. */
const LEAST_ROUNDED = 1e15;
/** So many ids that end in zero are no chance. */
const MIN_ROUNDED = 3;

type Held = { call: HeldCall; by: HeldCalls };

/** Compares a list of calls, line by line, with the copies of some accounts. */
export class Reconciliation {
  readonly #copies: readonly HeldCalls[];
  readonly #options: Options;
  readonly #span: SpanFinder;
  readonly #shifts = new Shifts();
  readonly #seen = new Set<number>();
  readonly #units = new Set<string>();
  readonly #differences: Difference[] = [];
  #counts = { listed: 0, both: 0, repeated: 0, outside: 0 };
  /** Counts long ids that end in zero and are not here; negative once another long id shows that none is rounded. */
  #rounded = 0;

  constructor(copies: readonly HeldCalls[], options: Options) {
    this.#copies = copies;
    this.#options = options;
    this.#span = new SpanFinder(options.range);
  }

  /** Sees the next call of the list. */
  see(call: ListedCall): void {
    const { clocks } = this.#options;
    const clock = call.start && clocks.ofStart(call.start);
    const held = this.#find(this.#copies, call, clock);
    const heldClock = this.#clockOf(held?.call);
    this.#countRounded(call.call_id, held !== undefined);
    const isAgain = this.#seen.has(call.call_id);
    this.#seen.add(call.call_id);
    if (isAgain) this.#counts.repeated++;
    const known = [clock, heldClock].filter((each) => each !== undefined);
    if (known.length > 0 && !known.some((each) => this.#span.isAsked(each))) {
      this.#counts.outside++;
      return;
    }
    for (const unit of unitsOf(call)) this.#units.add(unit);
    if (!isAgain) this.#counts.listed++;
    if (held === undefined || held.call.gone_at !== null) {
      if (!isAgain) this.#add(this.#whyMissing(call, held, clock), call, clock);
    } else {
      if (!isAgain) this.#counts.both++;
      if (heldClock !== undefined) this.#span.add(heldClock);
      this.#compare(call, held, clock);
    }
    for (const detail of call.unread) this.#add({ reason: "unreadable", detail }, call, clock);
  }

  /** Whether a spreadsheet seems to have rounded the ids. */
  get isRounded(): boolean {
    return this.#rounded >= MIN_ROUNDED;
  }

  #countRounded(callId: number, isHeld: boolean): void {
    if (Math.abs(callId) < LEAST_ROUNDED) return;
    if (isHeld || callId % 10 !== 0) this.#rounded = Number.NEGATIVE_INFINITY;
    else this.#rounded++;
  }

  leave({ line, reason }: LeftOut): void {
    this.#differences.push({
      ...{ reason: "unreadable", detail: reason },
      ...{ call_id: null, started: null, account: undefined, line },
    });
  }

  /** Finds the calls that the list does not have, once it was seen as a whole. */
  finish(): Reconciled {
    const span = this.#span.decide();
    if (span !== undefined) for (const copy of this.#copies) this.#findUnlisted(copy, span);
    return { ...this.#counts, span, shift: this.#shifts.find(), differences: this.#differences };
  }

  /** Two accounts may have calls of one id: the one with the start of the list is meant. */
  #find(copies: readonly HeldCalls[], listed: ListedCall, clock: number | undefined): Held | undefined {
    let first: Held | undefined;
    for (const by of copies) {
      const call = by.find(listed.call_id);
      if (call === undefined) continue;
      if (this.#hasStart(call, listed, clock)) return { call, by };
      first ??= { call, by };
    }
    return first;
  }

  /** Whether a call may be that of the list, by its start: an id may be of two calls in two accounts. */
  #hasStart(call: HeldCall, { start }: ListedCall, clock: number | undefined): boolean {
    const heldClock = this.#clockOf(call);
    if (start === undefined || clock === undefined || heldClock === undefined) return true;
    return isSameStart(clock, start, heldClock);
  }

  #clockOf(call: HeldCall | undefined): number | undefined {
    return call?.call_started == null ? undefined : this.#options.clocks.at(Date.parse(call.call_started));
  }

  #whyMissing(
    call: ListedCall,
    held: Held | undefined,
    clock: number | undefined,
  ): Pick<Difference, "reason" | "detail" | "account"> {
    const nowhere = { detail: undefined, account: undefined };
    if (held !== undefined)
      return { reason: "gone", detail: `since ${held.call.gone_at}`, account: held.by.account };
    const rejecting = this.#copies.find((copy) => copy.isRejected(call.call_id));
    if (rejecting !== undefined) return { reason: "rejected", detail: undefined, account: rejecting.account };
    const other = this.#find(this.#options.openOthers(), call, clock);
    if (other !== undefined && this.#hasStart(other.call, call, clock))
      return { ...nowhere, reason: "other_account", account: other.by.account };
    if (this.#copies.every(({ orgUnitId }) => isOtherUnit(call.org_unit_id, orgUnitId)))
      return { ...nowhere, reason: "other_unit" };
    const { clocks } = this.#options;
    const isNew =
      clock !== undefined && this.#copies.every(({ readAt }) => clock >= clocks.at(Date.parse(readAt)));
    return { ...nowhere, reason: isNew ? "too_new" : "not_in_copy" };
  }

  #compare(
    { start, length, ...call }: ListedCall,
    { call: held, by }: Held,
    clock: number | undefined,
  ): void {
    const { account } = by;
    const heldClock = this.#clockOf(held);
    if (start !== undefined && clock !== undefined && heldClock !== undefined) {
      const utc = Date.parse(held.call_started ?? "");
      this.#shifts.add(clock, heldClock, !start.isUtc && isSameStart(clock, start, utc));
      if (!isSameStart(clock, start, heldClock))
        this.#add({ reason: "start", detail: `${clockText(heldClock)} here`, account }, call, clock);
    }
    if (length === undefined || held.duration === null) return;
    const toSeconds = by.durationUnit === "seconds" ? 1 : 1 / 1000;
    const isRaw = length.unit === "as served";
    const [listed, here] = [length.value * (isRaw ? toSeconds : 1), held.duration * toSeconds];
    // A list in seconds may have rounded milliseconds.
    const isSame = isRaw ? length.value === held.duration : Math.abs(listed - here) < 1;
    if (!isSame)
      this.#add({ reason: "duration", detail: `${listed} s, ${here} s here`, account }, call, clock);
  }

  #findUnlisted(copy: HeldCalls, span: ClockSpan): void {
    for (const call of copy.between(...around(span))) {
      const clock = this.#clockOf(call);
      if (clock === undefined || !isIn(span, clock) || this.#seen.has(call.call_id)) continue;
      const { account } = copy;
      this.#add({ ...this.#whyUnlisted(call), account }, { call_id: call.call_id, line: null }, clock);
    }
  }

  #whyUnlisted(call: HeldCall): Pick<Difference, "reason" | "detail"> {
    const isUnitListed = unitsOf(call).some((unit) => this.#units.has(unit));
    if (this.#units.size > 0 && !isUnitListed) return { reason: "unit_not_in_list", detail: undefined };
    if (call.missing_since !== null) return { reason: "missing", detail: `since ${call.missing_since}` };
    if (call.unlisted_since !== null) return { reason: "unlisted", detail: `since ${call.unlisted_since}` };
    return { reason: "not_in_list", detail: undefined };
  }

  #add(
    { reason, detail, account }: Pick<Difference, "reason" | "detail"> & { account?: string | undefined },
    { call_id, line }: Pick<Difference, "call_id" | "line">,
    clock: number | undefined,
  ): void {
    const started = clock === undefined ? null : clockText(clock);
    this.#differences.push({ reason, detail, call_id, started, account, line });
  }
}

/** Lists cut or round what the service has to the millisecond; nobody rounds to days. */
function isSameStart(clock: number, { lengthMs }: ListedStart, heldClock: number): boolean {
  const roundedMs = lengthMs > MINUTE_MS ? 0 : lengthMs / 2;
  return heldClock < clock + lengthMs && heldClock >= clock - roundedMs;
}

/** The API does not document the unit of requests: only numbers can be compared. */
function isOtherUnit(listed: string | null, asked: string | null): boolean {
  return /^\d+$/.test(asked ?? "") && /^\d+$/.test(listed ?? "") && Number(listed) !== Number(asked);
}

function unitsOf(call: { org_unit_id: string | number | null; org_unit_name: string | null }): string[] {
  return [
    ...(call.org_unit_id === null ? [] : [`id ${Number(call.org_unit_id)}`]),
    ...(call.org_unit_name === null ? [] : [`name ${toCaseless(call.org_unit_name)}`]),
  ];
}
