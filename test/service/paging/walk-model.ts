import type { Sort } from "../../../src/service/paging/order-key.ts";
import { isSure, type Verdict } from "../../../src/service/paging/verdict.ts";

/*
 * A specification of the full pass (`walk` and `judge` in `src/paging`) that can be executed. What a pass knows is a
 * `State`; each response makes the next one (`accept`, `lookBehind`, `lookAtFront`); `walkModel` says which request follows,
 * and `judgeModel` what the pass promises. All but `walkModel` are pure functions of the pages read so far.
 *
 * It is about services that respond honestly: they number their pages and count their calls correctly, every row can be
 * read, and all calls have one source. What only longer lists reach is left out: the calls that a chain forgets, gaps,
 * endless lists, and the missing-call threshold. Ties that take more than three steps back are here, but no short list
 * has them.
 */

export interface Call {
  id: number;
  start: number;
}

export interface Page {
  offset: number;
  total: number;
  calls: readonly Call[];
}

export interface Options {
  limit: number;
  overlap: number;
  concurrency: number;
}

/** An order by a key: at most 0 if the first call may precede the second. */
type Key = (a: Call, b: Call) => number;

const KEYS: readonly Key[] = [
  (a, b) => b.id - a.id,
  (a, b) => a.id - b.id,
  (a, b) => b.start - a.start,
  (a, b) => a.start - b.start,
];

/** How a page joins the front: by calls of two places in the order of a key, or by any call. */
interface Held {
  keys: readonly Key[];
  isLinked: boolean;
}
const BY_BEING_FIRST: Held = { keys: KEYS, isLinked: true };
const BY_NOTHING: Held = { keys: [], isLinked: false };

interface Entry {
  page: Page;
  held: Held;
}

type End = "short page" | "nothing behind" | "disputed" | "repeated" | "moving";

/** What a pass knows. */
interface State {
  /** All pages in the order in which they were read. Those of the closing look hold no other page. */
  chain: readonly Entry[];
  /** The page from which the pass reads on. */
  left: Entry;
  /** The offset after the call that lies furthest from the front. */
  furthest: number;
  /** The page past the calls of `left`, if it had no unseen call. */
  behind: Page | undefined;
  /** The last page past the calls, and how many pages there were before it. */
  look: { page: Page; after: number } | undefined;
  /** Unseen calls in the last page past the calls. */
  unseenBehind: number;
  end: { kind: End; held: Held } | undefined;
  /** `total` of all responses. */
  totals: readonly number[];
  seamsBroken: number;
  /** Calls no longer at the place where they had been read. */
  vanished: number;
  /** Calls that only the closing look read. */
  closingOnly: number;
  closing: readonly Entry[];
  /** Calls of the first page that the closing look met, and what holds its pages at the first page. */
  met: readonly number[];
  metHeld: Held;
  /** The same once it met enough calls. */
  frontHeld: Held;
}

const NOTHING: State = {
  chain: [],
  left: { page: { offset: 0, total: 0, calls: [] }, held: BY_BEING_FIRST },
  furthest: 0,
  behind: undefined,
  look: undefined,
  unseenBehind: 0,
  end: undefined,
  totals: [],
  seamsBroken: 0,
  vanished: 0,
  closingOnly: 0,
  closing: [],
  met: [],
  metHeld: BY_NOTHING,
  frontHeld: BY_NOTHING,
};

// What pages show.

const endOf = ({ offset, calls }: Page) => offset + calls.length;
const reachesTotal = (page: Page) => endOf(page) >= page.total;
const lists = ({ calls }: Page, { id }: Call) => calls.some((call) => call.id === id);
const isKnown = (chain: readonly Entry[], call: Call) => chain.some(({ page }) => lists(page, call));
const hasUnseen = ({ chain }: State, { calls }: Page) => calls.some((call) => !isKnown(chain, call));

