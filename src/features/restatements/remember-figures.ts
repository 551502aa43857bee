import { closedRange } from "../../base/calendar/dates.ts";
import { chartFileOf } from "../../config/request/option-values.ts";
import type { Ask } from "../../config/request/resolve.ts";
import { listsOf } from "../../export/job.ts";
import type { ExportPlan, ExportStep } from "../../export/step.ts";
import { FigureMemory } from "./figure-memory.ts";
import { beginFactLog } from "./logged-facts.ts";
import { writeChanges } from "./restatement-file.ts";

/** Compares the rollups of an export with what the same files held before, and remembers them. */
export function rememberFigures({ ask, recorded }: ExportPlan): ExportStep {
  if (recorded === undefined) return {};
  const { writer } = recorded.warehouse;
  let memory: FigureMemory | undefined;
  let log: number | undefined;
  return {
    // Logs later changes, so that changed figures can be explained.
    begin: () => {
      if (writer && mayBeRemembered(ask)) log = beginFactLog(writer);
    },
    at: (job) => {
      memory = new FigureMemory({ ...job, ...listsOf(job), ...recorded, writer, log });
      return { remembered: memory };
    },
    sections: {
      restatements: async ({ timeframe: { timezone } }) => {
        const { restatementSection } = await import("./restatement-section.ts");
        return () => restatementSection(memory?.findIn(chartFileOf(ask)) ?? [], timezone);
      },
    },
    finish: async (job) => {
      const restatements = memory && (await writeChanges(job, memory));
      if (restatements) job.manifest.restatements = restatements;
    },
    settle: (tx, committed) => memory?.settle(tx, committed),
  };
}

/** Whether a later export may be compared with these figures: only complete periods are. */
function mayBeRemembered(ask: Ask): boolean {
  const { contents, grain, range, raw, top, minCell, filter } = ask;
  const isClosed = (grain ?? closedRange(range)) !== undefined;
  const isPlain = !raw && top === undefined && minCell === undefined && !filter.include_gone;
  const isCompared = contents.some(({ kind }) => kind === "rollup" || kind === "page");
  return isClosed && isPlain && isCompared;
}
