/** One thing that was checked. */
export interface VerifyCheck {
  name: string;
  holds: boolean;
  message: string;
}

/** Ids that are named of many. */
const MAX_NAMED = 10;

export const holds = (name: string, message: string): VerifyCheck => ({ name, holds: true, message });
export const fails = (name: string, message: string): VerifyCheck => ({ name, holds: false, message });

/** Lists the first ids. @param count how many there are */
export function nameSome(ids: Iterable<number>, count: number): string {
  const named = Iterator.from(ids).take(MAX_NAMED).toArray();
  return [...named, ...(count > MAX_NAMED ? ["…"] : [])].join(", ");
}
