import { BRIEF_RETRY, deliver } from "../../../src/reports/delivery/deliver.ts";
import type { DeliveryTarget } from "../../../src/reports/delivery/delivery-target.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { commandTo, emailTo, hookTo, readSummary, smtpAt, VALUES } from "./report.ts";

// Delivers run 1 of a warehouse, as a process that can be killed: <database> <folder> <channel> <port or script>

const [database = "", folder = "", channel, place = ""] = process.argv.slice(2);
using warehouse = openExistingWarehouse(database);
function targetOf(): DeliveryTarget {
  if (channel === "webhook") return hookTo(new URL(`http://127.0.0.1:${place}`));
  if (channel === "command") return commandTo(place, folder);
  return emailTo(["ann@example.com"], smtpAt(Number(place)));
}

await deliver(
  warehouse,
  { runId: 1, summary: readSummary(folder), values: VALUES, targets: [targetOf()] },
  { signal: new AbortController().signal, retry: BRIEF_RETRY },
);
