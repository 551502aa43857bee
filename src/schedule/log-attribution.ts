import type { Log } from "../base/log.ts";
import type { AttributionProgress } from "../warehouse/attribution/attribute-all.ts";

/** Logs how many calls had their attribution recomputed, once that is done. */
export function logAttribution(log: Log): (progress: AttributionProgress) => void {
  return ({ read, total }) => {
    if (total > 0 && read === total) log.info({ calls: total }, "attributed again");
  };
}
