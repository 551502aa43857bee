import { type CertifiedPage, writeCertificate } from "../service/paging/certificate.ts";
import { DEFAULT_OVERLAP } from "../service/paging/pass.ts";
import { insertCertificate } from "../warehouse/runs/certificate-table.ts";
import { iteratePages } from "../warehouse/runs/page-table.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { JudgedReading } from "./judge-reading.ts";
import { readRows } from "./order-members.ts";
import type { Run } from "./read-calls.ts";

/**
 * Keeps what a proven pass is proven by, before its pages are trimmed. There is no certificate if calls are ordered by a name
 * that contains a forgotten number, since the pages lack it.
 */
export function certify(
  tx: Tx,
  { limit, overlap = DEFAULT_OVERLAP }: Run,
  runId: number,
  { evidence, judgement, read }: JudgedReading,
  madeAt: string,
): void {
  const isBySource = evidence.keys.some(({ members }) => members.includes("insight_name"));
  let isWhole = true;
  function* pages(): Generator<CertifiedPage> {
    for (const page of iteratePages(tx, runId)) {
      const { offset, total, request_id, fetched_at, call_ids, order_members } = page;
      const rows = readRows(call_ids, order_members) ?? [];
      isWhole &&= rows.length === page.row_count;
      isWhole &&= !isBySource || rows.every(({ name, isRejected }) => name !== null || isRejected);
      yield { offset, total, rows, requestId: request_id ?? undefined, fetchedAt: fetched_at };
    }
  }
  const header = { run_id: runId, verdict: judgement.verdict, calls: read, limit, overlap };
  const lines = [...writeCertificate(header, evidence, pages)];
  if (isWhole) insertCertificate(tx, runId, madeAt, lines);
}
