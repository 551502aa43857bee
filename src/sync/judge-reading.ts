import { minuteOf } from "../base/clock.ts";
import { readKeys } from "../service/paging/order-key.ts";
import { type Judgement, judge, judgeIncremental } from "../service/paging/verdict.ts";
import { countExpected } from "../warehouse/calls/gone.ts";
import { readRejected } from "../warehouse/calls/rejected.ts";
import { countDistinctCalls, countRepeatedRequests } from "../warehouse/runs/page-table.ts";
import { readLastVerifiedPass } from "../warehouse/runs/runs.ts";
import type { Reading, Run } from "./read-calls.ts";

export interface JudgedReading extends Reading {
  judgement: Judgement;
  /** Calls that the run has read, each counted once. */
  read: number;
}

/** Judges a full pass by its pages, and an incremental one by the calls in the warehouse as well. */
export function judgeReading(run: Run, runId: number, reading: Reading): JudgedReading {
  const { warehouse } = run;
  const read = countDistinctCalls(warehouse, runId);
  const repeated = reading.evidence.repeated + countRepeatedRequests(warehouse, runId);
  const unplacedReason = read === 0 ? readRejected(warehouse)[0]?.reason : undefined;
  const evidence = { ...reading.evidence, repeated, unplacedReason };
  return { ...reading, evidence, read, judgement: judgeBy(run, { ...reading, evidence }, read) };
}

function judgeBy({ warehouse }: Run, { isFull, evidence }: Reading, read: number): Judgement {
  if (isFull) return judge(evidence, read);
  const last = readLastVerifiedPass(warehouse);
  const expected = countExpected(warehouse, last?.run_id ?? 0);
  const since = last?.finished_at ? `${minuteOf(last.finished_at)} UTC` : null;
  const keys = readKeys(last?.order_key).filter(({ name }) => name.startsWith("call_started"));
  return judgeIncremental(evidence, { expected, since, keys });
}
