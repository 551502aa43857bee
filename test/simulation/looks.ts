import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { makeCall } from "../support/warehouses/calls.ts";
import type { TrueCall } from "./service.ts";
import type { Ran } from "./types.ts";

/** Whether a process with these arguments has ended by itself. */
export const isRunOf = (ran: Ran | "the end", ...words: string[]): ran is Ran =>
  ran !== "the end" && !ran.isKilled && words.every((word) => ran.args.includes(word));

/** Whether a process succeeded, with or without caveats. */
export const isDone = ({ code }: Ran) => code === 0 || code === 3;

/** A call as counted by the figures. */
export function toCall({ dni_data, ...members }: TrueCall) {
  return makeCall({ ...members, ...dni_data });
}

/** Reads a CSV file; no rows if there is none. */
export function readTable(file: string, fromLine = 1): Record<string, string>[] {
  return existsSync(file) ? parse(readFileSync(file), { columns: true, bom: true, from_line: fromLine }) : [];
}

/** Columns of stored calls that are compared with the truth. */
export const COMPARED = [
  "call_started",
  "duration",
  "disposition",
  "tracking_number",
  "org_unit_name",
  "utm_campaign",
  "gclid",
] as const;

/** Returns how a stored row differs from a call; undefined if it does not. */
export function findDifference(call: TrueCall, row: Record<string, unknown>): string | undefined {
  const truth = toCall(call);
  const other = COMPARED.find((name) => truth[name] !== row[name]);
  return other && `${other} ${row[other]} instead of ${truth[other]}`;
}
