import { useEffect, useMemo, useState } from "preact/hooks";
import {
  answerDurations,
  answerMovers,
  answerWeek,
  type DurationBand,
  type Mover,
  type WeekHour,
} from "../more-answers.ts";
import type { View } from "../view.ts";
import { CallsSection } from "./calls-section.tsx";
import { Durations } from "./durations.tsx";
import { Movers } from "./movers.tsx";
import type { PartProps } from "./part.ts";
import { WeekSection } from "./week-section.tsx";

interface More {
  address: string;
  view: View;
  week: readonly WeekHour[];
  bands: readonly DurationBand[];
  comparisons: number;
  movers: readonly Mover[];
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
      if (isWanted) setMore({ address, view, week, bands: answerDurations(source, view), ...moved });
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
        <section>
          <h2>What moved most</h2>
          <Movers {...shown} />
        </section>
        <div class="pair">
          <WeekSection {...shown} />
          <Durations {...shown} />
        </div>
      </>
    );
  }, [source, more, go]);
}
