import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Runs a program in a folder with one file; returns the numbers of the lines that its errors name. */
function linesRefused(
  program: string,
  text: string,
  settings: Record<string, unknown>,
  line: RegExp,
): number[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), "casts-"));
  const [script = "", ...options] = program.split(" ");
  writeFileSync(join(folder.path, "planted.mts"), text);
  for (const [name, content] of Object.entries(settings))
    writeFileSync(join(folder.path, name), JSON.stringify(content));
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules", script), ...options], {
      cwd: folder.path,
      stdio: "pipe",
    });
    return [];
  } catch (error) {
    const { stdout = "" } = error instanceof Error && "stdout" in error ? error : {};
    return [...new Set(Array.from(String(stdout).matchAll(line), ([, number]) => Number(number)))];
  }
}

it("the linter refuses `as`, and `z.custom` without a check", () => {
  const text = `import { z } from "zod";
export const checked = z.custom<string>((value) => typeof value === "string");
export const constant = ["a"] as const;
export const cast = z.string() as unknown;
export const bare = z.custom<string>();
export const chained = z.custom<{ a: 1 }>().optional();
`;
  const settings = {
    "biome.json": { plugins: [join(ROOT, "no-casts.grit")], linter: { rules: { preset: "none" } } },
  };
  const refused = linesRefused(
    "@biomejs/biome/bin/biome lint --reporter=github .",
    text,
    settings,
    /line=(\d+)/g,
  );
  expect(refused).toEqual([4, 5, 6]);
});

it("the types of src refuse JSON and members by name that no schema has parsed", () => {
  const text = `export const value: unknown = JSON.parse("1");
export const text = String(JSON.parse("1"));
export const typed: { a: number } = JSON.parse("{}");
export const returned = (): string => JSON.parse("1");
export const member = JSON.parse("1").a;
export const { taken } = JSON.parse("{}");
export const revived: string[] = JSON.parse("1", (_, each) => each);
export const reflected: string = Reflect.get({}, "a");
`;
  const settings = {
    "tsconfig.json": {
      extends: join(ROOT, "src/tsconfig.json"),
      compilerOptions: { types: [], lib: ["es2024"] },
      files: ["planted.mts", join(ROOT, "src/base/unknown-json.d.ts")],
      include: [],
    },
  };
  const refused = linesRefused(
    "typescript/bin/tsc -p . --pretty false",
    text,
    settings,
    /^planted\.mts\((\d+)/gm,
  );
  expect(refused).toEqual([3, 4, 5, 6, 7, 8]);
});
