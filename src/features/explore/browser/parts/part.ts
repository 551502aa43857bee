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

export interface PartProps {
  source: Source;
  answers: Answers;
  /** Shows another view, which the browser can go back from. */
  go: (change: Partial<View>) => void;
}
