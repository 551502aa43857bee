import { useCallback, useState } from "preact/hooks";
import { countDays } from "../../../../base/calendar/dates.ts";
import { GRAINS } from "../../../../base/calendar/grain.ts";
import { daysInWords, labelOf, longLabelOf } from "../../../../base/calendar/period-text.ts";
import { formatCount, formatQuantity } from "../../../../base/text/quantity-text.ts";
import { legend, periodLabels } from "../../../../export/sections/charts.ts";
import { element } from "../../../../export/sections/element.ts";
import { headCell, headRow, keyHead, numbers } from "../../../../export/sections/tables.ts";
import { formatFigure, NONE } from "../../../../figures/figure-text.ts";
import type { Measure } from "../../../../figures/rollup-query.ts";
import { isAlike, type TimePoint, titleOfFigure } from "../answers.ts";
import { CHART_SIDES, drawTime } from "../charts.ts";
import { live } from "../live.ts";
import { Chart } from "./chart.tsx";
import { Choice } from "./choice.tsx";
import type { PartProps } from "./part.ts";

const HEIGHT = 260;

export function TimeSection({ source: { facts }, answers: { view, cards, points }, go }: PartProps) {
  const [pointed, setPointed] = useState<TimePoint>();
  const metric = cards.find((card) => card.metric.name === view.chart)?.metric;
  const { only } = view;
  const chosen = only && points.findIndex(({ days }) => days.from === only.from && days.to === only.to);
  const title = metric ? titleOfFigure(facts, metric.name) : "";
  const hasBefore = isCompared(points);
  const draw = useCallback(
    (width: number) =>
      metric === undefined
        ? ""
        : drawTime(points, {
            metric,
            chosen,
            width,
            height: HEIGHT,
            label: `${title} by period; the numbers are below`,
          }),
    [points, metric, chosen, title],
  );
  if (metric === undefined) return null;
  const pointAt = ({ x, width }: { x: number; width: number }) => {
    const { left, right } = CHART_SIDES;
    const share = (x - left) / (width - left - right);
    return share < 0 || share >= 1 ? undefined : points[Math.floor(share * points.length)];
  };
  const choose = (point: TimePoint | undefined) => {
    if (point === undefined) return;
    const isChosen = chosen !== undefined && points[chosen] === point;
    go({ only: isChosen || points.length === 1 ? undefined : point.days });
  };
  return (
    <section>
      <div class="heading">
        <h2>{title} by period</h2>
        <Choice
          label="Periods"
          value={view.grain}
          none="auto"
          all={GRAINS}
          onChoose={(grain) => go({ grain })}
        />
      </div>
      {live(
        legend(
          [
            { text: daysInWords(view.days), color: "var(--now)" },
            ...(hasBefore
              ? [{ text: view.compare === "year" ? "a year before" : "before", color: "var(--before)" }]
              : []),
          ],
          element(
            "li",
            { class: "pointed", "aria-hidden": "true" },
            pointed && describePoint(pointed, metric),
          ),
        ),
      )}
      <Chart
        draw={draw}
        onPoint={(place) => setPointed(place && pointAt(place))}
        onChoose={(place) => choose(pointAt(place))}
      />
      {live(pointNumbers(title, points, { metric, onChoose: choose }))}
    </section>
  );
}

const isCompared = (points: readonly TimePoint[]) => points.some(({ before }) => before !== null);

const nowOf = ({ read }: TimePoint, metric: Measure) => formatFigure(metric, read);
const beforeOf = ({ read }: TimePoint, metric: Measure) => formatFigure(metric, read, "_previous");

/** Such as `19 Oct to 25 Oct`, and how many days, if not as many as the period has. */
function comparedDays({ days, daysBefore }: TimePoint): string {
  if (daysBefore === undefined) return NONE;
  const shown = daysInWords(daysBefore);
  if (isAlike({ days, daysBefore })) return shown;
  return `${shown}: ${formatQuantity(countDays(daysBefore), "day")}, not ${formatCount(countDays(days))}`;
}

/** Says what the pointer is at. */
function describePoint(point: TimePoint, metric: Measure): string {
  const { days, period, before } = point;
  const when = days.from === days.to ? longLabelOf(period) : labelOf(period);
  const compared = before === null ? "" : `, before ${beforeOf(point, metric)} (${comparedDays(point)})`;
  return `${when}: ${nowOf(point, metric)}${compared}`;
}

/** The chart as a table. */
function pointNumbers(
  title: string,
  points: readonly TimePoint[],
  { metric, onChoose }: { metric: Measure; onChoose: (point: TimePoint) => void },
) {
  const labels = periodLabels(points.map(({ period }) => period));
  const isBefore = isCompared(points);
  const heads = ["Period", title, ...(isBefore ? ["Before", "Compared with"] : [])];
  const rows = points.map((point, index) => {
    const cells = [nowOf(point, metric), ...(isBefore ? [beforeOf(point, metric), comparedDays(point)] : [])];
    return element(
      "tr",
      { key: point.period },
      keyHead(labels[index], { onChoose: () => onChoose(point) }),
      ...cells.map((cell) => element("td", {}, cell)),
    );
  });
  return numbers(`${title} by period`, headRow(...heads.map(headCell)), rows);
}
