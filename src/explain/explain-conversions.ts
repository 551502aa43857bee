import type { Reason } from "../conversions/conversion-kinds.ts";
import { judgeCall } from "../conversions/conversions.ts";
import { readUploadsOfCall } from "../conversions/upload-table.ts";
import type { ConversionKind } from "../request/option-values.ts";
import type { RollupSession } from "../rollup/session.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export function explainConversions(
  reader: Warehouse,
  session: RollupSession,
  { call_id, gone_at }: { call_id: number; gone_at: string | null },
  nowMs: number,
) {
  const judge = (target: ConversionKind): Reason | "gone" | null =>
    gone_at === null ? (judgeCall(session, call_id, target, nowMs) ?? null) : "gone";
  return {
    /** Why it is not uploaded as a conversion; null if it is. */
    google_ads: judge("google-ads"),
    google_leads: judge("google-leads"),
    microsoft_ads: judge("microsoft-ads"),
    ga4_events: judge("ga4-events"),
    /** The files that it was in, and how later ones adjusted it. */
    uploads: readUploadsOfCall(reader, call_id),
  };
}
