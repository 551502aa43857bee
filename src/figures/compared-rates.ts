import { CALL_METRICS, MISSED_RATE } from "./metrics.ts";

/** A rate in which rows can be compared: each call of the whole is in the part, or is not. */
export interface ComparedRate {
  name: string;
  part: string;
  whole: string;
  help: string;
}

const helpOf = (rate: string) => CALL_METRICS.find(({ name }) => name === rate)?.help ?? "";

export const COMPARED_RATES: readonly ComparedRate[] = [
  { name: "answer_rate", part: "answered_calls", whole: "calls", help: helpOf("answer_rate") },
  { name: MISSED_RATE.name, part: "missed_calls", whole: "calls", help: MISSED_RATE.help },
  { name: "qualified_rate", part: "qualified_calls", whole: "calls", help: helpOf("qualified_rate") },
  { name: "booked_rate", part: "booked_calls", whole: "calls", help: "booked_calls / calls." },
];

/** Returns the rates that are compared if only these figures are written. */
export function ratesAmong(figures: readonly string[] | undefined): readonly ComparedRate[] {
  if (figures === undefined) return COMPARED_RATES;
  return COMPARED_RATES.filter(({ name, part }) => figures.includes(name) || figures.includes(part));
}

/** Returns the figures that are read to compare rows, in addition to the written ones. */
export function figuresToCompare(figures: readonly string[] | undefined): readonly string[] {
  return ratesAmong(figures).flatMap(({ part, whole }) => [part, whole]);
}
