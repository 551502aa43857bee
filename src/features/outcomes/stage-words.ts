import { orMeant } from "../../base/text/nearest.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { toCaseless } from "../../calls/attribution/call-text.ts";
import { STAGES, type Stage } from "../../calls/filter.ts";
import { quote, Unreadable } from "../../intake/unreadable.ts";

/** Stages by the words of a file, as {@link toStageWord} returns them. */
export type StageWords = ReadonlyMap<string, Stage>;

export const toStageWord = toCaseless;

const STAGE_BY_NAME: StageWords = new Map(STAGES.map((stage) => [stage, stage]));

/** Words for a job whose amount was paid back; such a line earns nothing, and its amount below 0 counts as a refund. */
const REFUNDS: ReadonlySet<string> = new Set([
  ...["refund", "refunds", "refunded", "partial refund", "partially refunded", "refund receipt"],
  ...[
    "credit note",
    "credit memo",
    "credited",
    "chargeback",
    "charge back",
    "charged back",
    "reversed",
    "reversal",
  ],
]);
/** Words for an invoice that was canceled. */
const VOID: ReadonlySet<string> = new Set(["void", "voided"]);

/** What other words usually mean: suggestions, which nothing takes for granted. */
const USUAL: readonly [Stage, RegExp][] = [
  ["lost", /lost|cancel|declin|reject|no.?show|dead|unqualified|abandon|archiv|expired/],
  ["sold", /won|sold|paid|complet|done|finish|closed|invoic|deliver|success/],
  [
    "booked",
    /open|book|schedul|quot|estimat|appoint|pend|progress|new|draft|sent|approved|accept|hold|active|upcoming|assign/,
  ],
];

export interface LineStage {
  stage: Stage;
  isRefund: boolean;
}

/** Returns the stage that a word of a file means. @param ofNone of lines without a word @throws Unreadable */
export function readStage(
  text: string,
  { words, ofNone, amount }: { words: StageWords; ofNone: Stage | undefined; amount: number | null },
): LineStage {
  const word = toStageWord(text);
  const isBelow = amount !== null && amount < 0;
  const known = words.get(word) ?? STAGE_BY_NAME.get(word) ?? (word === "" ? ofNone : undefined);
  if (known !== undefined) return { stage: known, isRefund: isBelow };
  if (word === "") throw new Unreadable("no stage");
  if (VOID.has(word)) return { stage: "lost", isRefund: isBelow };
  if (!REFUNDS.has(word))
    throw new Unreadable(
      `the stage ${quote(word)} is none of ${STAGES.join(", ")}: translate it with --map-stage${orMeant(word, STAGES)}`,
      word,
    );
  if (amount !== null && amount > 0)
    throw new Unreadable(
      `a refund is written below 0, and the amount of this line (${quote(word)}) is above: write -, or pass --map-stage "${word}=lost" for a job that earned nothing`,
    );
  return { stage: "lost", isRefund: true };
}

const SHOWN = 10;

/** Lists unknown words, the most frequent first. */
export function listWords(words: ReadonlyMap<string, number>): string {
  const shown = mostOf(words).map(
    ([word, count]) => `${JSON.stringify(word)} (${formatQuantity(count, "line")})`,
  );
  const more = words.size - SHOWN;
  return [...shown, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(", ");
}

/** Suggests what unknown words probably mean, as `--map-stage` takes it. */
export function adviseOnWords(words: ReadonlyMap<string, number>): string {
  const map = mostOf(words).map(
    ([word]) => `${word}=${USUAL.find(([, pattern]) => pattern.test(word))?.[0] ?? "STAGE"}`,
  );
  return `Say what they mean, ${STAGES.join(", ")}, such as --map-stage "${map.join(",")}".`;
}

const mostOf = (words: ReadonlyMap<string, number>) =>
  [...words].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
