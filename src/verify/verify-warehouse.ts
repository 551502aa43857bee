import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { minuteOf } from "../base/clock.ts";
import { attempt } from "../base/errors.ts";
import { formatCount, formatQuantity } from "../base/quantity-text.ts";
import { type Checked, checkCertificate } from "../paging/certificate.ts";
import { checkCalls } from "../warehouse/attribution/check-calls.ts";
import { calls } from "../warehouse/calls/calls.ts";
import { rejected_calls } from "../warehouse/calls/rejected.ts";
import {
  type CertificateMark,
  readCertificate,
  readCertificateMark,
} from "../warehouse/runs/certificate-table.ts";
import { readRun } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** One thing that was checked. */
export interface Verified {
  name: string;
  holds: boolean;
  message: string;
}

/** Ids that are named of many. */
const MAX_NAMED = 10;

export const holds = (name: string, message: string): Verified => ({ name, holds: true, message });
export const fails = (name: string, message: string): Verified => ({ name, holds: false, message });

/** Checks the certificate of a run's last proven pass, and that it leads to what the warehouse has now. */
export function* verifyCertificate(warehouse: Warehouse, mark: CertificateMark): Generator<Verified> {
  const text = attempt(() => readCertificate(warehouse, mark.run_id));
  const sha256 = createHash("sha256")
    .update(text ?? "")
    .digest("hex");
  if (text === undefined || sha256 !== mark.sha256) {
    yield fails("certificate", `that of run ${mark.run_id} is damaged`);
    return;
  }
  const checked = checkText(text);
  yield describeChecked(checked);
  if (checked === undefined || checked.problems.length > 0) return;
  yield checkRun(warehouse, mark, checked);
  // One moment of calls and runs, since a sync may write them.
  yield* warehouse.sqlite.transaction(() => [...checkIds(warehouse, mark, checked)])();
}

/** Checks a certificate alone, as a file has it. */
export function checkText(text: string): Checked | undefined {
  return attempt(() => checkCertificate(text.trimEnd().split("\n")));
}

export function describeChecked(checked: Checked | undefined): Verified {
  if (checked === undefined) return fails("certificate", "it cannot be read");
  const { header, problems } = checked;
  if (problems.length > 0)
    return fails("certificate", `it proves no such pass: ${problems.join("; ").replaceAll(/\s+/g, " ")}`);
  const pages = formatQuantity(header.pages, "page");
  return holds(
    "certificate",
    `${pages} of run ${header.run_id} prove ${header.verdict}, of ${formatQuantity(header.calls, "call")} by ${header.order_key}`,
  );
}

/** Compares the certificate with what the ledger says of its run. */
function checkRun(warehouse: Warehouse, mark: CertificateMark, { header }: Checked): Verified {
  const run = readRun(warehouse, mark.run_id);
  const { run_id, verdict, order_key, first_total, last_total, calls: calls_read } = header;
  const said = { run_id, verdict, order_key, first_total, last_total, calls_read };
  const others = Object.entries(said).filter(([name, value]) => Reflect.get(run ?? {}, name) !== value);
  if (others.length === 0)
    return holds("run", `run ${run_id} of ${minuteOf(mark.made_at)} UTC is recorded as its certificate says`);
  return fails(
    "run",
    `run ${mark.run_id} is recorded with another ${others.map(([name]) => name).join(", ")}`,
  );
}

interface Counted {
  new_calls: number;
  returned: number;
  withheld: number;
}

