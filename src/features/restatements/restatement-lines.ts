import { relative } from "node:path";
import { minutesOf } from "../../base/calendar/local-time.ts";
import { formatCount } from "../../base/text/quantity-text.ts";
import { ellipsize, hang } from "../../base/text/terminal-text.ts";
import { groupByCalls } from "./group-by-calls.ts";
import type { Restatement } from "./restatement.ts";
import {
  describeCalls,
  describeCause,
  describeRestatement,
  describeValues,
  keyInWords,
} from "./restatement-words.ts";

const WIDTH = 78;
/** More are readable only as JSON. */
const MAX_SHOWN = 200;

interface Place {
  /** IANA zone of times. */
  timezone: string;
  /** Paths are relative to it. */
  folder: string;
}

/** Describes restatements by the calls behind them: what happened to these, and below it the figures of each file. */
export function describeByCalls(restatements: readonly Restatement[], { timezone, folder }: Place): string {
  const minuteOf = minutesOf(timezone);
  return describe(restatements, (shown) =>
    groupByCalls(shown).map((figures) => {
      const cause = `${minuteOf(figures[0]?.found_at ?? "")}  `;
      const files = Map.groupBy(figures, (each) => fileLine(each, { timezone, folder }));
      return [
        ...hang(cause, describeCause(figures), cause.length, WIDTH),
        ...files.entries().flatMap(([file, ofFile]) => {
          const rows = Map.groupBy(ofFile, rowInWords);
          return [
            `  ${file}`,
            ...rows.entries().flatMap(([row, cells]) => {
              const values = cells.map((each) => `${each.metric} ${describeValues(each)}`).join(", ");
              return hang(`    ${row === "" ? "" : `${ellipsize(row, WIDTH / 2)}  `}`, values, 6, WIDTH);
            }),
          ];
        }),
      ];
    }),
  );
}

/** Describes each figure by itself, with its calls and what changed in each. */
export function describeEach(restatements: readonly Restatement[], place: Place): string {
  const minuteOf = minutesOf(place.timezone);
  const headOf = (each: Restatement) => `${minuteOf(each.found_at)}  ${fileLine(each, place)}`;
  return describe(restatements, (shown) =>
    Map.groupBy(shown, headOf)
      .entries()
      .map(([head, figures]) => [
        head,
        ...figures.flatMap((each) => [
          `  ${[rowInWords(each), each.metric].filter((text) => text !== "").join("  ")}`,
          ...hang("    ", describeRestatement(each), 6, WIDTH),
          ...describeCalls(each).flatMap((line) => hang("      ", line, 8, WIDTH)),
        ]),
      ])
      .toArray(),
  );
}

function describe(
  restatements: readonly Restatement[],
  toParagraphs: (shown: readonly Restatement[]) => readonly (readonly string[])[],
): string {
  if (restatements.length === 0) return "No restatements.";
  const more = restatements.length - MAX_SHOWN;
  const paragraphs = [
    ...toParagraphs(restatements.slice(0, MAX_SHOWN)),
    ...(more > 0 ? [[`${formatCount(more)} more, earlier: --json lists all of them.`]] : []),
  ];
  return paragraphs.map((lines) => lines.map((line) => ellipsize(line, WIDTH)).join("\n")).join("\n\n");
}

function fileLine({ path, contents, exported_at }: Restatement, { timezone, folder }: Place): string {
  return `${relative(folder, path)}, ${contents}, exported ${minutesOf(timezone)(exported_at)}`;
}

function rowInWords(restatement: Restatement): string {
  return [restatement.period, keyInWords(restatement)].filter((text) => text !== "").join("  ");
}
