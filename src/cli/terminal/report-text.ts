import type { DeliveryResult } from "../../delivery/deliver.ts";
import type { MadeReport } from "../../reports/make-report.ts";
import type { NamedReport } from "../../reports/report.ts";
import { describeMade } from "./made-text.ts";

export function describeReport(made: MadeReport, { content }: NamedReport, folder: string): string {
  const stale = made.is_stale ? [`The last good sync is older than ${content.fresh}.`] : [];
  return [
    `${made.report}, report run ${made.report_run_id}`,
    describeMade(made, folder),
    ...stale,
    ...made.deliveries.map(describeDelivery),
  ].join("\n");
}

/** Says how a delivery stands, a line. */
function describeDelivery({ channel, recipient, status, attempts, last_error }: DeliveryResult): string {
  const what = `${channel} to ${recipient}: ${status}`;
  if (status === "delivered") return attempts > 1 ? `${what} on attempt ${attempts}` : what;
  return last_error === null ? what : `${what}: ${last_error}`;
}
