export const VERDICTS = ["exact", "verified", "probable", "unverified"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a pass saw that speaks for or against its completeness. */
export interface Evidence {
  slices: number;
  /** Seams that did not join at first and were walked again. */
  seamsMended: number;
  /** Seams that never joined. */
  seamsBroken: number;
  /** Calls out of the order seen before, by less than the overlap. */
  inversionsNear: number;
  inversionsFar: number;
  /** The first slice began at offset 0, by the service's own word. */
  startsAtFront: boolean;
  /** A joined slice reached its own total and brought nothing new. */
  endReached: boolean;
  /** The last look at the front met calls of this pass again. */
  closingMet: boolean;
  firstTotal: number;
  lastTotal: number;
  /** Whether every answer had the same total. */
  totalConstant: boolean;
  /** An incremental walk met calls that cannot have changed. */
  settled: boolean;
  /** Slices taken over from a pass that was cut short. */
  resumed: number;
  /** Slices that could be read in pieces only, around a row that the service fails on. */
  torn: number;
  /** Calls counted as new while walking; more than the distinct ones if some came up again far away. */
  fresh: number;
}

export function noEvidence(): Evidence {
  return {
    slices: 0,
    seamsMended: 0,
    seamsBroken: 0,
    inversionsNear: 0,
    inversionsFar: 0,
    startsAtFront: false,
    endReached: false,
    closingMet: false,
    firstTotal: 0,
    lastTotal: 0,
    totalConstant: true,
    settled: false,
    resumed: 0,
    torn: 0,
    fresh: 0,
  };
}

export interface Judgement {
  verdict: Verdict;
  /** Why, in one sentence. */
  verdict_reason: string;
}

/**
 * Judges a full pass. `exact` and `verified` say that every call that was visible during the whole pass was read.
 *
 * @param distinct different calls read in the pass
 */
export function judge(evidence: Evidence, distinct: number): Judgement {
  const { endReached, closingMet, seamsBroken, torn, inversionsNear, totalConstant, lastTotal } = evidence;
  // A call met again so late that its place was forgotten is counted as new twice.
  const inversionsFar = evidence.inversionsFar + Math.max(0, evidence.fresh - distinct);
  const counted = `${distinct} calls read, total ${lastTotal}`;

  if (!evidence.startsAtFront) return unverified(`the service did not begin with the first call: ${counted}`);
  if (!endReached) return unverified(`the end of the calls was not reached: ${counted}`);
  if (inversionsFar > 0) return unverified(`${inversionsFar} calls changed places while reading`);
  if (lastTotal - distinct > tolerance(lastTotal)) return unverified(`too few calls came: ${counted}`);
  if (torn > 0) return unverified(`${plural(torn, "page")} had to be read in pieces: ${counted}`);
  if (seamsBroken > 0) {
    if (totalConstant && distinct === lastTotal) {
      return {
        verdict: "probable",
        verdict_reason: `${plural(seamsBroken, "seam")} did not join, but ${counted}`,
      };
    }
    return unverified(`${plural(seamsBroken, "seam")} between pages did not join: ${counted}`);
  }
  if (!closingMet) return unverified("the closing look at the front met no known call");
  if (inversionsNear > 0) {
    return {
      verdict: "probable",
      verdict_reason: `all seams joined, but ${inversionsNear} calls changed places nearby`,
    };
  }
  if (totalConstant && distinct === lastTotal) {
    return { verdict: "exact", verdict_reason: `all seams joined, and every one of ${lastTotal} calls read` };
  }
  if (totalConstant && distinct < lastTotal) {
    return {
      verdict: "probable",
      verdict_reason: `all seams joined, but the service counts more: ${counted}`,
    };
  }
  const why = totalConstant ? "though the service counts fewer" : "while calls came or went";
  return { verdict: "verified", verdict_reason: `all seams joined, ${why}: ${counted}` };
}

/** The books after an incremental pass. */
export interface Books {
  /** Calls that the service should show, by the warehouse. */
  expected: number;
  /** The last verified full pass, on which an incremental one stands. */
  since: string | null;
}

/**
 * Judges an incremental pass. `probable` is the most it can be: a late call and a removed one, both beyond the
 * look-back, would leave the books in balance.
 */
export function judgeIncremental(evidence: Evidence, { expected, since }: Books): Judgement {
  const { settled, endReached, closingMet, seamsBroken, torn, inversionsNear, inversionsFar, lastTotal } =
    evidence;
  const inversions = inversionsNear + inversionsFar;
  if (!settled) return unverified("no calls were met that are known and cannot have changed");
  if (seamsBroken + torn > 0) return unverified("the pages read did not join");
  if (!endReached && !closingMet) return unverified("the live end of the calls was not met again");
  if (inversions > 0) return unverified(`${inversions} calls changed places while reading`);
  if (expected !== lastTotal)
    return unverified(`the books do not balance: ${expected} calls here, total ${lastTotal}`);
  return {
    verdict: "probable",
    verdict_reason: `read up to known calls, and the books balance: ${expected} calls here and there; all were verified ${since}`,
  };
}

function unverified(reason: string): Judgement {
  return { verdict: "unverified", verdict_reason: reason };
}

/** Calls that may come in behind a pass's back, and so be counted in `total` without being read. */
function tolerance(total: number): number {
  return Math.max(50, Math.ceil(total / 100));
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
