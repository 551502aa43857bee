import { useEffect, useMemo, useState } from "preact/hooks";
import { daysInWords } from "../../../../base/calendar/period-text.ts";
import { durationSection } from "../../../../export/sections/durations.ts";
import type { Content } from "../../../../export/sections/element.ts";
import { moverSection } from "../../../../export/sections/mover-section.ts";
import type { Moved } from "../../../../export/sections/movers.ts";
import { comparedOf } from "../answers.ts";
import { live } from "../live.ts";
import {
  answerDurationFigures,
  answerDurations,
  answerMovers,
  answerWeek,
  filterTextOf,
  type WeekHour,
} from "../more-answers.ts";
import type { View } from "../view.ts";
import { CallsSection } from "./calls-section.tsx";
import type { PartProps } from "./part.ts";
import { WeekSection } from "./week-section.tsx";

interface More {
  address: string;
  view: View;
  week: readonly WeekHour[];
  durations: Content;
  moved: Moved | undefined;
}

/** What is computed after the figures and the table: it takes longer, and is below them. Groups of calls have none of it. */
export function MoreSections({ source, answers: { address, view }, go }: PartProps) {
  const [more, setMore] = useState<More>();
  useEffect(() => {
    if (source.facts.minCell !== null) return undefined;
    let isWanted = true;
    const find = async () => {
      const week = await answerWeek(source, view);
      const moved = await answerMovers(source, view);
      const durations = await ofDurations(source, view);
      if (isWanted) setMore({ address, view, week, moved, durations });
    };
    // The figures are painted first.
    const timer = setTimeout(() => void find());
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, address, view]);
  // Not drawn again while the next answers are computed.
  return useMemo(() => {
    if (more === undefined) return null;
    const shown = { source, go, ...more };
    return (
      <>
        {source.facts.listed && <CallsSection {...shown} />}
        {live(
          more.moved &&
            moverSection(more.moved, {
              before: daysBefore(source, more.view),
              onChoose: ({ dimension, key }) =>
                go({ filter: { ...more.view.filter, [dimension]: [filterTextOf(key)] } }),
            }),
        )}
        <div class="pair">
          <WeekSection {...shown} />
          <div class="durations">{live(more.durations)}</div>
        </div>
      </>
    );
  }, [source, more, go]);
}

function daysBefore(source: PartProps["source"], view: View): string {
  const compared = comparedOf(source, view);
  return typeof compared === "object" ? daysInWords(compared.range) : "";
}

async function ofDurations(source: PartProps["source"], view: View): Promise<Content> {
  const read = await answerDurationFigures(source, view);
  const numberOf = (name: string) => {
    const value = read(name);
    return typeof value === "number" ? value : null;
  };
  const { rules } = source.facts;
  return durationSection(answerDurations(source, view), {
    calls: numberOf("calls") ?? 0,
    qualified: numberOf("qualified_calls") ?? 0,
    average: numberOf("average_duration_seconds"),
    median: numberOf("median_duration_seconds"),
    seconds: rules.qualified_seconds,
    hasTopics: source.facts.hasTopics,
  });
}
