import { chartFileOf } from "../../config/request/option-values.ts";
import type { Print } from "../../export/formats/pdf/print-page.ts";
import type { ExportJob } from "../../export/job.ts";

/** Returns a job whose page of charts is printed: its file, and the figures remembered of it, are of the PDF. */
export function toPrinted(job: ExportJob, print: Print): ExportJob {
  const file = chartFileOf(job.ask);
  const { remembered } = job;
  return {
    ...job,
    remembered: remembered && {
      get isKept() {
        return remembered.isKept;
      },
      watch: (outlet, rows) => remembered.watch({ ...outlet, file }, rows),
      findIn: () => remembered.findIn(file),
      get restatements() {
        return remembered.restatements;
      },
    },
    write: async (_, page, audience) => job.write(file, [await print([...page].join(""))], audience),
  };
}
