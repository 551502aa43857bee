/** A node of a source's syntax tree. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Returns the nodes of a tree in order, without those to skip and their children. */
export function walk(tree: unknown, isSkipped: (node: Node) => boolean = () => false): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (isNode(value)) {
      if (isSkipped(value)) return;
      found.push(value);
    }
    for (const nested of Object.values(value)) visit(nested);
  };
  visit(tree);
  return found;
}

/** Returns the text of a template with `…` for its values. */
export const withoutValues = (template: string): string =>
  template.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "…");
