import { runDue } from "../../src/reports/due-report.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { nameReport } from "./named-report.ts";

export const MONDAYS = "0 7 * * 1";
/** A Monday. */
export const NOW = "2026-11-16T07:30:00.000Z";
export const SLOT = "2026-11-16T07:00:00.000Z";
export const CALLS = [1, 2, 3].map((call_id) =>
  makeCall({
    call_id,
    call_started: "2026-11-10T10:00:00.000Z",
    utm_source: call_id === 1 ? "google" : "bing",
  }),
);

export type Named = ReturnType<typeof nameReport>;

export function named(content: object, secrets: Record<string, string> = {}, account?: string) {
  const weekly = { contents: ["source"], range: { last: "1w" }, grain: "day", cron: MONDAYS, ...content };
  const options = { calls: CALLS, finishedAt: "2026-11-16T07:10:00.000Z", secrets };
  return nameReport(weekly, account === undefined ? options : { ...options, account });
}

export const due = ({ report, folder, context }: Named, now = NOW, cron = MONDAYS) =>
  runDue(report, cron, folder, { ...context, clock: new FakeClock(now) });
