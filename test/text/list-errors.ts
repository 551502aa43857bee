import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { COMMAND_LINE } from "../../src/base/text/words.ts";
import { isNode, type Node, walk, withoutValues } from "./syntax.ts";

/** The file of {@link listErrors}: every error and its hint, to be read in one sitting. */
export const ERRORS = "test/text/errors.txt";

/** Returns every error of the source, with the hint below it; `…` stands for inserted values. */
export function listErrors(): string {
  const sections = globSync("src/**/*.ts")
    .sort()
    .flatMap((file) => {
      const errors = errorsOf(readFileSync(file, "utf8"));
      return errors.length === 0 ? [] : [[`## ${file}`, ...errors, ""].join("\n")];
    });
  return sections.join("\n");
}

function errorsOf(source: string): string[] {
  const nodes = walk(parseSync("file.ts", source).program);
  const constants = new Map<string, Node[]>();
  for (const { type, id, init } of nodes) {
    if (type !== "VariableDeclarator" || !isNode(id) || !isNode(init)) continue;
    const name = String(id.name);
    constants.set(name, [...(constants.get(name) ?? []), init]);
  }
  const read = (node: unknown, before: number, words: object = {}): string => {
    if (!isNode(node)) return "…";
    if (node.type === "Literal") return String(node.value);
    if (node.type === "ArrowFunctionExpression") return read(node.body, before, COMMAND_LINE);
    if (node.type === "TemplateLiteral")
      return readTemplate(source.slice(node.start + 1, node.end - 1), words);
    if (node.type === "ConditionalExpression")
      return `${read(node.consequent, before)} | ${read(node.alternate, before)}`;
    if (node.type === "LogicalExpression") return `${read(node.left, before)} | ${read(node.right, before)}`;
    const init =
      node.type === "Identifier"
        ? constants
            .get(String(node.name))
            ?.findLast(({ start }) => start < before || /^[A-Z_]+$/.test(String(node.name)))
        : undefined;
    return init === undefined ? `‹${source.slice(node.start, node.end)}›` : read(init, init.start);
  };
  return nodes.flatMap((node) => {
    const { type, callee } = node;
    if (type !== "NewExpression" || !isNode(callee) || !Array.isArray(node.arguments)) return [];
    const given: unknown[] = node.arguments;
    const details = given.find((each) => isNode(each) && each.type === "ObjectExpression");
    const hint = isNode(details)
      ? membersOf(details).find(({ key }) => isNode(key) && key.name === "hint")
      : undefined;
    if (hint === undefined) return [];
    const message = given[given.indexOf(details) - 1];
    return [`${oneLine(read(message, node.start))}\n    ${oneLine(read(hint.value, node.start))}`];
  });
}

/** Fills in the words of hints, and `…` for other values. */
const readTemplate = (text: string, words: object) =>
  withoutValues(
    Object.entries(words).reduce((read, [name, word]) => read.replaceAll(`\${${name}}`, word), text),
  );

const membersOf = ({ properties }: Node): Node[] =>
  Array.isArray(properties) ? properties.filter(isNode) : [];

const oneLine = (text: string) => text.replace(/\\`/g, "`").replace(/\s+/g, " ");

if (import.meta.main) writeFileSync(ERRORS, listErrors());
