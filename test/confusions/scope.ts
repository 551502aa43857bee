import type { Identifier, Node } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isDeleteExpression,
  isElementAccessExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNewExpression,
  isNonNullExpression,
  isParameterDeclaration,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isSourceFile,
  isTaggedTemplateExpression,
  isTypeNode,
  isTypeOfExpression,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";

/** Whether nothing below it runs. */
export function isTypeOnly(node: Node): boolean {
  return isTypeNode(node) || isImportDeclaration(node);
}

/** Whether it is written to, called for its text, or otherwise no value of its own. */
export function isAssigned(node: Node): boolean {
  const { parent } = node;
  if ("name" in parent && parent.name === node) return true;
  if (isBinaryExpression(parent) && parent.left === node)
    return /^[^=!<>]*=$|^(\*\*|<<|>>|>>>)=$/.test(parent.operatorToken.getText());
  if (isPrefixUnaryExpression(parent) || isPostfixUnaryExpression(parent))
    return /\+\+|--/.test(parent.getText());
  return isDeleteExpression(parent) || isTypeOfExpression(parent) || isTaggedTemplateExpression(parent);
}

/** Whether it is the beginning of a chain that ends early where a `?.` finds nothing. */
export function isInsideChain(node: Node): boolean {
  const { parent } = node;
  const isBeginning =
    (isPropertyAccessExpression(parent) ||
      isElementAccessExpression(parent) ||
      isCallExpression(parent) ||
      isNonNullExpression(parent)) &&
    parent.expression === node;
  return isBeginning && node.getText().includes("?.");
}

/** Whether the identifier stands for the value of a variable, and is not called. */
export function isValueName(node: Identifier): boolean {
  const { parent } = node;
  if (isPropertyAccessExpression(parent)) return parent.expression === node;
  if ((isCallExpression(parent) || isNewExpression(parent)) && parent.expression === node) return false;
  if ("name" in parent && parent.name === node) return false;
  return !("propertyName" in parent && parent.propertyName === node);
}

/** Returns the names of variables and parameters that are declared around a place; some of them later, or shadowed. */
export function namesInScope(node: Node): string[] {
  const names = new Set<string>();
  for (let child = node, at = node.parent; at !== undefined; child = at, at = at.parent) {
    if (isFunctionLikeDeclaration(at)) at.forEachChild((each) => addNames(each, names));
    else if (isBlock(at) || isSourceFile(at)) {
      for (const statement of at.statements) {
        if (statement === child) break;
        statement.forEachChild((list) => list.forEachChild((each) => addNames(each, names)));
      }
    } else at.forEachChild((list) => list.forEachChild((each) => addNames(each, names)));
  }
  return [...names];
}

function addNames(node: Node, names: Set<string>): void {
  if (!isVariableDeclaration(node) && !isParameterDeclaration(node) && !isBindingElement(node)) return;
  const { name } = node;
  if (name === undefined) return;
  if (isIdentifier(name)) names.add(name.text);
  else name.forEachChild((each) => addNames(each, names));
}
