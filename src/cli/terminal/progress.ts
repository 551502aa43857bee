import { SingleBar } from "cli-progress";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { SyncProgress } from "../../sync/read-calls.ts";
import type { AttributionProgress } from "../../warehouse/attribution/attribute-all.ts";
import type { Context } from "../context.ts";

/** A bar with rate and remaining time on a terminal; nothing elsewhere. */
export class ProgressBar implements Disposable {
  readonly #bar: SingleBar | undefined;
  readonly #startedMs = Date.now();
  #started = false;

  constructor({ options }: Pick<Context, "options">) {
    if (options.quiet || !process.stderr.isTTY) return;
    this.#bar = new SingleBar({
      format: "{account}{bar} {percentage}% | {read} of {all} calls | {rate}/s | {left} s left",
      barsize: 20,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      gracefulExit: false,
    });
  }

  /** @param account shown if several accounts take turns */
  update = ({ read, total }: SyncProgress, account?: string): void => {
    if (this.#bar === undefined) return;
    const seconds = Math.max(0.001, (Date.now() - this.#startedMs) / 1000);
    const rate = read / seconds;
    const payload = {
      account: account === undefined ? "" : `${account} `,
      read: formatCount(read),
      all: formatCount(total),
      rate: formatCount(Math.round(rate)),
      left: formatCount(Math.ceil(Math.max(0, total - read) / Math.max(1, rate))),
    };
    if (!this.#started) this.#bar.start(total, 0, payload);
    this.#started = true;
    this.#bar.setTotal(Math.max(total, read));
    this.#bar.update(read, payload);
  };

  /** Removes it until the next update. */
  clear = (): void => {
    this.#bar?.stop();
    this.#started = false;
  };

  [Symbol.dispose](): void {
    this.clear();
  }
}

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
