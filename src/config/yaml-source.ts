import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";

export type Path = readonly PropertyKey[];

export interface Position {
  line: number;
  column: number;
}

export interface Problem extends Position {
  /** Keys from the top of the file; empty if it is not YAML. */
  path: Path;
  message: string;
}

export type YamlSource = ReturnType<typeof readYaml>;

export function readYaml(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems: Problem[] = [];
  const at = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const complain = (offset: number | undefined, message: string) =>
    problems.push({ ...at(offset), path: [], message });
  for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
    complain(pos[0], PLAINER.get(code) ?? message);
  }
  visit(document, {
    // An alias used often could turn a few lines into gigabytes.
    Alias: (_, { range }) => void complain(range?.[0], "aliases (*name) are not read"),
    Pair: (_, { key }) => {
      if (isMap(key) || isSeq(key)) complain(key.range?.[0], "a key must be a text");
    },
    Scalar: (_, { range, value, source }) => {
      if (typeof value === "number" && String(value) !== source) {
        complain(
          range?.[0],
          `${source} is an ambiguous number: put it in quotes, or write it in plain digits`,
        );
      }
    },
  });
  /** Returns the position of a value, or of the nearest existing parent; of the key with `isKey` or for a mapping. */
  const positionOf = (path: Path, isKey = false): Position => {
    let node: Node | null = document.contents;
    for (const [index, key] of path.entries()) {
      const child = childOf(node, key);
      if (child === undefined) break;
      const isLast = index === path.length - 1;
      node = (isLast && (isKey || isMap(child.value))) || child.value === null ? child.key : child.value;
    }
    return at(node?.range?.[0]);
  };
  // Invalid YAML is not turned into values.
  const value: unknown = problems.length === 0 ? document.toJS({ maxAliasCount: 0 }) : undefined;
  return { value, positionOf, problems };
}

const PLAINER: ReadonlyMap<string, string> = new Map([
  ["BAD_ALIAS", "text that begins with * must be in quotes, e.g. a cron expression"],
  ["MULTIPLE_DOCS", "a second document begins here (---): only one is allowed"],
]);

function childOf(node: Node | null, key: PropertyKey): { key: Node | null; value: Node | null } | undefined {
  if (isMap<Node, Node | null>(node))
    return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
  const item = isSeq<Node>(node) && typeof key === "number" ? node.items[key] : undefined;
  return item && { key: item, value: item };
}

export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

export function keysAt(root: unknown, path: Path): string[] {
  const value = valueAt(root, path);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
