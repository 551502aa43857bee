import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { PROGRAM_BUILD } from "./build-options.ts";

// `npm run build`

const ENTRIES = [
  "cli/bin.ts",
  "base/node-version.js",
  "library/index.ts",
  "library/query-child.ts",
  "library/read-worker.ts",
  "library/sync-worker.ts",
  "sync/check-child.ts",
];

mkdirSync("dist", { recursive: true });
// Archives of `npm run package` stay.
for (const name of readdirSync("dist").filter((name) => !name.endsWith(".tgz")))
  rmSync(join("dist", name), { recursive: true });
await build({
  ...PROGRAM_BUILD,
  entryPoints: ENTRIES.map((name) => `src/${name}`),
  entryNames: "[name]",
  outdir: "dist",
  sourcemap: true,
  define: { BUILT_FROM: JSON.stringify(process.env.CALLTALLY_COMMIT ?? describeCommit()) },
  logLevel: "warning",
});
// The scripts of pages, each with the name of its feature.
const { metafile } = await build({
  entryPoints: readdirSync("src/features")
    .map((feature) => `src/features/${feature}/browser/${feature}.tsx`)
    .filter((script) => existsSync(script)),
  bundle: true,
  minify: true,
  platform: "browser",
  target: "es2022",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist",
  metafile: true,
  logLevel: "warning",
  alias: { echarts: "./node_modules/echarts", "csv-stringify/sync": "csv-stringify/browser/esm/sync" },
});
writeFileSync("dist/browser.json", JSON.stringify(metafile));
cpSync("src/warehouse/migrations", "dist/migrations", { recursive: true });
chmodSync("dist/bin.js", 0o755);

/** Returns the short id of this clone's commit, with `-dirty` for changed files; empty without git or outside a clone. */
function describeCommit(): string {
  if (!existsSync(".git")) return "";
  const args = ["--git-dir=.git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}
