import Table from "cli-table3";

/** Characters of a line. */
export const WIDTH = 80;

/** Cuts a text to a width, the last character then being `…`; control characters become spaces. */
export function ellipsize(text: string, width: number): string {
  const line = [...text.replace(/\p{Cc}/gu, " ")];
  return line.length <= width ? line.join("") : `${line.slice(0, width - 1).join("")}…`;
}

/** Returns a table in plain text: the first column to the left, the others to the right if not told otherwise. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  others: "left" | "right" = "right",
): string {
  const none = { top: "", "top-mid": "", "top-left": "", "top-right": "", bottom: "", "bottom-mid": "" };
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, index) => (index === 0 ? "left" : others)),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
    chars: {
      ...none,
      "bottom-left": "",
      "bottom-right": "",
      left: "",
      "left-mid": "",
      mid: "",
      "mid-mid": "",
      right: "",
      "right-mid": "",
      middle: "",
    },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Breaks a text behind a lead into lines of a width; those after the first are indented. */
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