/** The keys by which every page is in order, and that no call read twice has changed. */
function keysOf(chain: readonly Entry[]): Key[] {
  const calls = chain.flatMap(({ page }) => page.calls);
  const firsts = new Map(calls.toReversed().map((call) => [call.id, call]));
  return KEYS.filter(
    (key) =>
      chain.every(({ page }) => isSorted(page.calls, key)) &&
      calls.every((call) => key(firsts.get(call.id) ?? call, call) === 0),
  );
}

function isSorted(calls: readonly Call[], key: Key): boolean {
  return calls.every((call, at) => key(calls[at - 1] ?? call, call) <= 0);
}

/** A page is held under a key if it has calls of two places in its order that pages held under it have. */
function linkOf(chain: readonly Entry[], page: Page, isFirst: boolean): Held {
  if (isFirst) return BY_BEING_FIRST;
  const shared = (isSo: (held: Held) => boolean) => {
    const others = chain.filter(({ held }) => isSo(held));
    return page.calls.filter((call) => isKnown(others, call));
  };
  const isHeld = (key: Key) => {
    const [first, ...others] = shared(({ keys }) => keys.includes(key));
    return first !== undefined && others.some((other) => key(first, other) !== 0);
  };
  return { keys: KEYS.filter(isHeld), isLinked: shared(({ isLinked }) => isLinked).length > 0 };
}

const linkTo = ({ chain }: State, page: Page) => linkOf(chain, page, page.offset === 0 || chain.length === 0);

/** Whether a page is held under each key under which the page before it is held. */
function joins(chain: readonly Entry[], before: Held, now: Held, page: Page): boolean {
  const keys = keysOf(chain).filter((key) => before.keys.includes(key));
  if (keys.length > 0) return keys.every((key) => now.keys.includes(key));
  return before.isLinked ? now.isLinked : page.calls.some((call) => isKnown(chain, call));
}

const joinsLeft = (state: State, page: Page) =>
  joins(state.chain, state.left.held, linkTo(state, page), page);

const both = (a: Held, b: Held): Held => ({
  keys: a.keys.filter((key) => b.keys.includes(key)),
  isLinked: a.isLinked && b.isLinked,
});
const either = (a: Held, b: Held): Held => ({
  keys: [...a.keys, ...b.keys],
  isLinked: a.isLinked || b.isLinked,
});

/** Calls of an earlier page that a later one should list by their key, and does not. */
function countVanished(key: Key | undefined, before: Page, now: Page): number {
  const [first, last] = [now.calls[0], now.calls.at(-1)];
  if (key === undefined || first === undefined || last === undefined) return 0;
  const isInside = (call: Call) =>
    (now.offset === 0 || key(first, call) < 0) && (reachesTotal(now) || key(call, last) < 0);
  return before.calls.filter((call) => isInside(call) && !lists(now, call)).length;
}

/** The lengths of pages before the end of the list, which show how long a page is. */
const fullPages = (chain: readonly Entry[]): number[] =>
  chain.flatMap(({ page }) => (reachesTotal(page) ? [] : [page.calls.length]));
const longest = (chain: readonly Entry[]) => Math.max(0, ...chain.map(({ page }) => page.calls.length));
const pageSize = ({ chain }: State, { limit }: Options) => Math.min(longest(chain), limit);
const overlapOf = (size: number, { overlap }: Options) =>
  Math.min(overlap, Math.max(Math.min(2, size - 1), Math.floor(size / 2), 1));

/** Whether a page may be the last one. */
function isShort(state: State, { calls }: Page, options: Options): boolean {
  const full = fullPages(state.chain);
  const size = pageSize(state, options);
  const shrunk = full.length > 1 && full.at(-1) === full.at(-2) ? (full.at(-1) ?? size) : size;
  return (
    calls.length === 0 || calls.length < (state.chain.length > 1 ? Math.min(size, shrunk) : options.limit)
  );
}

