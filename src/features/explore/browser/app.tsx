import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { daysInWords } from "../../../base/calendar/period-text.ts";
import { verdict } from "../../../export/sections/basis.ts";
import { titleOf } from "../../../figures/figure-text.ts";
import type { PageFacts } from "../page-facts.ts";
import { answerCards, answerTable, answerTime, cardFigures, figuresOfPage, type Source } from "./answers.ts";
import { live } from "./live.ts";
import { Basis } from "./parts/basis.tsx";
import { Cards } from "./parts/cards.tsx";
import { Crumbs } from "./parts/crumbs.tsx";
import { DaysBar } from "./parts/days-bar.tsx";
import { FilterMenu } from "./parts/filter-menu.tsx";
import { MoreSections } from "./parts/more-sections.tsx";
import type { Answers, Change, PartProps } from "./parts/part.ts";
import { TableSection } from "./parts/table-section.tsx";
import { TimeSection } from "./parts/time-section.tsx";
import { defaultView, fromHash, shownDays, toHash } from "./view.ts";
import { basisOfView } from "./view-statements.ts";

/** @param props.isUndamaged whether the calls have their hash; undefined if it could not be checked */
export function App({ source, isUndamaged }: { source: Source; isUndamaged: boolean | undefined }) {
  const { facts } = source;
  const known = useMemo(() => {
    const figures = figuresOfPage(facts).map(({ name }) => name);
    const charts = cardFigures(facts).map(({ name }) => name);
    return { facts, figures, charts, standard: defaultView(facts, figures) };
  }, [facts]);
  const [address, setAddress] = useState(location.hash);
  const view = useMemo(() => fromHash(address, known), [address, known]);
  const [answers, setAnswers] = useState<Answers>();
  useEffect(() => {
    const read = () => setAddress(location.hash);
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  // Not after the next paint: the answer takes less time than that.
  useLayoutEffect(() => {
    let isWanted = true;
    const find = async () => {
      const [cards, points, table] = await Promise.all([
        answerCards(source, view),
        answerTime(source, view),
        answerTable(source, view),
      ]);
      if (isWanted) setAnswers({ address, view, cards, points, table });
    };
    void find();
    return () => {
      isWanted = false;
    };
  }, [source, address, view]);
  const go = useCallback(
    (change: Change) => {
      const now = fromHash(location.hash, known);
      const changed = typeof change === "function" ? change(now) : change;
      location.hash = toHash({ ...now, ...changed }, known.standard);
    },
    [known],
  );
  if (answers === undefined) return <p id="progress">Computing…</p>;
  const props = { source, answers, go };
  return (
    <>
      <header>
        <Whose {...props} />
        <h1>Calls, {daysInWords(shownDays(answers.view))}</h1>
        {live(verdict(basisOfView(source, answers.view), facts))}
        <DaysBar {...props} />
        <fieldset class="filters" aria-label="Filters">
          {facts.dimensions.map((dimension) => (
            <FilterMenu key={dimension} dimension={dimension} {...props} />
          ))}
        </fieldset>
        <Crumbs {...props} />
        {facts.minCell !== null && <p class="faint">{describeGroups(facts)}</p>}
      </header>
      <main aria-busy={answers.view !== view} data-address={answers.address}>
        <Cards {...props} />
        <TimeSection {...props} />
        <TableSection {...props} />
        <MoreSections {...props} />
        <Basis isUndamaged={isUndamaged} {...props} />
      </main>
    </>
  );
}

function Whose({ source: { facts } }: PartProps) {
  if (facts.name === null && facts.logo === null) return null;
  return (
    <p class="whose">
      {facts.logo !== null && <img src={facts.logo} alt="" />}
      {facts.name !== null && <bdi>{facts.name}</bdi>}
    </p>
  );
}

/** What a file of groups lacks. */
function describeGroups({ minCell, dimensions }: PageFacts): string {
  const names = dimensions.filter((name) => name !== "weekday").map((name) => titleOf(name).toLowerCase());
  return `This file holds groups of at least ${minCell} calls, by day and ${names.join(" and ")}: smaller groups of a day are together in (other), and days with fewer calls are left out. It has no other filters, no hours, callers, medians, durations, costs and outcomes, and no list of calls.`;
}
