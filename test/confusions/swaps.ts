import type {
  AwaitExpression,
  BinaryExpression,
  CallExpression,
  Identifier,
  Node,
  PropertyAccessExpression,
} from "typescript/unstable/ast";
import {
  isAwaitExpression,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isPropertyAccessExpression,
  isReturnStatement,
  isShorthandPropertyAssignment,
  isSpreadElement,
  isStringLiteral,
  isTemplateExpression,
  isTryStatement,
} from "typescript/unstable/ast/is";
import { type Checker, SymbolFlags, type Type, type Symbol as TypeSymbol } from "typescript/unstable/sync";
import { isAssigned, isInsideChain, isTypeOnly, isValueName, namesInScope } from "./scope.ts";

/** The kinds of confusions; one is drawn of each in turn. */
export const KINDS = [
  "name",
  "member",
  "arguments",
  "await",
  "condition",
  "boundary",
  "zone",
  "unit",
  "sql",
] as const;
export type Kind = (typeof KINDS)[number];

/** A place of a file, and what could stand there instead. */
export interface Site {
  kind: Kind;
  node: Node;
  /** Not found before they are needed, since some ask for types. */
  replacements: () => string[];
}

/** Returns the places of a file where the compiler may not see a confusion. */
export function findSites(source: Node, checker: Checker): Site[] {
  const sites: Site[] = [];
  const visit = (node: Node): void => {
    if (isTypeOnly(node)) return;
    for (const [kind, replacements] of swapsOf(node, checker)) sites.push({ kind, node, replacements });
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return sites;
}

type Swap = [kind: Kind, replacements: Site["replacements"]];

function swapsOf(node: Node, checker: Checker): Swap[] {
  if (isShorthandPropertyAssignment(node)) {
    const { name } = node;
    if (!isIdentifier(name)) return [];
    return [["name", () => similarNames(name, node, checker).map((other) => `${name.text}: ${other}`)]];
  }
  if (!isExpression(node) || isAssigned(node) || isInsideChain(node)) return [];
  if (isIdentifier(node)) {
    return isValueName(node) ? [["name", () => similarNames(node, node, checker)], ...zoneOf(node)] : [];
  }
  if (isPropertyAccessExpression(node)) {
    return isCallee(node) ? [] : [["member", () => similarMembers(node, checker)], ...zoneOf(node)];
  }
  if (isCallExpression(node)) return [["arguments", () => swappedArguments(node, checker)]];
  if (isAwaitExpression(node)) {
    return isReturned(node) ? [] : [["await", () => [node.expression.getText()]]];
  }
  if (isBinaryExpression(node)) return operatorSwaps(node);
  if (isNumericLiteral(node)) return isFactor(node) ? unitSwaps(node.getText()) : [];
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isTemplateExpression(node)) {
    const texts = withoutConditions(node.getText());
    return texts.length === 0 ? [] : [["sql", () => texts]];
  }
  return [];
}

/** Whether the function returns it without more to do: the caller waits then. */
function isReturned(node: AwaitExpression): boolean {
  let whole: Node = node.parent;
  while (isConditionalExpression(whole)) whole = whole.parent;
  if (!isReturnStatement(whole) && !isFunctionLikeDeclaration(whole)) return false;
  for (; whole.parent !== undefined && !isFunctionLikeDeclaration(whole); whole = whole.parent) {
    if (isTryStatement(whole)) return false;
    if (isBlock(whole) && whole.statements.some((each) => /^(await )?using\b/.test(each.getText())))
      return false;
  }
  return true;
}

const isCallee = (node: Node) => isCallExpression(node.parent) && node.parent.expression === node;

function zoneOf(node: Identifier | PropertyAccessExpression): Swap[] {
  return /zone$/i.test(node.getText()) ? [["zone", () => ['"UTC"']]] : [];
}

/** Returns the other variables that have the type of this one here. */
function similarNames(name: Identifier, at: Node, checker: Checker): string[] {
  const type = isShorthandPropertyAssignment(at)
    ? typeOf(checker, checker.getShorthandAssignmentValueSymbol(at), name)
    : checker.getTypeAtLocation(name);
  return namesInScope(at).filter((other) => {
    if (other === name.text || isConstant(other) !== isConstant(name.text)) return false;
    const symbol = checker.resolveName(other, SymbolFlags.Value, at);
    return isSame(checker, type, typeOf(checker, symbol, name));
  });
}

/** Nobody confuses a variable with a constant of the module. */
const isConstant = (name: string) => /^[A-Z][A-Z\d_]*$/.test(name);