/** Where the next page begins: so that it shares calls of two places in the order with `left`. */
function nextOffset(state: State, options: Options, stepBack = 1): number {
  const { calls } = state.left.page;
  const size = Math.min(pageSize(state, options), fullPages(state.chain).at(-1) ?? options.limit);
  const overlap = overlapOf(size, options);
  const equal = Math.max(0, ...keysOf(state.chain).map((key) => countEqualAtEnd(calls, key)));
  const isTooWide = equal < overlap || equal + 1 >= size;
  const rows = isTooWide ? overlap : Math.min(equal + overlap, size - 1);
  return Math.max(0, endOf(state.left.page) - rows * stepBack);
}

function countEqualAtEnd(calls: readonly Call[], key: Key): number {
  const last = calls.at(-1);
  return last === undefined ? 0 : calls.length - 1 - calls.findLastIndex((call) => key(call, last) !== 0);
}

// What a response changes.

function accept(state: State, page: Page, { limit }: Options): State {
  const held = linkTo(state, page);
  const chain = [...state.chain, { page, held }];
  const next: State = {
    ...state,
    chain,
    left: { page, held },
    furthest: Math.max(state.furthest, endOf(page)),
    behind: undefined,
    end: undefined,
    totals: [...state.totals, page.total],
    seamsBroken: state.seamsBroken + (held.isLinked ? 0 : 1),
    vanished: state.vanished + countVanished(keysOf(state.chain)[0], state.left.page, page),
  };
  const kind = state.behind && endOfList(state.left.page, state.behind, page, hasUnseen(state, page));
  if (kind === undefined) return next;
  const full = fullPages(chain);
  const isOneLength = full.length > 1 && full.every((length) => length === longest(chain));
  const isShorter = isOneLength && page.calls.length < Math.min(longest(chain), limit);
  return { ...next, end: { kind: isShorter ? "short page" : kind, held } };
}

/**
 * What two pages show with the page past the calls between them: nothing has moved, or the list changed, and each of the
 * three ends where its own count does.
 */
function endOfList(before: Page, behind: Page, page: Page, isNew: boolean): End | undefined {
  const isMoving = before.total !== behind.total || behind.total !== page.total;
  const isShifted = isMoving && behind.calls.length > 0 && behind.offset < behind.total;
  const isLast = !isNew && page.calls.at(-1)?.id === before.calls.at(-1)?.id;
  const isInPlace = endOf(page) === endOf(before) && behind.offset === endOf(before);
  if (isLast && isInPlace && !isShifted) return endBy(behind, page);
  const isCounted = [before, behind, page].every((each) => endOf(each) === each.total);
  return isMoving && isCounted && behind.calls.length === 0 ? "nothing behind" : undefined;
}

function endBy(behind: Page, last: Page): End {
  if (behind.calls.length > 0) return "repeated";
  return reachesTotal(last) ? "nothing behind" : "disputed";
}

/** Behind the last call, if it moves on as it did since the last look. */
function offsetBehind({ left, look, chain }: State, { overlap }: Options): number {
  const moved = look?.after === chain.length - 1 ? left.page.total - look.page.total : 0;
  return Math.max(0, endOf(left.page) + (Math.abs(moved) < overlap ? moved : 0));
}

function lookBehind(state: State, page: Page): State {
  const unseenBehind = page.calls.filter((call) => !isKnown(state.chain, call)).length;
  const look = { page, after: state.chain.length };
  const next = { ...state, look, unseenBehind, totals: [...state.totals, page.total] };
  if (unseenBehind > 0) return { ...next, behind: undefined };
  const { left } = state;
  const end = left.page.calls.length === 0 ? { kind: endBy(page, left.page), held: left.held } : state.end;
  return { ...next, behind: page, end };
}

/** Notes that the end moves as fast as it is read. */
function noteMovingEnd(state: State, options: Options): State {
  const { page, held } = state.left;
  const isMoving = state.totals.some((total) => total !== state.totals[0]);
  const isMet = state.look === undefined || !hasUnseen(state, state.look.page);
  const isEnd = endOf(page) === page.total && isShort(state, page, options);
  return isMoving && isMet && isEnd ? { ...state, end: { kind: "moving", held } } : state;
}

