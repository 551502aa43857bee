import { describe, expect, it } from "vitest";
import { deleteRows, findUses } from "./rows.ts";

const isDeleted = (text: string) => text.startsWith("./gone/");
const left = (text: string, depth = 1) => deleteRows("list.ts", text, isDeleted, depth);

describe("deleteRows", () => {
  it("deletes an import, the elements that use it with their comments, and imports that only these used", () => {
    const list = `import { GONE, type Other } from "./gone/a.ts";
import { KEPT } from "./kept.ts";
import { only, both } from "./helpers.ts";
export const LIST: readonly Other[] = [
  // The first.
  GONE,
  both(KEPT),
  // Its comment, with a comma.
  only(both(GONE)),
];
`;
    const { text, rows, outside } = left(list.replace("Other[]", "object[]"));
    expect(text.replace(/\{\s+/g, "{ ")).toBe(`import { KEPT } from "./kept.ts";
import { both } from "./helpers.ts";
export const LIST: readonly object[] = [
  both(KEPT),
];
`);
    expect({ rows, outside }).toEqual({ rows: 2, outside: [] });
    expect(left(list).outside).toEqual([4]);
  });

  it.each([
    ["first", `[GONE, B, C]`, `[ B, C]`],
    ["last", `[A, B, GONE]`, `[A, B,]`],
    ["only", `[GONE]`, `[]`],
    ["neighboring", `[A, GONE, f(GONE), B]`, `[A, B]`],
    ["spread", `[A, ...GONE, B]`, `[A, B]`],
  ])("deletes the %s row", (_, before, after) => {
    const { text } = left(`import { GONE } from "./gone/a.ts";\nexport const LIST = ${before};\n`);
    expect(text).toBe(`export const LIST = ${after};\n`);
  });

  it("deletes rows that load a module later, of the given depth", () => {
    const list = (one: string) => `export const TASKS = {
  first: {${one}
    kept: { load: () => import("./kept.ts") },
  },
};
`;
    const gone = `\n    gone: { summary: "a", load: () => import("./gone/b.ts") },`;
    expect(left(list(gone), 2)).toEqual({ text: list(""), rows: 1, outside: [] });
    expect(left(list(gone), 1).text).toBe("export const TASKS = {\n};\n");
  });

  it("returns the lines of uses outside of rows", () => {
    const list = `import { GONE } from "./gone/a.ts";\nexport const LIST = [1];\n\nif (GONE) LIST.pop();\n`;
    expect(left(list)).toMatchObject({ rows: 0, outside: [4] });
    expect(left(`export * from "./gone/a.ts";\n`)).toMatchObject({ outside: [1] });
  });
});

it("findUses: returns the lines of imports, types, modules loaded later, and paths in other calls", () => {
  const file = `import type { A } from "./gone/a.ts";
import { b } from "./kept.ts";
export { c } from "./gone/c.ts";
type D = import("./gone/d.ts").D;
const e = () => import("./gone/e.ts");
const f = new URL("./gone/f.ts", import.meta.url);
`;
  expect(findUses("file.ts", file, isDeleted)).toEqual([1, 3, 4, 5, 6]);
});
