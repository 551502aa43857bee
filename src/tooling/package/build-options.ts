import type { BuildOptions } from "esbuild";

/** Of the program and the library. They import their dependencies, except for three, which are bundled. */
export const PROGRAM_BUILD = {
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node22",
  format: "esm",
  packages: "external",
  mainFields: ["module", "main"],
  alias: {
    "drizzle-orm": "./node_modules/drizzle-orm",
    echarts: "./node_modules/echarts",
    zod: "./node_modules/zod",
  },
} satisfies BuildOptions;
