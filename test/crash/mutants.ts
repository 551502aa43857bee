import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { PROGRAM_BUILD } from "../../src/package/build-options.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** A change of one source file that a harness must notice. */
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

const KILL_AT_PAGE = `if (process.env.KILL_AT_PAGE === String(this.#seq)) process.kill(process.pid, "SIGKILL");`;

const STORE = "src/sync/store.ts";
const FILE_SET = "src/export/output/file-set.ts";

/** Faults that the harnesses must notice, and one change without a fault. */
export const MUTATIONS = {
  /** The right order, killed in the middle, in which no harness may find a fault. */
  "kill-in-transaction": {
    file: STORE,
    edits: [{ find: "      insertPage(", replace: `      ${KILL_AT_PAGE}\n      insertPage(` }],
  },
  /** A page is in the ledger before its calls are stored. */
  "page-before-calls": {
    file: STORE,
    edits: [
      {
        find: "    const saved = writeTransaction(this.#warehouse, (tx) => {\n",
        replace: `
    const insertPageFirst = () => insertPage(this.#warehouse, {
      run_id: runId, seq: this.#seq, offset, row_count: rows.length, total,
      call_ids: JSON.stringify(rows.map(({ id }) => id)), request_id: page.requestId, fetched_at: fetchedAt,
      order_members: JSON.stringify(toMembers(rows)),
    });
    insertPageFirst();
    ${KILL_AT_PAGE}
    const saved = writeTransaction(this.#warehouse, (tx) => {\n`,
      },
      { find: "      insertPage(tx, {", replace: "      void ({" },
    ],
  },
  /** Export files grow under their final names. */
  "write-in-place": {
    file: FILE_SET,
    edits: [
      {
        find: "const draft = new Draft(path);",
        replace: "const draft = Object.assign(new Draft(path), { path });",
      },
      {
        find: `open(draft.path, "wx", MODES[audience].file)`,
        replace: `open(draft.path, "w", MODES[audience].file)`,
      },
    ],
  },
  /** Files get their names before their content is on the disk. */
  "rename-before-sync": {
    file: FILE_SET,
    edits: [{ find: "await handle.sync()", replace: "await Promise.resolve()" }],
  },
  /** Names may be lost in a power cut. */
  "no-folder-sync": {
    file: FILE_SET,
    edits: [{ find: "fsyncPath(folder)", replace: "void folder" }],
  },
} as const satisfies Record<string, Mutation>;
