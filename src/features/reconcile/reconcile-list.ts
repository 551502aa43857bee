import type { DateRange } from "../../base/calendar/dates.ts";
import { attempt, UsageError } from "../../base/errors.ts";
import { toPrintable } from "../../base/text/printable.ts";
import type { Form, ReadOptions } from "../../intake/columns.ts";
import { type LineCounts, openTable, type Table } from "../../intake/open-table.ts";
import { readTextFile } from "../../intake/read-file.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { HeldCalls } from "./held-calls.ts";
import { CALLS_INTAKE, type ListedCall, type ListedField } from "./listed-call.ts";
import { type Reconciled, Reconciliation } from "./reconcile.ts";
import { Clocks } from "./span.ts";

export interface AccountCopy extends OwnWarehouse {
  /** Undefined for the only account. */
  account: string | undefined;
  timezone: string;
}

export interface ReconcileOptions extends ReadOptions<ListedField> {
  copies: readonly AccountCopy[];
  /** Other accounts, which may have calls of the list. */
  others: readonly AccountCopy[];
  range: DateRange;
}

export interface ReconciledList extends Reconciled, LineCounts {
  file: string;
  encoding: string;
  unused_columns: string[];
  /** Of its starts, IANA. */
  timezone: string;
  /** The accounts whose copies were compared; empty for the only one. */
  accounts: string[];
}

/** Compares a list of calls with the copies of accounts. @throws UsageError for a list that cannot be compared */
export function reconcileList(path: string, options: ReconcileOptions): ReconciledList {
  const { copies, others, range, ...reading } = options;
  const timezone = zoneOf(copies);
  using readers = new Readers();
  const held = copies.map((copy) => new HeldCalls(readers.open(copy), copy.account));
  const { columns, visit, file, encoding } = readTextFile(
    path,
    (text) => openTable(text, CALLS_INTAKE, reading),
    "compare",
  );
  const comparison = new Reconciliation(held, {
    range,
    clocks: new Clocks(timezone),
    openOthers: prepareOthers(others, readers),
  });
  const refuse = (problem: string, hint: string) =>
    new UsageError(`Cannot compare ${toPrintable(path)}: ${problem}`, { hint });
  const counts = visitLines(visit, comparison, refuse);
  if (comparison.isRounded)
    throw refuse(
      "all of its long call ids end in zero, as if a spreadsheet had rounded them",
      "Download the list again, and do not save it in a spreadsheet.",
    );
  const reconciled = comparison.finish();
  assertCalls(reconciled, range, refuse);
  return {
    ...reconciled,
    ...counts,
    ...{ file, encoding, timezone, unused_columns: columns.unused },
    accounts: copies.flatMap(({ account }) => account ?? []),
  };
}

type Refuse = (problem: string, hint: string) => UsageError;

function visitLines(
  visit: Table<ListedField, Form<ListedField>, ListedCall>["visit"],
  comparison: Reconciliation,
  refuse: Refuse,
): LineCounts {
  try {
    return visit(
      (call) => comparison.see(call),
      (left) => comparison.leave(left),
    );
  } catch (error) {
    throw error instanceof UsageError ? refuse(error.message, error.hint) : error;
  }
}

/** @throws UsageError for a list without calls, unless all of its days are known */
function assertCalls(
  { listed, outside, differences }: Reconciled,
  { from, to }: DateRange,
  refuse: Refuse,
): void {
  if (listed > 0) return;
  const [unread] = differences.filter(({ reason }) => reason === "unreadable");
  if (unread !== undefined)
    throw refuse(
      `none of its lines has a call id, line ${unread.line}: ${unread.detail}`,
      "Name the column with the call id: --map call_id=HEADER.",
    );
  if (outside > 0) throw refuse("none of its calls is within --from and --to", "Name other days.");
  if (from === undefined || to === undefined)
    throw refuse("it has no calls", "If there were none, say of which days: --from and --to.");
}

/** @throws UsageError for accounts of several zones */
function zoneOf(copies: readonly AccountCopy[]): string {
  const [zone = "UTC", other] = new Set(copies.map(({ timezone }) => timezone));
  if (other === undefined) return zone;
  throw new UsageError(
    `Cannot compare one list with accounts in ${zone} and ${other}: its times are of one zone`,
    {
      hint: `Pass the zone of the list, e.g. --timezone ${zone}, or name one account with --account.`,
    },
  );
}

/** Open copies. */
class Readers implements Disposable {
  readonly #open: Reader[] = [];

  open(copy: OwnWarehouse): Reader {
    const reader = openOwn(copy, openReader);
    this.#open.push(reader);
    return reader;
  }

  [Symbol.dispose](): void {
    for (const reader of this.#open) reader[Symbol.dispose]();
  }
}

/** Returns what opens the copies of other accounts, once; a copy that cannot be read is left out. */
function prepareOthers(others: readonly AccountCopy[], readers: Readers): () => readonly HeldCalls[] {
  let held: HeldCalls[] | undefined;
  return () => {
    held ??= others.flatMap(
      (other) => attempt(() => new HeldCalls(readers.open(other), other.account)) ?? [],
    );
    return held;
  };
}
