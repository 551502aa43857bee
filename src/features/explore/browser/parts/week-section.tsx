import { useCallback, useMemo, useState } from "preact/hooks";
import { legend } from "../../../../export/sections/charts.ts";
import { element } from "../../../../export/sections/element.ts";
import { heatOfCounts, heatOfValues } from "../../../../export/sections/week.ts";
import { formatFigure, formatTick, titleOf } from "../../../../figures/figure-text.ts";
import { cardFigures } from "../answers.ts";
import { drawWeek, weekHourAt } from "../charts.ts";
import { live } from "../live.ts";
import { type WeekHour, weekFigure } from "../more-answers.ts";
import type { View } from "../view.ts";
import { Chart } from "./chart.tsx";
import type { PartProps } from "./part.ts";

const HEIGHT = 230;

interface WeekProps extends Pick<PartProps, "source" | "go"> {
  view: View;
  week: readonly WeekHour[];
}

export function WeekSection({ source, view, week, go }: WeekProps) {
  const [pointed, setPointed] = useState<WeekHour>();
  const metric = cardFigures(source.facts).find(({ name }) => name === weekFigure(view));
  const title = titleOf(weekFigure(view));
  const heat = useMemo(() => {
    const values = new Map(week.map(({ weekday, hour, value }) => [`${weekday} ${hour}`, value]));
    if (metric === undefined || metric.type === "integer") return heatOfCounts(values);
    return heatOfValues(values, (value) => formatTick(metric, value));
  }, [week, metric]);
  const draw = useCallback(
    (width: number) => drawWeek(heat, { width, height: HEIGHT, label: `${title} by hours of the week` }),
    [heat, title],
  );
  const hourAt = (place: { x: number; y: number; width: number } | undefined) => {
    const at = place && weekHourAt(place, { width: place.width, height: HEIGHT });
    return week.find(({ weekday, hour }) => weekday === at?.weekday && hour === at.hour);
  };
  return (
    <section>
      <h2>{title} by hours of the week</h2>
      {live(
        legend(
          heat.steps,
          element(
            "li",
            { class: "pointed", "aria-hidden": "true" },
            pointed &&
              metric &&
              `${pointed.weekday} ${pointed.hour}:00: ${formatFigure(metric, pointed.read)}`,
          ),
        ),
      )}
      <Chart
        draw={draw}
        onPoint={(place) => setPointed(hourAt(place))}
        onChoose={(place) => {
          const at = hourAt(place);
          if (at) go({ filter: { ...view.filter, weekday: [at.weekday], hour: [at.hour] } });
        }}
      />
    </section>
  );
}