/** A page of the closing look: it joins the one before it, and the look goes on until it has met the first page. */
function lookAtFront(state: State, page: Page, options: Options) {
  const within = linkOf(state.closing, page, page.offset === 0);
  const before = state.closing.at(-1)?.held ?? BY_BEING_FIRST;
  const isJoined = joins(state.closing, before, within, page);
  const [first] = state.chain;
  if (first === undefined) throw new Error("A pass begins with a page");
  const chain = [...state.chain, { page, held: BY_NOTHING }];
  const [key] = keysOf(chain);
  const next: State = {
    ...state,
    chain,
    totals: [...state.totals, page.total],
    closingOnly: state.closingOnly + page.calls.filter((call) => !isKnown(state.chain, call)).length,
    vanished: state.vanished + countVanished(key, first.page, page),
    closing: [...state.closing, { page, held: within }],
  };
  if (!isJoined) return { state: next };
  const isWhole = page.offset === 0 && state.end !== undefined && state.left.page.offset === 0;
  const now = page.calls.filter((call) => lists(first.page, call)).map(({ id }) => id);
  const met = [...new Set([...(key === undefined ? [] : state.met), ...now])];
  const front = isWhole ? BY_BEING_FIRST : linkOf([{ page: first.page, held: BY_BEING_FIRST }], page, false);
  const metHeld = either(state.metHeld, both(front, within));
  const needed = Math.min(overlapOf(pageSize(next, options), options), first.page.calls.length);
  const frontHeld = isWhole || met.length >= needed ? metHeld : state.frontHeld;
  const isMet = key === undefined ? frontHeld.isLinked : isProven(chain, frontHeld);
  const rows = overlapOf(Math.min(page.calls.length, pageSize(next, options)), options);
  return {
    state: { ...next, met, metHeld, frontHeld },
    closing: { isMet, met: met.length, next: Math.max(0, endOf(page) - rows) },
  };
}

function isProven(chain: readonly Entry[], held: Held): boolean {
  const keys = keysOf(chain);
  return keys.length > 0 && keys.every((key) => held.keys.includes(key));
}

const takeUp = (earlier: readonly Page[], options: Options): State => {
  const state = earlier.reduce((before, page) => accept(before, page, options), NOTHING);
  const page = earlier.reduce((furthest, each) => (endOf(each) >= endOf(furthest) ? each : furthest));
  return { ...state, left: { page, held: linkTo(state, page) } };
};

// What a pass promises.

export interface Outcome {
  verdict: Verdict;
  /** Ids of the calls read. */
  read: ReadonlySet<number>;
  totals: readonly number[];
}

function judgeModel(state: State): Outcome {
  const read = new Set(state.chain.flatMap(({ page }) => page.calls.map(({ id }) => id)));
  return { verdict: verdictOf(state, read.size), read, totals: state.totals };
}

