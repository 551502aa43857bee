import { isSure, type Verdict } from "../../src/paging/verdict.ts";
import {
  type Change,
  comes,
  comesFirst,
  goes,
  type Interleaving,
  interleave,
  type Moment,
  moves,
  swaps,
  touches,
} from "./interleavings.ts";

/** Lists, and what can happen to them. */
const SERVICES = {
  "ordered by start": { tied: 1, changes: [comes, goes] },
  "with two calls at each start": { tied: 2, changes: [comesFirst, goes, swaps] },
  "ordered by last change": { tied: 1, changes: [comes, goes, touches] },
  "whose starts are corrected": { tied: 1, changes: [comesFirst, goes, moves] },
} as const satisfies Record<string, { tied: number; changes: readonly Change[] }>;
type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES: readonly ServiceName[] = [
  "ordered by start",
  "with two calls at each start",
  "ordered by last change",
  "whose starts are corrected",
];

export interface Size {
  service: ServiceName;
  /** Calls at the beginning. */
  calls: number;
  limit: number;
  /** How many changes and kills there may be at most. */
  changes: number;
  concurrency: number;
}

/** How many interleavings end with each verdict, and the requests of all. */
export type Tally = Record<Verdict | "requests", number>;

/**
 * Checks the promise of each verdict in every interleaving of a size, and adds them to a tally.
 *
 * @throws Error with the first interleaving that breaks a promise
 */
export async function checkInterleavings(
  { service, calls: count, changes: most, ...size }: Size,
  tally: Tally = { exact: 0, verified: 0, probable: 0, unverified: 0, requests: 0 },
): Promise<Tally> {
  const { tied, changes } = SERVICES[service];
  const calls = Array.from({ length: count }, (_, at) => ({
    id: count - at,
    start: Math.floor((count - at) / tied) * 1024,
  }));
  const isProvable = tied === 1 && (size.limit > 2 || count <= size.limit);
  for await (const each of interleave({ calls, changes, most, options: { ...size, overlap: 2 } })) {
    const problem = problemOf(each, { service, isProvable });
    if (problem !== undefined)
      throw new Error(
        `${problem}\n${describeSteps(each)}\n${count} calls ${service}, pages of ${size.limit}`,
      );
    tally[each.run.outcome?.verdict ?? "unverified"]++;
    tally.requests += each.steps.filter((step) => step !== "kill").length;
  }
  return tally;
}

/** Finds what contradicts docs/completeness.md in any history of the service. */
function problemOf(
  { run: { outcome }, moments }: Interleaving,
  { service, isProvable }: { service: ServiceName; isProvable: boolean },
): string | undefined {
  if (outcome === undefined) return "it has no end";
  const { verdict, read, evidence } = outcome;
  // The page says that a call whose key changes may be missed, and no other.
  const isPromised = (id: number, { moved }: Moment) =>
    service !== "whose starts are corrected" || !moved.includes(id);
  for (const moment of moments) {
    const missing = moment.throughout.filter((id) => !read.has(id) && isPromised(id, moment));
    if (isSure(verdict) && missing.length > 0) return `${verdict} without calls ${missing}`;
    if (moment.isQuiet && isProvable && verdict !== "exact") return `${verdict}, though nothing changed`;
  }
  const { least, most } = evidence.totals;
  return verdict === "exact" && (least !== read.size || most !== read.size)
    ? `exact with ${read.size} calls, of ${least} to ${most}`
    : undefined;
}

function describeSteps({ steps }: Interleaving): string {
  const lines = steps.map((step) => {
    if (step === "kill") return "killed and resumed";
    const { request, response } = step;
    if (response === "refused") return `order ${request.sort}: refused`;
    const ids = response.rows.map(({ id }) => id).join(" ");
    return `offset ${request.offset}: ${ids || "nothing"}, total ${response.total}`;
  });
  return lines.join("\n");
}
