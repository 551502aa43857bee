import { toPrintable } from "../../../../base/text/printable.ts";
import { formatCount } from "../../../../base/text/quantity-text.ts";
import { comparedOf } from "../answers.ts";
import { titleOf } from "../format.ts";
import type { Mover } from "../more-answers.ts";
import type { View } from "../view.ts";
import type { PartProps } from "./part.ts";

const MOVERS_SHOWN = 8;

interface MoversProps extends Pick<PartProps, "source" | "go"> {
  view: View;
  comparisons: number;
  movers: readonly Mover[];
}

export function Movers({ source, view, comparisons, movers, go }: MoversProps) {
  if (typeof comparedOf(source, view) !== "object") return <p class="faint">Nothing to compare with.</p>;
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
