import type { Job, Lists, RollupOutlet } from "../export/job.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { readExportedRollup } from "./exported-rollups.ts";
import { questionOf } from "./rollup-question.ts";
import type { RecalledRollup } from "./watched-rollup.ts";

/** Returns why no figure of an export can be compared; undefined if some can. */
export function hindranceOf({
  ask,
  timeframe,
  writer,
}: Pick<Job, "ask" | "timeframe"> & { writer: Warehouse | null }): string | undefined {
  const { raw, top, minCell } = ask;
  if (raw) return "utm values as stored";
  if (top !== undefined || minCell !== undefined) return "keys put together as (other)";
  if (timeframe.filter.include_gone) return "gone calls are counted";
  return writer === null ? "the warehouse can only be read here" : undefined;
}

/** Reads what the file of a rollup held before, and decides whether it can be compared. */
export function recallRollup(
  outlet: RollupOutlet,
  path: string,
  hindrance: string | undefined,
  options: Pick<Job, "timeframe"> & Pick<Lists, "reader" | "session" | "onNewKey">,
): RecalledRollup {
  const place = { path, contents: outlet.contents };
  const stored = readExportedRollup(options.reader, place);
  // Without a comparison no key is needed, and perhaps none can be made.
  const question = hindrance === undefined ? questionOf(outlet, options.timeframe, options) : "";
  const isOther = stored !== undefined && stored.question !== question;
  const refusal = hindrance ?? (isOther ? "another question than before" : undefined);
  return { ...place, question, before: refusal === undefined ? stored : undefined, refusal };
}
