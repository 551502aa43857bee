import { useEffect, useState } from "preact/hooks";
import { toPrintable } from "../../../../base/text/printable.ts";
import { formatCount } from "../../../../base/text/quantity-text.ts";
import type { Dimension } from "../../../../figures/dimensions.ts";
import { titleOf } from "../../../../figures/figure-text.ts";
import { answerChoices, type Choice } from "../more-answers.ts";
import { Menu } from "./menu.tsx";
import type { PartProps } from "./part.ts";

/** More are found by searching. */
const MAX_SHOWN = 200;

export function FilterMenu({
  dimension,
  source,
  answers: { view },
  go,
}: PartProps & { dimension: Dimension }) {
  const [isOpen, setOpen] = useState(false);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [search, setSearch] = useState("");
  useEffect(() => {
    if (isOpen) void answerChoices(source, view, dimension).then(setChoices);
  }, [isOpen, source, view, dimension]);
  const chosen = view.filter[dimension] ?? [];
  const matches = choices.filter(({ label, text }) =>
    `${label}\n${text}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const toggle = (text: string) => {
    const texts = chosen.includes(text) ? chosen.filter((each) => each !== text) : [...chosen, text];
    go({ filter: { ...view.filter, [dimension]: texts } });
  };
  const title = titleOf(dimension);
  return (
    <Menu
      label={chosen.length > 0 ? `${title}: ${formatCount(chosen.length)}` : title}
      filter={dimension}
      isMarked={chosen.length > 0}
      onOpen={setOpen}
    >
      <input
        type="search"
        placeholder={`Search ${title.toLowerCase()}`}
        aria-label={`Search ${title.toLowerCase()}`}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <ul>
        {matches.slice(0, MAX_SHOWN).map(({ text, label, calls }) => (
          <li key={text}>
            <label>
              <input
                type="checkbox"
                value={text}
                checked={chosen.includes(text)}
                onChange={() => toggle(text)}
              />
              <span>
                <bdi>{toPrintable(label)}</bdi>
                {text !== label && <span class="id">{toPrintable(text)}</span>}
              </span>
              <span class="count">{formatCount(calls)}</span>
            </label>
          </li>
        ))}
      </ul>
      {matches.length > MAX_SHOWN && <p>{formatCount(matches.length - MAX_SHOWN)} more: search for them.</p>}
      {matches.length === 0 && <p>No calls with such a value.</p>}
    </Menu>
  );
}
