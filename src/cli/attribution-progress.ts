import type { AttributionProgress } from "../warehouse/attribute-all.ts";
import type { Context } from "./context.ts";
import { ProgressBar } from "./progress.ts";
import { formatQuantity } from "./terminal-text.ts";

/** Shows the progress of recomputing the attribution, and prints how many calls it covered. */
export function attributionProgress(context: Context): (progress: AttributionProgress) => void {
  let bar: ProgressBar | undefined;
  return (progress) => {
    const { read, total } = progress;
    if (total === 0) return;
    bar ??= new ProgressBar(context.quiet);
    bar.update(progress);
    if (read < total) return;
    bar[Symbol.dispose]();
    context.note(
      `Recomputed the attribution of ${formatQuantity(total, "call")}: the settings or the program have changed.`,
    );
  };
}