/** Returns the access with each other member of the same type. */
function similarMembers(node: PropertyAccessExpression, checker: Checker): string[] {
  const whole = checker.getTypeAtLocation(node.expression);
  if (whole === undefined || isPrimitive(checker, whole)) return [];
  const type = checker.getTypeAtLocation(node);
  return checker
    .getPropertiesOfType(checker.getNonNullableType(whole) ?? whole)
    .filter(
      ({ name }) =>
        name !== node.name.text && /^[a-z]\w*$/i.test(name) && !/^(length|byteLength)$/.test(name),
    )
    .filter((symbol) => isSame(checker, type, typeOf(checker, symbol, node)))
    .map(({ name }) => node.getText().slice(0, -node.name.text.length) + name);
}

function isPrimitive(checker: Checker, type: Type): boolean {
  return [checker.getStringType(), checker.getNumberType(), checker.getBooleanType()].some((each) =>
    checker.isTypeAssignableTo(type, each),
  );
}

const typeOf = (checker: Checker, symbol: TypeSymbol | undefined, at: Node) =>
  symbol && checker.getTypeOfSymbolAtLocation(symbol, at);

/** Whether the compiler accepts each for the other. */
function isSame(checker: Checker, one: Type | undefined, other: Type | undefined): boolean {
  const [a, b] = [one, other].map((type) => type && (checker.getBaseTypeOfLiteralType(type) ?? type));
  if (a === undefined || b === undefined || a.isErrorType() || b.isErrorType()) return false;
  if (checker.getSignaturesOfType(b, 0).length > 0) return false;
  return checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a);
}

function swappedArguments(call: CallExpression, checker: Checker): string[] {
  // Their order is no matter.
  if (/^Math\.(min|max)$/.test(call.expression.getText())) return [];
  const parts = call.arguments;
  return Array.from({ length: Math.max(0, parts.length - 1) }, (_, index) => {
    const [first, second] = [parts[index], parts[index + 1]];
    if (first === undefined || second === undefined) return [];
    if (isSpreadElement(first) || isSpreadElement(second)) return [];
    if (first.getText() === second.getText()) return [];
    if (!isSame(checker, checker.getTypeAtLocation(first), checker.getTypeAtLocation(second))) return [];
    const texts = parts.map((each) => each.getText());
    texts.splice(index, 2, second.getText(), first.getText());
    const callee = call.getText().slice(0, (parts[0]?.getStart() ?? 0) - call.getStart());
    return [`${callee}${texts.join(", ")})`];
  }).flat();
}

const BOUNDARIES: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

function operatorSwaps(node: BinaryExpression): Swap[] {
  const [left, operator, right] = [node.left, node.operatorToken, node.right].map((each) => each.getText());
  if (left === undefined || operator === undefined || right === undefined) return [];
  const boundary = BOUNDARIES[operator];
  if (boundary !== undefined) {
    return isOfSmaller(node, left, right) ? [] : [["boundary", () => [`${left} ${boundary} ${right}`]]];
  }
  return ["&&", "||"].includes(operator) ? [["condition", () => [left, right]]] : [];
}

/** Whether it chooses the smaller or larger value, or the order of two: which of two equal ones is no matter. */
function isOfSmaller({ parent }: Node, left: string, right: string): boolean {
  if (!isConditionalExpression(parent)) return false;
  const chosen = [parent.whenTrue.getText(), parent.whenFalse.getText()].sort().join(" ");
  return chosen === [left, right].sort().join(" ") || chosen === "-1 1";
}

const isFactor = ({ parent }: Node) =>
  isBinaryExpression(parent) && ["*", "/", "%"].includes(parent.operatorToken.getText());

/** Numbers that turn one unit into another. */
const UNITS = ["24", "60", "1000", "3600", "60000", "86400", "3600000", "86400000"];

function unitSwaps(text: string): Swap[] {
  const at = UNITS.indexOf(text.replaceAll("_", ""));
  const near = [UNITS[at - 1], UNITS[at + 1]].filter((each) => each !== undefined);
  return at < 0 ? [] : [["unit", () => near]];
}

/** Returns SQL without one of its conditions, or with another boundary. */
export function withoutConditions(text: string): string[] {
  if (!/\b(WHERE|ON|AND)\b/.test(text)) return [];
  const conditions = [
    ...text.matchAll(/\sAND [^()`]+?(?=\s+(?:AND|OR|ORDER|GROUP|LIMIT|WHERE|LEFT|JOIN)\b|\)|`|"|;|$)/g),
  ];
  const boundaries = [...text.matchAll(/ (<=|>=|<|>) /g)];
  const put = (at: number, length: number, other: string) =>
    text.slice(0, at) + other + text.slice(at + length);
  return [
    ...conditions.map(({ index, 0: part }) => put(index, part.length, "")),
    ...boundaries.map(({ index, 0: part, 1: sign = "" }) => put(index, part.length, ` ${BOUNDARIES[sign]} `)),
  ];
}
