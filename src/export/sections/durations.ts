import { formatCount, formatDuration, formatQuantity } from "../../base/text/quantity-text.ts";
import type { DurationBand } from "../../figures/duration-bands.ts";
import { type Element, element } from "./element.ts";
import { bar, countOf } from "./figure-cells.ts";
import { headCell, headRow, scrolled } from "./tables.ts";

interface DurationOptions {
  calls: number;
  qualified: number;
  /** Of the calls that have a duration; null if none has. */
  average: number | null;
  median: number | null;
  /** How long a qualified call lasts at least. */
  seconds: number;
  /** Whether topics decide, too. */
  hasTopics: boolean;
}

/** How long calls last, by bands of unequal length, and how many are qualified by that. */
export function durationSection(bands: readonly DurationBand[], options: DurationOptions): Element {
  const { calls, qualified, average, median, seconds, hasTopics } = options;
  const long = `${formatDuration(seconds)} or longer${hasTopics ? ", unless the topic decides" : ""}`;
  const title =
    median === null
      ? "No call has a duration"
      : `${formatCount(qualified)} of ${formatQuantity(calls, "call")} qualified: answered, and ${long}`;
  const most = Math.max(1, ...bands.map((band) => band.calls));
  const number = (count: number, more?: Element) => element("td", {}, countOf(count), more);
  return element(
    "section",
    {},
    element("h2", {}, title),
    average !== null &&
      median !== null &&
      element(
        "p",
        {},
        `Of the calls that have a duration: average ${formatDuration(average)}, median ${formatDuration(median)}, in minutes and seconds.`,
      ),
    scrolled(
      "Calls by duration",
      headRow(...["Duration", "Calls", "Answered", "Missed"].map(headCell)),
      element(
        "tbody",
        {},
        ...bands.map((band) =>
          element(
            "tr",
            { key: bandName(band) },
            element("th", { scope: "row" }, bandName(band)),
            number(band.calls, bar(band.calls / most)),
            number(band.answered_calls),
            number(band.missed_calls),
          ),
        ),
      ),
    ),
  );
}

function bandName({ from_seconds: from, to_seconds: to }: DurationBand): string {
  if (from === null) return to === null ? "none" : "below 0";
  return to === null ? `${formatDuration(from)}+` : `${formatDuration(from)}–${formatDuration(to - 1)}`;
}
