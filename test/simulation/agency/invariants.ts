import { checkCode } from "../invariants.ts";
import type { Invariant } from "../types.ts";
import { checkExplore, checkFigures, checkMerged } from "./figure-invariants.ts";
import { checkAmounts, checkJobs } from "./job-invariants.ts";
import { checkNotices } from "./notice-invariant.ts";
import { checkForgotten, checkOwn } from "./privacy-invariants.ts";

/** The invariants of an agency; a new capability adds one row. */
export const AGENCY_INVARIANTS: readonly Invariant[] = [
  { name: "every end has its exit code", check: checkCode },
  { name: "the amounts of a list balance", check: checkAmounts },
  { name: "each client has the jobs of its lists", check: checkJobs },
  { name: "figures of a client are a fold over its truth, and add up to their total", check: checkFigures },
  { name: "a file of all clients has the figures of each", check: checkMerged },
  { name: "the page to explore shows what export writes", check: checkExplore },
  { name: "no client's file has another client's calls", check: checkOwn },
  { name: "a forgotten caller is nowhere", check: checkForgotten },
  { name: "a notice starts and ends once", check: checkNotices },
];
