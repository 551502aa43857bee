import { parse } from "csv-parse/sync";

/** A cell of a table on the page: its text, and the exact numbers behind it. */
export interface Cell {
  text: string;
  value: number | null;
  /** All of them: of a figure that is compared, also its change and what it was. */
  values: number[];
  /** The period that its text names; undefined for other cells. */
  period: string | undefined;
}

/** Reads the tables of a report, by the heading above and by their caption. */
export function readTables(page: string): { title: string; label: string; head: string[]; rows: Cell[][] }[] {
  const pieces = page.split(/(?=<h[123][ >])/);
  return pieces.flatMap((piece) => {
    const title = toText(/^<h\d[^>]*>(.*?)<\/h\d>/s.exec(piece)?.[1] ?? "");
    return [...piece.matchAll(/(?:aria-label="([^"]*)"[^>]*>)?<table>(.*?)<\/table>/gs)].map(
      ([, label = "", table = ""]) => {
        const [head = [], ...rows] = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
          [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => ({
            text: toText(cell.replace('<span class="change', " $&")),
            value: toValues(cell)[0] ?? null,
            values: toValues(cell),
            period: /<time datetime="([^"]*)">/.exec(cell)?.[1],
          })),
        );
        return { title, label: toText(label), head: head.map(({ text }) => text), rows };
      },
    );
  });
}

/** Reads the headline: its names, and the numbers below each. */
export function readHeadline(page: string): Map<string, (number | null)[]> {
  const list = /<ul class="tiles">(.*?)<\/ul>/s.exec(page)?.[1] ?? "";
  const tiles = [...list.matchAll(/<li><div><span class="name">(.*?)<\/span>(.*?)<\/div><\/li>/gs)];
  return new Map(
    tiles.map(([, name = "", tile = ""]) => [
      toText(name),
      [...tile.matchAll(/<data value="([^"]*)">/g)].map(([, value]) => Number(value)),
    ]),
  );
}

/** Reads a CSV file as objects, with numbers, and null for empty cells. */
export function readCsv(text: string): Record<string, string | number | null>[] {
  return parse(text, { columns: true, bom: true, cast: toCell });
}

function toCell(text: string): string | number | null {
  if (text === "") return null;
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text; // ids have more digits than a number can hold
}

function toValues(cell: string): number[] {
  return [...cell.matchAll(/<data value="([^"]*)">/g)].map(([, value]) => Number(value));
}

function toText(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .trim();
}

/** Reads the text of a page or a mail as it is seen but for charts, a line for each block and each row of a table. */
export function readSeenLines(markup: string): string[] {
  const marked = markup
    .replace(/^[\s\S]*?<body[^>]*>/, "")
    .replace(/<(style|script|title|svg)[\s\S]*?<\/\1>/g, "")
    .replace(/(?=<span class="(?:figure|change|line)\b)/g, " ")
    .replace(/\s+/g, " ")
    .replace(/<\/t[hd]>/g, " | ")
    .replace(/<(?!\/?(?:a|b|bdi|strong|em|data|span|code|i|small|time|abbr|t[hd])\b)[^>]*>/g, "\n");
  return marked
    .split("\n")
    .map((line) =>
      toText(line)
        .replace(/[\s|]+$/, "")
        .trim(),
    )
    .filter((line) => line !== "");
}

/**
 * Reads the text of a page with its structure: what each line is, how a region, a picture or a control is labelled, and
 * whether it is marked. Pictures are their labels; of the rows inside of long tables only each seventh line is read.
 */
export function readOutline(markup: string): string[] {
  const body = markup
    .replace(/^[\s\S]*?<body[^>]*>/, "")
    .replace(/<(style|script|title)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<svg\b([^>]*)>[\s\S]*?<\/svg>/g, (_, attributes: string) => {
      const label = /aria-label="([^"]*)"/.exec(attributes)?.[1];
      return label === undefined ? "" : `<picture aria-label="${label}">`;
    })
    .replace(/\s+/g, " ");
  let tag = "";
  const lines = body
    .replace(/(?=<span class="(?:figure|change|line|id)\b)/g, " ")
    .replace(/(<tr[ >])/g, "\n$1")
    .replace(/<\/t[hd]>/g, " | ")
    .replace(/<(?=\/?(?:a|bdi|strong|em|data|span|code|time|t[hd])\b)[^>]*>/g, "")
    .split(/(<[^>]*>)/)
    .flatMap((piece) => {
      if (piece.startsWith("</")) return [];
      if (piece.startsWith("<")) {
        tag = describeTag(piece);
        return /aria-label|verdict/.test(piece) ? [tag] : [];
      }
      const text = toText(piece)
        .replace(/[\s|]+$/, "")
        .trim();
      return text === "" ? [] : [`${tag}: ${text}`];
    });
  const isRow = (at: number) => /^tr\b/.test(lines[at] ?? "");
  let row = 0;
  return lines.filter((_, at) => {
    row = isRow(at) ? row + 1 : 0;
    return row < 4 || row % 7 === 0 || !isRow(at + 1) || !isRow(at + 2);
  });
}

function describeTag(tag: string): string {
  const name = /^<(\w+)/.exec(tag)?.[1] ?? "";
  const label = /aria-label="([^"]*)"/.exec(tag)?.[1];
  const mark = /class="([^"]*\b(?:verdict|beyond)\b[^"]*)"/.exec(tag)?.[1];
  return `${name}${mark ? `.${mark}` : ""}${label ? ` [${toText(label)}]` : ""}`;
}
