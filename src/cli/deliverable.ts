import { CalltallyError, EXIT } from "../errors.ts";
import type { CustomTarget } from "../export/figure-job.ts";
import { SURE_VERDICTS } from "../paging/verdict.ts";
import type { NamedReport } from "./named-report.ts";

/**
 * Ends the export before any file has its name, where the report may not be delivered: it reads the same moment as the files.
 *
 * @throws CalltallyError (exit 9)
 */
export function deliverableTarget({ name, content }: NamedReport): CustomTarget {
  return {
    kind: "custom",
    write: async ({ manifest: { run } }) => {
      if (run === null) {
        throw new CalltallyError(
          EXIT.undelivered,
          `Cannot deliver the report ${name}: no sync has finished yet`,
          {
            hint: "Run `calltally sync`; `calltally status` says why the last one did not finish.",
          },
        );
      }
      if (isProvenEnough(run.verdict, content)) return [];
      const why = `sync ${run.run_id} was ${run.verdict}: ${run.verdict_reason}`;
      throw new CalltallyError(
        EXIT.undelivered,
        `Cannot deliver the report ${name}, which requires a proven copy: ${why}`,
        {
          hint: "Run `calltally sync --full` and the report again; `calltally run` without --deliver makes it all the same.",
        },
      );
    },
  };
}

/** Whether a sync with this verdict proved as much as a report requires. */
export function isProvenEnough(
  verdict: string | null | undefined,
  { require }: Pick<NamedReport["content"], "require">,
): boolean {
  return require === undefined || SURE_VERDICTS.some((sure) => sure === verdict);
}
