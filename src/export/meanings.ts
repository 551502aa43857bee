import { COMPARISON_COLUMNS } from "../base/calendar/grain.ts";
import { CALLS } from "../warehouse/calls/calls.ts";
import { CALL_FACTS } from "../warehouse/calls/facts.ts";
import { TRANSCRIPTS } from "../warehouse/calls/transcripts.ts";
import type { Column } from "./table.ts";

/** In files, `caller_id` is the number that a call has. */
const OF_FACTS = CALL_FACTS.columns.filter(({ name }) => name !== "caller_id");
const DESCRIBED = [OF_FACTS, CALLS.columns, TRANSCRIPTS.columns].flat();

/** Columns that no table of the warehouse has. */
const OTHERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.values(COMPARISON_COLUMNS).map(({ period }) => [period, "The period that it is compared with."]),
  ),
  period: "Day, week, month or quarter of the calls.",
  period_start: "First day of the period.",
  org_unit: "The group's name.",
  weekday: "Weekday of the start, local time.",
  hour: "Hour of the start, local time.",
  caller_hash: "Keyed hash of the caller's number: the same caller has the same.",
  calls: "Calls.",
  answered_calls: "Calls whose disposition counts as answered.",
  missed_calls: "Calls whose disposition counts as missed.",
  recovered: "Whether an answered call followed a missed one; blank if none was missed.",
  recovered_after_seconds:
    "From the start of the first missed call to that of the first answered one after it.",
  cost: "What was spent.",
  days: "Days with spend.",
  nearest_campaign: "The campaign of calls with the most similar name.",
};

/** Returns what the warehouse's tables say of a column. */
export function helpOf(name: string): string {
  const help = findHelp(name);
  if (help === undefined) throw new Error(`${name} has no description`);
  return help;
}

const findHelp = (name: string) => DESCRIBED.find((column) => column.name === name)?.help;

export function meaningOf({ name, isKey, comparison, help }: Column): string | null {
  if (comparison?.shows === "previous") return "The same for the days it is compared with.";
  if (comparison?.shows === "within chance")
    return "Whether so large a change is likely even if nothing has changed.";
  if (comparison?.shows === "points")
    return "Difference of the two rates: from 50 % to 55 % is 5 points, 0.05 in CSV.";
  if (comparison?.shows === "change") return "Change as a share of the previous figure.";
  const folded = isKey && findHelp(`${name}_folded`);
  return help || OTHERS[name] || folded || findHelp(name) || null;
}
