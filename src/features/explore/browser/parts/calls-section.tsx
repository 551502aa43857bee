import { useState } from "preact/hooks";
import { longLabelOf } from "../../../../base/calendar/period-text.ts";
import { toPrintable } from "../../../../base/text/printable.ts";
import { formatCount, formatDuration } from "../../../../base/text/quantity-text.ts";
import type { Column, Value } from "../../../../export/table.ts";
import { NONE, titleOf } from "../../../../figures/figure-text.ts";
import { LISTED_FIGURES } from "../page-calls.ts";
import { spanOf } from "../page-days.ts";
import { shownDays, type View } from "../view.ts";
import { Choice } from "./choice.tsx";
import type { PartProps } from "./part.ts";

const PAGE = 50;
/** Longer texts are shown when asked for. */
const SHORT = 120;

interface CallsProps extends Pick<PartProps, "source" | "go"> {
  /** Of the view. */
  address: string;
  view: View;
}

/** The calls behind the figures, the latest first. */
export function CallsSection({ source, address, view, go }: CallsProps) {
  const { facts, calls } = source;
  // The id comes first.
  const others = facts.listed?.slice(1) ?? [];
  const places = calls.listed(view.filter, spanOf(shownDays(view)), view.listed);
  const [place, setPlace] = useState({ view, first: 0 });
  // Another view begins with its first calls.
  const first = place.view === view ? place.first : 0;
  const end = Math.min(first + PAGE, places.length);
  const shown = [...places.subarray(places.length - end, places.length - first)].reverse();
  const turn = (to: number) => setPlace({ view, first: to });
  return (
    <section class="calls" data-address={address}>
      <div class="heading">
        <h2>The calls behind these figures</h2>
        <Choice
          label="Behind"
          value={view.listed}
          all={LISTED_FIGURES}
          onChoose={(listed = "calls") => go({ listed })}
        />
      </div>
      <div class="toolbar">
        <button type="button" disabled={first === 0} onClick={() => turn(Math.max(0, first - PAGE))}>
          Later calls
        </button>
        <button type="button" disabled={end === places.length} onClick={() => turn(end)}>
          Earlier calls
        </button>
        <span role="status">
          {places.length === 0
            ? "No calls"
            : `${formatCount(first + 1)} to ${formatCount(end)} of ${formatCount(places.length)}`}
        </span>
      </div>
      {/** biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Calls">
        <table>
          <thead>
            <tr>
              <th scope="col">Call</th>
              {others.map((column) => (
                <th key={column.name} scope="col" class={isText(column) ? "key" : ""}>
                  {titleOf(column.name.replace(/^call_started_local$/, "started"))}
                </th>
              ))}
              {view.by.map((name) => (
                <th key={`by ${name}`} scope="col" class="key">
                  {titleOf(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((call) => {
              const values = calls.callAt(call);
              return (
                <tr key={values[0]}>
                  <th scope="row">{values[0]}</th>
                  {others.map((column, index) => (
                    <td key={column.name} class={isText(column) ? "key" : ""}>
                      <Cell column={column} value={values[index + 1] ?? null} />
                    </td>
                  ))}
                  {view.by.map((name) => (
                    <td key={`by ${name}`} class="key">
                      <bdi>{toPrintable(String(calls.keyAt(call, name)))}</bdi>
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </section>
  );
}

const isText = ({ type }: Pick<Column, "type">) => type === "text";

function Cell({ column: { name, type }, value }: { column: Pick<Column, "name" | "type">; value: Value }) {
  if (value === null) return <>{NONE}</>;
  const text = toPrintable(String(value));
  if (name.includes("_seconds")) return <data value={text}>{formatDuration(Number(value))}</data>;
  if (type === "local time") {
    const [day = "", time = ""] = text.split(" ");
    return (
      <time dateTime={text}>
        {longLabelOf(day)}, {time}
      </time>
    );
  }
  if (name === "recording_url" && String(value).startsWith("https://"))
    return (
      <a href={String(value)} rel="noreferrer">
        Open
      </a>
    );
  if (text.length <= SHORT) return <bdi>{text}</bdi>;
  return (
    <details>
      <summary>
        <bdi>{text.slice(0, SHORT)}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
}