function verdictOf(state: State, read: number): Verdict {
  const { chain, totals, frontHeld, vanished, closingOnly } = state;
  const held = both(
    state.end?.held ?? state.left.held,
    state.closing.length > 0 ? frontHeld : BY_BEING_FIRST,
  );
  const end = state.end?.kind;
  const last = totals.at(-1) ?? 0;
  const isCounted = totals.every((total) => total === read);
  const fits = read >= Math.min(...totals);
  const steps = totals.map((total, at) => total - (totals[at - 1] ?? total));
  const falls = -sum(steps.filter((step) => step < 0));
  const rises = sum(steps.filter((step) => step > 0));
  const unread = Math.max(0, (totals[0] ?? 0) - (read - closingOnly));

  if (read === 0 && last > 0) return "unverified";
  if (end === undefined && !(isCounted && state.unseenBehind === 0)) return "unverified";
  if (!frontHeld.isLinked && state.seamsBroken === 0) return "unverified";
  if (!held.isLinked) return "unverified";
  if (!isProven(chain, held)) return fits ? "probable" : "unverified";
  if (end === undefined || end === "repeated" || end === "moving") return "probable";
  if (end === "disputed" || !fits) return "probable";
  if (falls > 0 && rises > 0 && read < Math.max(...totals)) return "probable";
  if (vanished + unread > falls) return "probable";
  if (isCounted) return "exact";
  if (falls === 0 && rises === 0) return "probable";
  return end === "short page" ? "verified" : "probable";
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

// Which request follows.

export interface Request {
  sort: Sort;
  offset: number;
  /** Whether the pass begins with its page. */
  isFirst: boolean;
}

export interface Answer {
  /** The place of its request among those under way. */
  which: number;
  page: Page;
}

/** What is under way, and what a killed process would leave to the next one. */
export interface Waiting {
  requests: readonly Request[];
  ledger: readonly Page[];
}

interface Ticket {
  request: Request;
  page?: Page;
}

const MAX_FRUITLESS = 10;
const MAX_FRUITLESS_BROKEN = 2;
const MAX_TIE_TRIES = 4;
const MAX_IDLE_PLANS = 3;
const MAX_CLOSING = 50;

/** Yields the requests under way, takes the response to one of them, and returns the outcome. The service refuses to sort. */
export function* walkModel(options: Options, earlier: readonly Page[]): Generator<Waiting, Outcome, Answer> {
  let state = NOTHING;
  /** In the order in which they were made; as many of the first ones as may run at once are under way. */
  const waiting: Ticket[] = [];
  let planned: Ticket[] = [];
  const plan = { end: 0, size: 0, total: 0 };

  const ask = (request: Partial<Request>): Ticket => {
    const ticket: Ticket = { request: { sort: "own", offset: 0, isFirst: false, ...request } };
    waiting.push(ticket);
    return ticket;
  };

  function* receive(ticket: Ticket): Generator<Waiting, Page, Answer> {
    while (ticket.page === undefined) {
      const requests = waiting.slice(0, options.concurrency).map(({ request }) => request);
      const ledger = state.chain.length > 0 ? state.chain.map(({ page }) => page) : earlier;
      const { which, page } = yield { requests, ledger };
      for (const answered of waiting.splice(which, 1)) answered.page = page;
    }
    return ticket.page;
  }

  function* fetch(offset: number, isFirst = false) {
    const page = yield* receive(ask({ offset, isFirst }));
    plan.total = page.total;
    return page;
  }

  function planAfter(page: Page) {
    [plan.end, plan.size, plan.total] = [endOf(page), page.calls.length, page.total];
  }

  /** The next page up to `total`; two are planned ahead for each request that may run. */
  function* take() {
    while (plan.size > 1 && planned.length < 2 * options.concurrency && plan.end < plan.total) {
      const offset = plan.end - overlapOf(plan.size, options);
      plan.end = offset + plan.size;
      planned.push(ask({ offset }));
    }
    const ticket = planned.shift();
    if (ticket === undefined) return undefined;
    const page = yield* receive(ticket);
    plan.total = page.total;
    if (page.calls.length > 0 && !reachesTotal(page)) plan.size = page.calls.length;
    return page;
  }

  function* readPlanned() {
    for (let idle = 0; idle < MAX_IDLE_PLANS; ) {
      if (!goesOn()) return;
      const page = yield* take();
      if (page === undefined) return;
      if (page.calls.length === 0) break;
      if (!joinsLeft(state, page) && (yield* walkOn(() => joinsLeft(state, page))) === "end") break;
      idle = hasUnseen(state, page) ? 0 : idle + 1;
      state = accept(state, page, options);
    }
    waiting.splice(options.concurrency);
    [planned, plan.size] = [[], 0];
  }

  /** Reads on from `left`, twice as far back each time that the seam does not join. */
  function* walkOn(hasArrived: () => boolean) {
    let [stepBack, fruitless, ties] = [1, 0, 0];
    const patience = state.left.held.isLinked ? MAX_FRUITLESS : MAX_FRUITLESS_BROKEN;
    while (state.end === undefined && fruitless < patience) {
      if (stepBack === 1 && (fruitless > 0 || isShort(state, state.left.page, options))) yield* look();
      if (state.end !== undefined) break;
      const page = yield* fetch(nextOffset(state, options, stepBack));
      if (!joinsLeft(state, page)) {
        const isTied = page.calls.some((call) => isKnown(state.chain, call)) && ++ties >= MAX_TIE_TRIES;
        if (!isTied) {
          fruitless++;
          stepBack *= 2;
          continue;
        }
      }
      [stepBack, ties] = [1, 0];
      const isNew = hasUnseen(state, page);
      const isCatchingUp = endOf(page) > endOf(state.left.page) && endOf(page) < state.furthest;
      state = accept(state, page, options);
      if (hasArrived()) return "arrived";
      fruitless = isNew ? 0 : fruitless + (isCatchingUp ? 0 : 1);
    }
    return state.end === undefined ? "lost" : "end";
  }

  function* look() {
    state = lookBehind(state, yield* fetch(offsetBehind(state, options)));
  }

  function* reachEnd() {
    if ((yield* walkOn(() => false)) !== "lost") return;
    state = noteMovingEnd(state, options);
    if (state.end === undefined) yield* look();
  }

  /** Looks further behind the end of a sure pass if the count never changed. An honest service has calls there only if they came since. */
  function* lookFurther() {
    const isStill = state.totals.every((total) => total === state.totals[0]);
    if (!isStill || !isSure(judgeModel(state).verdict)) return;
    const end = endOf(state.left.page);
    const rows = fullPages(state.chain).length > 0 ? pageSize(state, options) : options.limit;
    for (const beyond of [1, rows, 2 * rows]) {
      const page = yield* fetch(end + beyond);
      if (!hasUnseen(state, page)) continue;
      const again = yield* fetch(end);
      if (hasUnseen(state, again) || again.total !== page.total) return;
      throw new Error("A gap, which no honest service has");
    }
    const last = yield* fetch(Math.max(0, end - 1));
    if (last.total !== state.totals.at(-1)) return;
    if (hasUnseen(state, last)) state = { ...state, end: undefined, unseenBehind: 1 };
    else if (endOf(last) !== end) state = { ...state, end: { kind: "moving", held: state.left.held } };
  }

  function* close() {
    let [fruitless, met, offset] = [0, 0, 0];
    for (let pages = 0; fruitless < MAX_FRUITLESS && pages < MAX_CLOSING; pages++) {
      const page = yield* fetch(offset);
      const isNew = hasUnseen(state, page);
      const next = lookAtFront(state, page, options);
      state = next.state;
      if (next.closing === undefined || next.closing.isMet || page.calls.length === 0) return;
      fruitless = isNew || next.closing.met > met ? 0 : fruitless + 1;
      [met, offset] = [Math.max(met, next.closing.met), next.closing.next];
    }
  }

  /** Continues an earlier pass if the next page joins it. */
  function* resume() {
    state = takeUp(earlier, options);
    const page = yield* fetch(nextOffset(state, options));
    const isJoined = joinsLeft(state, page);
    state = isJoined ? accept(state, page, options) : NOTHING;
    if (isJoined) planAfter(page);
  }

  let isUntried = true;
  const goesOn = () => keysOf(state.chain).length > 0 || !isUntried;

  if (earlier.length > 0) yield* resume();
  if (state === NOTHING) {
    const first = yield* fetch(0, true);
    planAfter(first);
    state = accept(state, first, options);
  }
  for (;;) {
    yield* readPlanned();
    if (goesOn()) yield* reachEnd();
    if (goesOn()) yield* close();
    if (goesOn()) {
      yield* lookFurther();
      return judgeModel(state);
    }
    isUntried = false;
    yield* receive(ask({ sort: "source_name asc" }));
  }
}
