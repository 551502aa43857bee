import { UsageError } from "../base/errors.ts";
import type { DecimalSign } from "./amount-text.ts";
import { type DayOrder, type DayText, ordersOf } from "./day-text.ts";

/** What a line shows about the dates or numbers of its file. */
interface Evidence<Reading> {
  line: number;
  readings: readonly Reading[];
}

type OpenDay = Exclude<DayText, { day: string }>;

/** Collects how a file writes dates and numbers; of lines that show the same, only the first is kept. */
export class SpellingEvidence {
  readonly #days = new Map<string, { line: number; day: OpenDay }>();
  readonly #signs = new Map<string, Evidence<DecimalSign>>();

  addDay(line: number, day: DayText): void {
    if ("day" in day) return;
    const key = `${ordersOf(day)} ${day.first === day.second}`;
    if (!this.#days.has(key)) this.#days.set(key, { line, day });
  }

  addSigns(line: number, readings: readonly DecimalSign[]): void {
    const key = readings.join();
    if (!this.#signs.has(key)) this.#signs.set(key, { line, readings });
  }

  /** Returns what comes first in the file's dates; undefined if it does not matter. @throws UsageError if nothing shows it */
  decideOrder(): DayOrder | undefined {
    const days = [...this.#days.values()];
    const decided = decide(
      "--dates",
      [
        ["mdy", "has the month before the day"],
        ["dmy", "has the day before the month"],
      ],
      days.map(({ line, day }) => ({ line, readings: ordersOf(day) })),
    );
    const open = days.find(({ day: { first, second } }) => first !== second);
    if (decided !== undefined || open === undefined) return decided;
    const { first, second, year } = open.day;
    throw new UsageError(
      `its dates can be read in two ways: ${first}/${second}/${year} in line ${open.line}, and none has a number above 12 there`,
      { hint: "Say which comes first: --dates mdy (month) or --dates dmy (day)." },
    );
  }

  /** Returns the sign before the file's decimals; undefined if no number shows it. */
  decideSign(): DecimalSign | undefined {
    return decide(
      "--decimal",
      [
        ["point", "has decimals after a point"],
        ["comma", "has them after a comma"],
      ],
      [...this.#signs.values()],
    );
  }
}

/** Returns the reading that only some lines allow. @throws UsageError if lines contradict each other */
function decide<Reading extends string>(
  flag: string,
  says: readonly (readonly [Reading, string])[],
  evidence: readonly Evidence<Reading>[],
): Reading | undefined {
  const sure = says.flatMap(([reading, words]) => {
    const line = evidence.find(({ readings }) => readings.length === 1 && readings[0] === reading);
    return line === undefined ? [] : [{ reading, text: `line ${line.line} ${words}` }];
  });
  if (sure.length > 1) {
    throw new UsageError(sure.map(({ text }) => text).join(", and "), {
      hint: `Give ${says.map(([reading]) => `${flag} ${reading}`).join(" or ")}: rows with the other one are left out.`,
    });
  }
  return sure[0]?.reading;
}
