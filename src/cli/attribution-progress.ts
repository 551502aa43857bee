import type { AttributionProgress } from "../warehouse/attribute-all.ts";
import type { Context } from "./context.ts";
import { ProgressBar } from "./progress.ts";
import { formatQuantity } from "./terminal-text.ts";

/** Shows how far it is while calls are attributed anew, and says at the end how many that were. */
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
      `Attributed ${formatQuantity(total, "call")} anew: what decides about it is another than before.`,
    );
  };
}
