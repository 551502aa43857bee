import { recordOf } from "../../base/records.ts";
import {
  ADJUSTMENTS,
  type AdjustmentKind,
  CONVERSIONS,
  type ConversionKind,
} from "../../config/request/conversion-kinds.ts";
import type { ExportJob } from "../../export/job.ts";
import type { ExportPlan, ExportStep } from "../../export/step.ts";
import { UploadLedger } from "./upload-ledger.ts";
import { describeUploads } from "./upload-notes.ts";

/** Writes conversions and adjustments, and enters their files in the ledger of uploads. */
export function uploadStep(plan: ExportPlan): ExportStep {
  const ledger = new UploadLedger(plan);
  const conversions = async (job: ExportJob, { kind }: { kind: ConversionKind }) =>
    (await import("./conversions.ts")).writeConversions(job, kind, ledger);
  const adjustments = async (job: ExportJob, { kind }: { kind: AdjustmentKind }) =>
    (await import("./adjustments.ts")).writeAdjustments(job, kind, ledger);
  return {
    at: ({ lists }) => {
      if (lists !== undefined) ledger.chooseAt(lists.reader);
      return undefined;
    },
    contents: {
      ...recordOf(CONVERSIONS, () => conversions),
      ...recordOf(ADJUSTMENTS, () => adjustments),
    },
    enter: (tx, committed) => ledger.enter(tx, committed),
    undo: (tx, committed) => ledger.undo(tx, committed),
    settle: (tx) => ledger.settle(tx),
    note: () => {
      const uploads = ledger.notes();
      return Object.keys(uploads).length > 0
        ? { data: { uploads }, lines: describeUploads(uploads) }
        : undefined;
    },
  };
}
