import { formatQuantity } from "../../base/quantity-text.ts";
import type { AttributionProgress } from "../../warehouse/attribution/attribute-all.ts";
import type { Context } from "../context.ts";
import { ProgressBar } from "./progress.ts";

/** Shows the progress of recomputing the attribution, and notes how many calls it covered. */
export function attributionProgress(context: Context, note: (text: string) => void) {
  let bar: ProgressBar | undefined;
  return (progress: AttributionProgress): void => {
    const { read, total } = progress;
    if (total === 0) return;
    bar ??= new ProgressBar(context);
    bar.update(progress);
    if (read < total) return;
    bar[Symbol.dispose]();
    note(
      `Recomputed the attribution of ${formatQuantity(total, "call")}: the settings or the program have changed.`,
    );
  };
}
