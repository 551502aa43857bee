import { namesOf } from "../../base/records.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { describeAside, describeUnused } from "../../intake/import-words.ts";
import { REASONS, type Reason, type Reconciled } from "./reconcile.ts";
import type { ReconciledList } from "./reconcile-list.ts";
import { clockText, type DecidedBy } from "./span.ts";

const ALL_REASONS: readonly Reason[] = namesOf(REASONS);

/** Whether the copy has what it is meant to have of the list, and the list what the copy has. */
export function doAgree({ differences }: Reconciled): boolean {
  return differences.every(({ reason }) => isExpected(reason));
}

const isExpected = (reason: Reason) => "isExpected" in REASONS[reason];

export function reconciledToJson(list: ReconciledList) {
  const { differences, span, shift, listed, both, repeated, outside, ...file } = list;
  return {
    ...file,
    agrees: doAgree(list),
    compared: span && { from: clockText(span.startMs), before: clockText(span.endMs), decided_by: span.by },
    calls: { in_the_list: listed, on_both_sides: both, repeated_lines: repeated, outside },
    differences: Object.fromEntries(countReasons(list).map(({ reason, count }) => [reason, count])),
    shifted_hours: shift?.hours ?? null,
  };
}

/** @param path of the file of differences; undefined if none was written */
export function describeList(list: ReconciledList, path: string | undefined): string[] {
  return [
    ...describeFile(list),
    describeSpan(list),
    `In the list: ${formatQuantity(list.listed, "call")}; of these in the copy: ${formatCount(list.both)}`,
    ...countReasons(list).map(
      ({ reason, count }) => `${formatCount(count).padStart(8)}  ${REASONS[reason].side}: ${textOf(reason)}`,
    ),
    ...(doAgree(list) ? ["They agree."] : []),
    ...(path === undefined ? [] : [`Each is in ${path}.`]),
    ...adviseOn(list),
  ];
}

function textOf(reason: Reason): string {
  const { side, text } = REASONS[reason];
  return side === "unread" ? `${text}; its other cells are compared, if it has a call id` : text;
}

function describeFile(list: ReconciledList): string[] {
  const { file, lines, repeated, outside, unused_columns } = list;
  return [
    `${file}  ${formatQuantity(lines, "line")}: ${describeAside(list).join(", ")}`,
    ...describeUnused(unused_columns),
    ...(repeated > 0 ? [`  ${formatQuantity(repeated, "line")} with a call that an earlier line has`] : []),
    ...(outside > 0 ? [`  ${formatQuantity(outside, "line")} outside of --from and --to`] : []),
  ];
}

const DECIDED: Record<DecidedBy, string> = {
  days: "by --from and --to",
  calls: "from the first to the last call that both have",
};

function describeSpan({ span, timezone }: ReconciledList): string {
  if (span === undefined)
    return "Only the calls of the list were looked for: pass --from and --to to find calls that are only here.";
  const { startMs, endMs, by } = span;
  return `Compared: ${clockText(startMs)} to ${clockText(endMs - 1)} (${timezone}), ${DECIDED[by]}`;
}

function countReasons({ differences }: Reconciled): { reason: Reason; count: number }[] {
  const counts = new Map<Reason, number>();
  for (const { reason } of differences) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return ALL_REASONS.flatMap((reason) => {
    const count = counts.get(reason);
    return count === undefined ? [] : [{ reason, count }];
  });
}

const ADVICE: Partial<Record<Reason, string>> = {
  not_in_copy:
    "Not in the copy: the API lists only calls with DNI data. If such a call has it, run `calltally sync --full` and compare again; if it is still not there, the service's list lacks it.",
  too_new: "Too new: run `calltally sync`, and compare again.",
  rejected: "Rejected: `calltally status` has their number; a later sync may read them.",
};

function adviseOn(list: ReconciledList): string[] {
  const { both, listed, shift, differences } = list;
  if (shift !== undefined) {
    const { hours, isUtc } = shift;
    const by = `${Math.abs(hours)} h ${hours > 0 ? "later" : "earlier"}`;
    return [
      `Nearly all starts in the list are ${by} than here, so it is of another zone. Compare again with ${isUtc ? "--timezone UTC" : "its zone, --timezone"}.`,
    ];
  }
  if (both === 0 && listed > 0)
    return [
      "No call of the list is in the copy: it may be of another account, or another column may have the call id, --map call_id=HEADER.",
    ];
  const reasons = new Set(differences.map(({ reason }) => reason));
  return ALL_REASONS.flatMap((reason) => (reasons.has(reason) ? (ADVICE[reason] ?? []) : []));
}
