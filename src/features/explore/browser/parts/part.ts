import type { TotalRow } from "../../../../export/table.ts";
import type { Answer, Card, Source, TimePoint } from "../answers.ts";
import type { View } from "../view.ts";

export interface Answers {
  /** What is after `#` in the address of the view, with the sign. */
  address: string;
  view: View;
  cards: readonly Card[];
  points: readonly TimePoint[];
  table: Answer & { totals: readonly TotalRow[] };
}

/** What to change; as a function, of the view that was chosen last, which may not be shown yet. */
export type Change = Partial<View> | ((view: View) => Partial<View>);

export interface PartProps {
  source: Source;
  answers: Answers;
  /** Shows another view, which the browser can go back from. */
  go: (change: Change) => void;
}
