import { relative } from "node:path";
import { recordOf } from "../../base/records.ts";
import { CONVERSIONS, type ConversionKind } from "../../config/request/conversion-kinds.ts";
import type { CallInMoment, CallNote, CallNoteStyle } from "../feature.ts";
import { judgeCall } from "./conversions.ts";
import { readUploadsOfCall } from "./upload-table.ts";

type UploadOfCall = ReturnType<typeof readUploadsOfCall>[number];

/** Returns whether a call is suitable for upload, and the files that contained it. */
export function readCallNote({ reader, session, callId, isGone, nowMs }: CallInMoment): CallNote {
  const judge = (kind: ConversionKind) =>
    isGone ? "gone" : (judgeCall(session, callId, kind, nowMs) ?? null);
  const conversions = recordOf(CONVERSIONS, judge);
  const uploads = readUploadsOfCall(reader, callId);
  return {
    data: {
      /** Why it is not uploaded as a conversion of each kind; null if it is. */
      conversions,
      /** The files that contained it, and later adjustments. */
      uploads,
    },
    toLines: (style) => [
      ...CONVERSIONS.map((kind) => ({ name: kind, text: describeReason(conversions[kind]) })),
      // Full paths, because only their ends differ.
      ...uploads.map((upload, index) => ({
        name: index === 0 ? "uploads" : "",
        text: describeUpload(upload, style),
        isWhole: true,
      })),
    ],
  };
}

function describeUpload(upload: UploadOfCall, { minuteOf, folder }: CallNoteStyle): string {
  const { action, reason, value, currency, order_id, conversion_name } = upload;
  const money = value === null ? "" : ` ${[value, currency].filter(Boolean).join(" ")}`;
  const change = {
    convert: `${conversion_name}${money}${order_id === null ? "" : `, order id ${order_id}`}`,
    retract: `retracted, ${reason}`,
    restate: `restated,${money}`,
  }[action];
  const state = upload.forgotten_at !== null ? ", taken back" : upload.state === "pending" ? ", pending" : "";
  return `${minuteOf(upload.written_at)} ${relative(folder, upload.path)}: ${change}${state}`;
}

function describeReason(reason: string | null): string {
  return reason === null ? "suitable for upload" : `left out: ${reason}`;
}
