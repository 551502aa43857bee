import { useCallback, useState } from "preact/hooks";
import { countDays } from "../../../../base/calendar/dates.ts";
import { GRAINS } from "../../../../base/calendar/grain.ts";
import { formatCount, formatQuantity } from "../../../../base/text/quantity-text.ts";
import type { Measure } from "../../../../figures/rollup-query.ts";
import { isAlike, type TimePoint } from "../answers.ts";
import { CHART_SIDES, drawTime } from "../charts.ts";
import { formatDay, formatDays, formatFigure, formatPeriod, NONE, titleOfFigure } from "../format.ts";
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
      <p class="legend">
        <span class="now">{formatDays(view.days)}</span>
        {hasBefore && <span class="before">{view.compare === "year" ? "a year before" : "before"}</span>}
        <span class="pointed" aria-hidden="true">
          {pointed && describePoint(pointed, metric)}
        </span>
      </p>
      <Chart
        draw={draw}
        onPoint={(place) => setPointed(place && pointAt(place))}
        onChoose={(place) => choose(pointAt(place))}
      />
      <Numbers title={title} points={points} metric={metric} onChoose={choose} />
    </section>
  );
}

const isCompared = (points: readonly TimePoint[]) => points.some(({ before }) => before !== null);

const nowOf = ({ read }: TimePoint, metric: Measure) => formatFigure(metric, read);
const beforeOf = ({ read }: TimePoint, metric: Measure) => formatFigure(metric, read, "_previous");

/** Such as `19 Oct to 25 Oct`, and how many days, if not as many as the period has. */
function comparedDays({ days, daysBefore }: TimePoint): string {
  if (daysBefore === undefined) return NONE;
  const shown = formatDays(daysBefore);
  if (isAlike({ days, daysBefore })) return shown;
  return `${shown}: ${formatQuantity(countDays(daysBefore), "day")}, not ${formatCount(countDays(days))}`;
}

/** Says what the pointer is at. */
function describePoint(point: TimePoint, metric: Measure): string {
  const { days, period, before } = point;
  const when = days.from === days.to ? formatDay(period) : formatPeriod(period);
  const compared = before === null ? "" : `, before ${beforeOf(point, metric)} (${comparedDays(point)})`;
  return `${when}: ${nowOf(point, metric)}${compared}`;
}

interface NumbersProps {
  title: string;
  points: readonly TimePoint[];
  metric: Measure;
  onChoose: (point: TimePoint) => void;
}

/** The chart as a table. */
function Numbers({ title, points, metric, onChoose }: NumbersProps) {
  const hasBefore = isCompared(points);
  return (
    <details>
      <summary>Numbers</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Period</th>
              <th scope="col">{title}</th>
              {hasBefore && <th scope="col">Before</th>}
              {hasBefore && <th scope="col">Compared with</th>}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.period}>
                <th scope="row">
                  <button type="button" class="plain" onClick={() => onChoose(point)}>
                    {formatPeriod(point.period)}
                  </button>
                </th>
                <td>{nowOf(point, metric)}</td>
                {hasBefore && <td>{beforeOf(point, metric)}</td>}
                {hasBefore && <td>{comparedDays(point)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
