import { formatQuantity } from "../../base/text/quantity-text.ts";

/** Ids that are named of many. */
const MAX_NAMED = 10;

/** Lists the first ids. @param count how many there are */
export function nameSome(ids: Iterable<number>, count: number): string {
  const named = Iterator.from(ids).take(MAX_NAMED).toArray();
  return [...named, ...(count > MAX_NAMED ? ["…"] : [])].join(", ");
}

/** Such as `2 calls have facts, but no content: 12, 13`. */
export function describeCalls(ids: readonly number[], one: string, many: string, what: string): string {
  const verb = ids.length === 1 ? one : many;
  return `${formatQuantity(ids.length, "call")} ${verb} ${what}: ${nameSome(ids, ids.length)}`;
}

export function describeDamaged(ids: readonly number[]): string {
  return describeCalls(ids, "differs", "differ", "from what was read from the service");
}
