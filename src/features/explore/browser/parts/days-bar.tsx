import { useEffect, useRef, useState } from "preact/hooks";
import { daysInWords } from "../../../../base/calendar/period-text.ts";
import type { Days } from "../page-days.ts";
import { daysOutside, endDaysAt, presetDays, type View } from "../view.ts";
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

export function DaysBar({ source: { facts }, answers: { address, view }, go }: PartProps) {
  const { days } = view;
  const [refused, setRefused] = useState<{ view: View; days: Days }>();
  const outside = refused?.view === view ? refused.days : daysOutside(address, facts);
  const input = (end: keyof Days, label: string) => (
    <DayInput
      label={label}
      day={days[end]}
      file={facts}
      onEnter={(day) => {
        if (day < facts.from || day > facts.to) setRefused({ view, days: { from: day, to: day } });
        else go((now) => ({ days: endDaysAt(now.days, end, day), only: undefined }));
      }}
    />
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
                onClick={() => go({ days: preset, only: undefined })}
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
      <span role="status">
        {outside && `Not all in this file: ${daysInWords(outside)}. It has ${daysInWords(facts)}.`}
      </span>
    </fieldset>
  );
}

interface DayInputProps {
  label: string;
  day: string;
  /** The days that can be chosen. */
  file: Days;
  onEnter: (day: string) => void;
}

/** Takes a day when it is picked; a typed one on Enter or when the field is left, since each key makes another day. */
function DayInput({ label, day, file, onEnter }: DayInputProps) {
  const [draft, setDraft] = useState<string>();
  const isTyping = useRef(false);
  useEffect(() => {
    if (!isTyping.current) setDraft(undefined);
  }, [day]);
  const enter = () => {
    isTyping.current = false;
    setDraft(undefined);
    if (draft) onEnter(draft);
  };
  return (
    <label>
      {label}
      <input
        type="date"
        value={draft ?? day}
        min={file.from}
        max={file.to}
        onKeyDown={({ key, altKey }) => {
          if (key === "Enter") enter();
          else if (!altKey && TYPING.test(key)) isTyping.current = true;
        }}
        onInput={({ currentTarget: { value } }) => {
          if (isTyping.current) setDraft(value);
          else if (value) onEnter(value);
        }}
        onBlur={enter}
      />
    </label>
  );
}

/** Keys that change a part of a date; others, such as Alt with an arrow, open the calendar. */
const TYPING = /^(\d|Arrow(Up|Down)|Backspace|Delete)$/;
