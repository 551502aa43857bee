import stringWidth from "string-width";

export const WIDTH = 80;
export const GAP = "  ";
const ASCII = /^[ -~]*$/;

export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Cuts a text to a width, ending with `…`; control characters become spaces. */
export function ellipsize(text: string, width: number): string {
  const line = text.replace(/\p{Cc}/gu, " ");
  if (widthOf(line) <= width) return line;
  let start = "";
  let columns = 1; // the ellipsis
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, width * 16))) {
    columns += widthOf(segment);
    if (columns > width) break;
    start += segment;
  }
  return `${start}…`;
}

/** Returns a plain-text table, first column left-aligned, others right-aligned by default. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: "left" | "right" = "right",
): string {
  return alignColumns(
    [head, ...rows],
    head.map((_, index) => index > 0 && others === "right"),
  );
}

/** Returns rows in aligned columns; a cell may have several lines. @param least minimum widths of the columns */
export function alignColumns(
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
  least: readonly number[] = [],
): string {
  const lines = rows.flatMap((row) => {
    const cells = row.map((cell) => cell.split("\n"));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ""));
  });
  const widths = isRight.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[index] ?? "")), least[index] ?? 0),
  );
  const align = (cell: string, index: number) => {
    const padding = " ".repeat((widths[index] ?? 0) - widthOf(cell));
    return isRight[index] ? padding + cell : cell + padding;
  };
  return lines.map((line) => line.map(align).join(GAP).trimEnd()).join("\n");
}

/** Wraps a text behind a lead, with further lines indented. */
export function hang(lead: string, text: string, indent: number, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (longer.length > width && !isEmpty) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else {
      line = longer;
    }
    isEmpty = false;
  }
  return [...lines, line];
}

/** Returns lines below a sentence. */
export function linesBelow(lines: readonly string[]): string {
  return lines.map((line) => `\n  ${line}`).join("");
}
