import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { PROGRAM_BUILD } from "../../src/tooling/package/build-options.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** A change of one source file. */
export interface Mutation {
  /** Relative to the repository. */
  file: string;
  edits: readonly { find: string; replace: string }[];
}

/** A built program; dispose of it to delete it. */
export interface Program extends Disposable {
  bin: string;
}

/**
 * Builds the program like `npm run build`, changed or not, into a folder of its own.
 *
 * @throws Error unless the text to be replaced occurs exactly once: the source has changed since the mutation
 */
export async function buildProgram(mutation?: Mutation): Promise<Program> {
  // Below the repository, so that its libraries are found; git leaves node_modules aside.
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "calltally-crash-"));
  let seen = false;
  const mutate: Plugin = {
    name: "mutate",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (mutation === undefined || relative(ROOT, path) !== mutation.file) return undefined;
        seen = true;
        return { contents: applyMutation(readFileSync(path, "utf8"), mutation), loader: "ts" };
      });
    },
  };
  await build({
    ...PROGRAM_BUILD,
    absWorkingDir: ROOT,
    entryPoints: ["src/cli/bin.ts"],
    outdir: folder,
    logLevel: "silent",
    plugins: [mutate],
  });
  if (mutation !== undefined && !seen) throw new Error(`${mutation.file} is no part of the program`);
  cpSync(join(ROOT, "src/warehouse/migrations"), join(folder, "migrations"), { recursive: true });
  return {
    bin: join(folder, "bin.js"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function applyMutation(source: string, { file, edits }: Mutation): string {
  return edits.reduce((text, { find, replace }) => {
    const pieces = text.split(find);
    if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times: ${find}`);
    return pieces.join(replace);
  }, source);
}

/**
 * Kills before or after lines of a file, each at its point, which is in the environment as `KILL_AT`.
 *
 * @param condition when that is; by default immediately
 */
export function killAt(
  file: string,
  points: readonly [point: string, place: "before" | "after", line: string][],
  condition = "true",
): Mutation {
  const edits = points.map(([point, place, line]) => {
    const kill = `if (process.env.KILL_AT === "${point}" && ${condition}) process.kill(process.pid, "SIGKILL");`;
    return { find: line, replace: place === "before" ? `${kill} ${line}` : `${line} ${kill}` };
  });
  return { file, edits };
}