/** Compares the calls of the pass with those in the warehouse, and with the counts of later runs. */
function* checkIds(
  { db, sqlite }: Warehouse,
  { run_id }: CertificateMark,
  { ids }: Checked,
): Generator<Verified> {
  const read = sqlite.prepare<[], { id: number; run: number; isMarked: 0 | 1 }>(
    `SELECT call_id AS id, first_run_id AS run, coalesce(missing_since, gone_at, absent_since, unlisted_since) IS NOT NULL AS isMarked
      FROM calls`,
  );
  let [here, met, newer, unmarked, marked] = [0, 0, 0, 0, 0];
  for (const { id, run, isMarked } of read.iterate()) {
    here++;
    if (ids.has(id)) met++;
    else if (run > run_id) newer++;
    else if (isMarked) marked++;
    else unmarked++;
  }
  const unread = db.selectDistinct({ id: rejected_calls.call_id }).from(rejected_calls).all();
  const stored = db
    .select({ id: calls.call_id })
    .from(calls)
    .where(eq(calls.call_id, sql.placeholder("id")))
    .prepare();
  const isStored = (id: number) => stored.get({ id }) !== undefined;
  const onlyRejected = unread.filter(({ id }) => id !== null && ids.has(id) && !isStored(id)).length;
  const lost = ids.size - met - onlyRejected;
  const there = formatQuantity(met, "call");
  yield lost === 0
    ? holds(
        "calls",
        `all ${there} of the pass are in the warehouse${onlyRejected > 0 ? `, or rejected (${onlyRejected})` : ""}`,
      )
    : fails(
        "calls",
        `${formatQuantity(lost, "call")} of the pass are not in the warehouse: ${nameLost(ids, isStored)}`,
      );
  const later = sqlite
    .prepare<[{ run_id: number }], Counted>(
      `SELECT coalesce(sum(calls_new) FILTER (WHERE run_id > @run_id), 0) AS new_calls,
        coalesce(sum(calls_returned) FILTER (WHERE run_id > @run_id), 0) AS returned,
        coalesce(sum(calls_withheld) FILTER (WHERE run_id = @run_id), 0) AS withheld FROM sync_runs WHERE run_id >= @run_id`,
    )
    .get({ run_id }) ?? { new_calls: 0, returned: 0, withheld: 0 };
  const problems = [
    ...(newer === later.new_calls
      ? []
      : [`later runs added ${later.new_calls} calls, and ${newer} are there`]),
    ...(unmarked <= later.returned + later.withheld
      ? []
      : [`${unmarked} calls that the pass did not meet are not marked as missing`]),
  ];
  const added = `${formatCount(met + onlyRejected)} read + ${formatCount(newer)} by later runs + ${formatCount(marked + unmarked)} that it did not meet`;
  yield problems.length === 0
    ? holds("later runs", `${added}: ${formatQuantity(here, "call")} in the warehouse`)
    : fails("later runs", problems.join("; "));
}

function nameLost(ids: ReadonlySet<number>, isStored: (id: number) => boolean): string {
  return Iterator.from(ids)
    .filter((id) => !isStored(id))
    .take(MAX_NAMED)
    .toArray()
    .join(", ");
}

/** Checks the last certificate, and derives what is stored again: the hash of each row, and the facts of each call. */
export async function* verifyWarehouse(
  warehouse: Warehouse,
  { mark = readCertificateMark(warehouse), signal }: { mark?: CertificateMark; signal?: AbortSignal } = {},
): AsyncGenerator<Verified> {
  if (mark !== undefined) yield* verifyCertificate(warehouse, mark);
  const { checked, damaged, others } = await checkCalls(warehouse, signal);
  yield damaged.length > 0
    ? fails("contents", describeDamaged(damaged))
    : holds("contents", `${formatQuantity(checked, "call")} unchanged since they were read`);
  yield others.length > 0
    ? fails(
        "facts",
        `${formatQuantity(others.length, "call")} ${others.length === 1 ? "has" : "have"} other facts than the rules give: ${nameSome(others)}`,
      )
    : holds("facts", "all facts, and all first calls, are those that the rules give");
}

export function describeDamaged(ids: readonly number[]): string {
  return `${formatQuantity(ids.length, "call")} ${ids.length === 1 ? "differs" : "differ"} from what was read from the service: ${nameSome(ids)}`;
}

function nameSome(ids: readonly number[]): string {
  return [...ids.slice(0, MAX_NAMED), ...(ids.length > MAX_NAMED ? ["…"] : [])].join(", ");
}
