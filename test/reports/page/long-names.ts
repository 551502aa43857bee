import { makeCallsFolder } from "../../cli/folder.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";

/** Two names that are equal for 10,000 characters. */
export const longName = (kind: string, end: number) => `${kind} ${"x".repeat(10_000)} ${end}`;
export const CALLS = Array.from({ length: 40 }, (_, index) => ({
  ...FULL_CALL,
  call_id: index + 1,
  caller_id: `+4930123${400 + index}`,
  call_started: new Date(Date.UTC(2026, 8, 1 + (index % 5), 14, index)).toISOString(),
  insight_name: longName("insight", index % 2),
  org_unit_name: longName("unit", 1),
  utm_source: longName("source", index % 2),
  utm_medium: longName("medium", 1),
  utm_campaign: longName("campaign", index % 2),
  utm_term: longName("term", index % 2),
  campaign_name: longName("campaign", index % 2),
  campaign_id: null,
}));
export const DAYS = "--from 2026-09-01 --to 2026-09-05";
export const makeFolder = () => makeCallsFolder(CALLS);
