import type { Reason } from "../conversions/conversion-kinds.ts";
import { judgeCall } from "../conversions/conversions.ts";
import { readUploadsOfCall, type UploadOfCall } from "../conversions/upload-table.ts";
import type { ConversionKind } from "../request/option-values.ts";
import type { RollupSession } from "../rollup/session.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Whether a call can be uploaded as a conversion, and in which files it was. */
export interface ExplainedConversions {
  /** Why it is not uploaded as a conversion; null if it is. */
  google_ads: Reason | "gone" | null;
  google_leads: Reason | "gone" | null;
  microsoft_ads: Reason | "gone" | null;
  ga4_events: Reason | "gone" | null;
  /** The files that it was in, and how later ones adjusted it. */
  uploads: UploadOfCall[];
}

/** Judges a call as a conversion of each kind. */
export function explainConversions(
  reader: Warehouse,
  session: RollupSession,
  { call_id, gone_at }: { call_id: number; gone_at: string | null },
  nowMs: number,
): ExplainedConversions {
  const judge = (target: ConversionKind) =>
    gone_at === null ? (judgeCall(session, call_id, target, nowMs) ?? null) : "gone";
  return {
    google_ads: judge("google-ads"),
    google_leads: judge("google-leads"),
    microsoft_ads: judge("microsoft-ads"),
    ga4_events: judge("ga4-events"),
    uploads: readUploadsOfCall(reader, call_id),
  };
}
