import { createHash } from "node:crypto";
import { minuteOf } from "../../base/clock.ts";
import { attempt } from "../../base/errors.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { type CertificateCheck, checkCertificate } from "../../service/paging/certificate.ts";
import { checkCalls } from "../../warehouse/attribution/check-calls.ts";
import { describeCalls, describeDamaged } from "../../warehouse/attribution/named-calls.ts";
import { DamagedError } from "../../warehouse/file/damage.ts";
import { nameDamage } from "../../warehouse/file/sqlite-errors.ts";
import {
  type CertificateMark,
  readCertificate,
  readCertificateMark,
} from "../../warehouse/runs/certificate-table.ts";
import { readRun } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { findAlteredObjects } from "./altered-objects.ts";
import { fails, holds, type VerifyCheck } from "./verified.ts";
import { type Pass, verifyLedger } from "./verify-ledger.ts";

interface VerifyOptions {
  /** @default the last one */
  mark?: CertificateMark | undefined;
  signal?: AbortSignal | undefined;
}

/** Checks the certificate of a run's last proven pass, and that it leads to what the warehouse has now. */
export function* verifyCertificate(warehouse: Reader, mark: CertificateMark): Generator<VerifyCheck> {
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
  yield* verifyLedgerNow(warehouse, { runId: mark.run_id, ids: checked.ids });
}

/** Reads calls and runs at one moment, since a sync may write them. */
function verifyLedgerNow(warehouse: Reader, pass?: Pass): VerifyCheck[] {
  return warehouse.sqlite.transaction(() => [...verifyLedger(warehouse, pass)])();
}

/** Checks a certificate alone, as a file has it. */
export function checkText(text: string): CertificateCheck | undefined {
  return attempt(() => checkCertificate(text.replace(/\n$/, "").split("\n")));
}

export function describeChecked(checked: CertificateCheck | undefined): VerifyCheck {
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
function checkRun(
  warehouse: Reader,
  mark: CertificateMark,
  { header, firstPageAt }: CertificateCheck,
): VerifyCheck {
  const run = readRun(warehouse, mark.run_id);
  const { run_id, verdict, order_key, first_total, last_total, calls: calls_read } = header;
  const certified = {
    ...{ run_id, verdict, order_key, first_total, last_total, calls_read },
    ...{ first_page_at: firstPageAt, finished_at: mark.made_at },
  };
  const others = Object.entries(certified).filter(([name, value]) => Reflect.get(run ?? {}, name) !== value);
  if (others.length === 0)
    return holds("run", `run ${run_id} of ${minuteOf(mark.made_at)} UTC is recorded as its certificate says`);
  return fails(
    "run",
    `run ${mark.run_id} is recorded with another ${others.map(([name]) => name).join(", ")}`,
  );
}

/** Checks the last certificate, and derives what is stored again: the hash of each row, and the facts of each call. */
export async function* verifyWarehouse(
  warehouse: Reader,
  { mark = readCertificateMark(warehouse), signal }: VerifyOptions,
): AsyncGenerator<VerifyCheck> {
  if (mark !== undefined) yield* verifyCertificate(warehouse, mark);
  else yield* verifyLedgerNow(warehouse);
  const { checked, damaged, overkept, others, orphans, isUnsettled } = await checkCalls(warehouse, signal);
  const damage = describeDamaged(damaged);
  if (damaged.length > 0) nameDamage(new DamagedError(warehouse.path, damage), warehouse.path);
  yield damaged.length > 0
    ? fails("contents", damage)
    : overkept.length > 0
      ? fails("contents", describeCalls(overkept, "has", "have", "contents that are recorded as not kept"))
      : holds("contents", `${formatQuantity(checked, "call")} unchanged since they were read`);
  const problems = [
    ...(others.length > 0 ? [describeCalls(others, "has", "have", "other facts than the rules give")] : []),
    ...(orphans.length > 0 ? [describeCalls(orphans, "has", "have", "facts, but no content")] : []),
    ...(isUnsettled ? ["first calls count as not settled, though a sync has finished since"] : []),
  ];
  yield problems.length > 0
    ? fails("facts", problems.join("; "))
    : holds("facts", "all facts, and all first calls, are those that the rules give");
  const altered = await findAlteredObjects(warehouse);
  yield altered.length > 0
    ? fails("views", `${altered.join(", ")}: not as this calltally makes them; a sync makes views again`)
    : holds("views", "all views and triggers are as this calltally makes them");
}
