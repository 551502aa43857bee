import { parseSync } from "oxc-parser";
import { isNode, type Node, walk } from "../text/syntax.ts";

export interface Deletion {
  /** The text that is left. */
  text: string;
  rows: number;
  /** Lines, from 1, of uses outside any row. */
  outside: readonly number[];
}

export interface Span {
  start: number;
  end: number;
}

/**
 * Deletes the imports of a list that are to go, and its rows that use them or name a deleted path.
 * @param depth of the rows: 1 for elements and properties of a list, 2 for those of lists in it
 */
export function deleteRows(
  file: string,
  text: string,
  isDeleted: (specifier: string) => boolean,
  depth: number,
): Deletion {
  const { program } = parseSync(file, text);
  const isGone = (node: Node) => isDeleted(specifierOf(node));
  const gone = importsIn(program).filter(isGone);
  const names = new Set(gone.flatMap(namesOf));
  const isUse = (node: Node) =>
    (node.type === "Identifier" && typeof node.name === "string" && names.has(node.name)) ||
    (node.type === "Literal" && typeof node.value === "string" && isDeleted(node.value));
  const rows = new Map<number, Span>();
  const outside: number[] = [];
  for (const use of walk(program, ({ type }) => type === "ImportDeclaration").filter(isUse)) {
    const row = rowsAround(program, text, use)[depth - 1];
    if (row === undefined) outside.push(lineAt(text, use.start));
    else rows.set(row.start, row);
  }
  const left = cut(text, [...gone.map((node) => withLine(text, node)), ...rows.values()]);
  return { text: withoutUnused(file, left), rows: rows.size, outside };
}

/** Returns the lines, from 1, where a file names what is deleted. */
export function findUses(file: string, text: string, isDeleted: (specifier: string) => boolean): number[] {
  return walk(parseSync(file, text).program)
    .filter(({ type, value }) => type === "Literal" && typeof value === "string" && isDeleted(value))
    .map(({ start }) => lineAt(text, start));
}

const lineAt = (text: string, at: number) => text.slice(0, at).split("\n").length;

const importsIn = (program: unknown) => walk(program).filter(({ type }) => type === "ImportDeclaration");

/** Returns the module that a node imports; empty for others. */
function specifierOf({ source }: Node): string {
  const value = isNode(source) ? source.value : undefined;
  return typeof value === "string" ? value : "";
}

interface Specifier extends Span {
  name: string;
}

const specifiersOf = (node: Node): Specifier[] =>
  walk(node).flatMap(({ type, local, start, end }) =>
    /^Import\w*Specifier$/.test(type) && isNode(local) && typeof local.name === "string"
      ? [{ name: local.name, start, end }]
      : [],
  );

/** Returns the names that an import declares. */
const namesOf = (node: Node) => specifiersOf(node).map(({ name }) => name);

/** Returns the rows around a node, the outermost first, each with the comments before it and the comma behind it. */
function rowsAround(program: unknown, text: string, node: Span): Span[] {
  const contains = ({ start, end }: Span) => start <= node.start && node.end <= end;
  const afterComma = (at: number) => (text[at] === "," ? at + 1 : at);
  return walk(program)
    .filter(({ type }) => type === "ArrayExpression" || type === "ObjectExpression")
    .filter(contains)
    .flatMap((list) => {
      const members = list.elements ?? list.properties;
      const rows = Array.isArray(members) ? members.filter(isNode) : [];
      const at = rows.findIndex(contains);
      const row = rows[at];
      if (row === undefined) return [];
      const before = rows[at - 1];
      return [{ start: before ? afterComma(before.end) : list.start + 1, end: afterComma(row.end) }];
    });
}

const withLine = (text: string, { start, end }: Span): Span => ({
  start,
  end: text[end] === "\n" ? end + 1 : end,
});

const cut = (text: string, spans: readonly Span[]): string =>
  spans
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), text);

/** Removes imported names that only deleted rows used. */
function withoutUnused(file: string, text: string): string {
  const { program } = parseSync(file, text);
  const used = new Set(walk(program, ({ type }) => type === "ImportDeclaration").map(({ name }) => name));
  const spans = importsIn(program).flatMap((node) => {
    const all = specifiersOf(node);
    const unused = all.filter(({ name }) => !used.has(name));
    if (all.length > 0 && unused.length === all.length) return [withLine(text, node)];
    return unused.map(({ start, end }) => ({ start, end: text[end] === "," ? end + 1 : end }));
  });
  return cut(text, spans);
}
