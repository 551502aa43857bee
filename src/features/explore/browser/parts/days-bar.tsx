import type { Days } from "../page-days.ts";
import { presetDays } from "../view.ts";
import type { PartProps } from "./part.ts";

const PRESETS = [
  ["7d", "7 days"],
  ["4w", "4 weeks"],
  ["3m", "3 months"],
  ["last-month", "Last month"],
  ["ytd", "This year"],
  ["all", "All"],
] as const;

const isSame = (a: Days | undefined, b: Days) => a?.from === b.from && a.to === b.to;

export function DaysBar({ source: { facts }, answers: { view }, go }: PartProps) {
  const { days } = view;
  const choose = (chosen: Days) => go({ days: chosen, only: undefined });
  const input = (end: "from" | "to", label: string) => (
    <label>
      {label}
      <input
        type="date"
        value={days[end]}
        min={facts.from}
        max={facts.to}
        onChange={({ currentTarget: { value } }) => {
          if (value < facts.from || value > facts.to) return;
          const other = end === "from" ? days.to : days.from;
          choose(value <= other ? { from: value, to: other } : { from: other, to: value });
        }}
      />
    </label>
  );
  return (
    <fieldset class="toolbar" aria-label="Days">
      <div class="presets">
        {PRESETS.map(([last, label]) => {
          const preset = presetDays(facts, last);
          return (
            preset && (
              <button
                key={last}
                type="button"
                aria-pressed={isSame(preset, days)}
                onClick={() => choose(preset)}
              >
                {label}
              </button>
            )
          );
        })}
      </div>
      {input("from", "From")}
      {input("to", "to")}
      <label>
        Compared with
        <select
          value={view.compare ?? "none"}
          onChange={({ currentTarget: { value } }) =>
            go({ compare: value === "previous" || value === "year" ? value : undefined })
          }
        >
          <option value="previous">days before</option>
          <option value="year">year before</option>
          <option value="none">nothing</option>
        </select>
      </label>
    </fieldset>
  );
}
