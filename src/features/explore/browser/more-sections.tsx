import { useCallback, useEffect, useState } from "preact/hooks";
import { toPrintable } from "../../../base/printable.ts";
import { comparedOf } from "./answers.ts";
import { CallsSection } from "./calls-section.tsx";
import { Chart } from "./chart.tsx";
import { drawWeek, weekHourAt } from "./charts.ts";
import { formatCount, formatFigure, formatSeconds, titleOf } from "./format.ts";
import {
  answerDurations,
  answerMovers,
  answerWeek,
  type DurationBand,
  type Mover,
  type WeekHour,
  weekFigure,
} from "./more-answers.ts";
import type { PartProps } from "./part.ts";
import type { View } from "./view.ts";

const WEEK_HEIGHT = 230;
const MOVERS_SHOWN = 8;

interface More {
  address: string;
  view: View;
  week: readonly WeekHour[];
  bands: readonly DurationBand[];
  comparisons: number;
  movers: readonly Mover[];
}

/** What is computed after the figures and the table: it takes longer, and is below them. */
export function MoreSections({ source, answers: { address, view, cards }, go }: PartProps) {
  const [more, setMore] = useState<More>();
  useEffect(() => {
    let isWanted = true;
    const find = async () => {
      const week = source.facts.minCell === null ? await answerWeek(source, view) : [];
      const moved = await answerMovers(source, view);
      if (isWanted) setMore({ address, view, week, bands: answerDurations(source, view), ...moved });
    };
    // The figures are painted first.
    const timer = setTimeout(() => void find());
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, address, view]);
  const metric = cards.find((card) => more && card.metric.name === weekFigure(more.view))?.metric;
  const [pointed, setPointed] = useState<WeekHour>();
  const title = metric ? titleOf(metric.name) : "";
  const draw = useCallback(
    (width: number) =>
      more === undefined
        ? ""
        : drawWeek(more.week, { width, height: WEEK_HEIGHT, label: `${title} by hours of the week` }),
    [more, title],
  );
  if (more === undefined || metric === undefined) return null;
  const hourAt = (place: { x: number; y: number; width: number } | undefined) => {
    const at = place && weekHourAt(place, { width: place.width, height: WEEK_HEIGHT });
    return more.week.find(({ weekday, hour }) => weekday === at?.weekday && hour === at.hour);
  };
  const most = Math.max(1, ...more.bands.map(({ calls }) => calls));
  return (
    <>
      {source.facts.listed && (
        <CallsSection source={source} address={more.address} view={more.view} go={go} />
      )}
      {source.facts.minCell === null && (
        <section>
          <h2>What moved most</h2>
          <Movers {...more} isCompared={typeof comparedOf(source.facts, more.view) === "object"} go={go} />
        </section>
      )}
      {source.facts.minCell === null && (
        <div class="pair">
          <section>
            <h2>{title} by hours of the week</h2>
            <p class="legend">
              <span>A stronger color means more.</span>
              <span class="pointed" aria-hidden="true">
                {pointed && `${pointed.weekday} ${pointed.hour}:00: ${formatFigure(metric, pointed.value)}`}
              </span>
            </p>
            <Chart
              draw={draw}
              onPoint={(place) => setPointed(hourAt(place))}
              onChoose={(place) => {
                const at = hourAt(place);
                if (at) go({ filter: { ...view.filter, weekday: [at.weekday], hour: [at.hour] } });
              }}
            />
          </section>
          <section>
            <h2>Durations</h2>
            <table class="bands">
              <tbody>
                {more.bands.map(({ from, to, calls }) => (
                  <tr key={`${from} ${to}`}>
                    <th scope="row">{describeBand(from, to)}</th>
                    <td>{formatCount(calls)}</td>
                    <td class="wide">
                      <Bar share={calls / most} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </div>
      )}
    </>
  );
}

function Movers({
  comparisons,
  movers,
  view,
  isCompared,
  go,
}: More & { isCompared: boolean; go: PartProps["go"] }) {
  if (!isCompared) return <p class="faint">Nothing to compare with.</p>;
  if (movers.length === 0)
    return (
      <p class="faint">Nothing: chance explains all changes in {formatCount(comparisons)} comparisons.</p>
    );
  return (
    <>
      <p class="faint">
        Changes of calls that chance does not explain, even with {formatCount(comparisons)} comparisons.
      </p>
      <table>
        <tbody>
          {movers.slice(0, MOVERS_SHOWN).map(({ dimension, text, label, calls, before }) => (
            <tr key={`${dimension} ${text}`}>
              <th scope="row">
                <button
                  type="button"
                  class="plain"
                  onClick={() => go({ filter: { ...view.filter, [dimension]: [text] } })}
                >
                  {titleOf(dimension)}: <bdi>{toPrintable(label)}</bdi>
                </button>
              </th>
              <td>
                {formatCount(before)} → {formatCount(calls)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export function Bar({ share }: { share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width={100 * share} height="4" />
    </svg>
  );
}

function describeBand(from: number | null, to: number | null): string {
  if (from === null) return to === null ? "unknown" : "below 0";
  return to === null ? `${formatSeconds(from)} or longer` : `${formatSeconds(from)} – ${formatSeconds(to)}`;
}
