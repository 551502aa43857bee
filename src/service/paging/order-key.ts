import type { Row } from "./slice.ts";

type Member = "call_id" | "call_started" | "insight_name";
type Direction = "asc" | "desc";
type KeyPart = readonly [Member, Direction];

/** A key by which a service may order its calls. */
export interface OrderKey {
  /** As stored in `sync_runs`, e.g. `call_started desc`. */
  name: string;
  /** E.g. `newest start first`. */
  words: string;
  members: readonly Member[];
  /** The end of the list where new calls appear; undefined for an order by source. */
  newestAt: "front" | "end" | undefined;
  /** Below 0 if `a` precedes `b`, above 0 if it follows, 0 if they have the same key. */
  compare: (a: Row, b: Row) => number;
}

/** The orders to ask for: the service's own, and the one documented sort key of calls. */
export const SORTS = ["own", "source_name asc"] as const;
export type Sort = (typeof SORTS)[number];

const DIRECTIONS = ["desc", "asc"] as const;

const WORDS = {
  "call_id desc": "highest id first",
  "call_id asc": "lowest id first",
  "call_started desc": "newest start first",
  "call_started asc": "oldest start first",
  "insight_name desc": "by source from Z to A",
  "insight_name asc": "by source from A to Z",
} as const;

const COMPARISONS: Record<Member, (a: Row, b: Row) => number> = {
  call_id: (a, b) => (a.id ?? 0) - (b.id ?? 0),
  call_started: (a, b) => compareText(a.started, b.started),
  insight_name: (a, b) => compareText(a.name, b.name),
};

/** By id, start, source and id, source and start; each part in either direction. */
export const ORDER_KEYS: readonly OrderKey[] = [
  ...DIRECTIONS.map((direction) => keyOf(["call_id", direction])),
  ...DIRECTIONS.map((direction) => keyOf(["call_started", direction])),
  ...(["call_id", "call_started"] as const).flatMap((member) =>
    DIRECTIONS.flatMap((outer) => DIRECTIONS.map((inner) => keyOf(["insight_name", outer], [member, inner]))),
  ),
];

export function hasKey({ members }: OrderKey, { id, started, name }: Row): boolean {
  for (const member of members) {
    if ((member === "call_id" ? id : member === "call_started" ? started : name) === null) return false;
  }
  return true;
}

export function keepsKey({ members }: OrderKey, before: Row, now: Row): boolean {
  for (const member of members) {
    if (member === "call_started" && before.started !== now.started) return false;
    if (member === "insight_name" && before.name !== now.name) return false;
  }
  return true;
}

/** Returns the names of keys as stored in `sync_runs`; null for none. */
export function nameKeys(keys: readonly OrderKey[]): string | null {
  return keys.length === 0 ? null : keys.map(({ name }) => name).join(", ");
}

/** Parses the names of keys as stored in `sync_runs`; ignores unknown ones, which another version may have stored. */
export function readKeys(names: string | null | undefined): OrderKey[] {
  const wanted = new Set((names ?? "").split(", "));
  return ORDER_KEYS.filter(({ name }) => wanted.has(name));
}

/** Describes the order of a pass, by start if both start and id fit. */
export function describeKeys(keys: readonly OrderKey[]): string | undefined {
  return (keys.find(({ members: [lead] }) => lead === "call_started") ?? keys[0])?.words;
}

/**
 * Describes the order of a recorded pass.
 *
 * @param order_key as {@link nameKeys} returns it
 * @param sort null if the pass did not record it
 */
export function describeOrder({ order_key, sort }: { order_key: string | null; sort: Sort | null }): string {
  const order = describeKeys(readKeys(order_key)) ?? "none by id, start or source";
  return sort === null || sort === "own"
    ? order
    : `${order}, as requested: the service's own order has no key`;
}

function keyOf(outer: KeyPart, inner?: KeyPart): OrderKey {
  const parts = inner === undefined ? [outer] : [outer, inner];
  const [first, second] = [comparisonOf(outer), inner && comparisonOf(inner)];
  const [member, direction] = outer;
  return {
    name: parts.map((part) => part.join(" ")).join(" then "),
    words: parts
      .map(([member, direction]) => WORDS[`${member} ${direction}`])
      .join(", ")
      .concat(parts.length > 1 ? " in each" : ""),
    members: parts.map(([member]) => member),
    newestAt: member === "insight_name" ? undefined : direction === "desc" ? "front" : "end",
    compare: second === undefined ? first : (a, b) => first(a, b) || second(a, b),
  };
}

function comparisonOf([member, direction]: KeyPart): OrderKey["compare"] {
  const compare = COMPARISONS[member];
  return direction === "asc" ? compare : (a, b) => compare(b, a);
}

function compareText(a: string | null, b: string | null): number {
  const [left, right] = [a ?? "", b ?? ""];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
