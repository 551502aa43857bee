import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { shuffle } from "../mutants/shuffle.ts";
import { toTextTable } from "../mutants/text-table.ts";
import { copyTree } from "../support/copy-tree.ts";
import { DRAWING } from "../support/draws.ts";
import { CAPABILITIES, type Capability } from "./capabilities.ts";
import { type DeletedTree, deleteCapability } from "./deleted-tree.ts";
import { runTests, type TestsLeft } from "./tests-left.ts";

const USAGE = `npm run test:deletion -- [--sample N] [--near] [capability]...

Deletes one capability after another in a copy of the tree: its folder, commands, job, tests and page, and its rows in lists
(test/deletion/capabilities.ts). What is left must not import it, must compile, and must pass its tests; no test of others may import it but with an excuse.

  capability   ${Object.keys(CAPABILITIES).join(", ")}  (default: all)
  --sample N   compiles all, and runs the tests without N of them only, drawn by DRAWING_SEED
  --near       runs only tests that import a changed list, directly or in two steps, that name the capability, or that read the tree
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    near: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

interface Result {
  name: string;
  tree: DeletedTree;
  /** Undefined if they did not run. */
  tests: TestsLeft | undefined;
}

const print = (text: string) => process.stdout.write(text);

function chooseNames(): string[] {
  const all = Object.keys(CAPABILITIES);
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`No capability ${unknown.join(", ")}. Capabilities: ${all.join(", ")}`);
  return positionals.length === 0 ? all : positionals;
}

function chooseTested(names: readonly string[]): readonly string[] {
  const { sample } = values;
  if (sample === undefined) return names;
  if (!/^\d+$/.test(sample)) throw new Error(`--sample ${sample} must be a number from 0`);
  return shuffle(names, String(DRAWING.seed)).slice(0, Number(sample));
}

async function tryWithout(name: string, capability: Capability, isTested: boolean): Promise<Result> {
  const home = process.cwd();
  using copy = mkdtempDisposableSync(join(tmpdir(), "calltally-deletion-"));
  const remove = () => copy.remove();
  process.once("exit", remove);
  const folder = join(copy.path, "tree");
  copyTree(folder);
  process.chdir(folder);
  try {
    const tree = deleteCapability(capability);
    const isWhole = tree.reaching.length === 0 && tree.errors.length === 0;
    const tests = isTested && isWhole ? await runTests(name, capability, tree, values.near) : undefined;
    return { name, tree, tests };
  } finally {
    process.chdir(home);
    process.off("exit", remove);
  }
}

const SHOWN = 20;

/** Returns what is wrong, a line each. */
function complaintsOf({ name, tree, tests }: Result): string[] {
  const { reaching, errors, lost } = tree;
  const { excused = {} } = CAPABILITIES[name] ?? {};
  const hidden = errors.length - SHOWN;
  return [
    ...reaching.map((place) => `imports it: ${place}`),
    ...lost.filter((test) => !(test in excused)).map((test) => `a test of others goes with it: ${test}`),
    ...errors.slice(0, SHOWN).map((error) => `does not compile: ${error}`),
    ...(hidden > 0 ? [`does not compile: ${hidden} more errors`] : []),
    ...(tests?.failed.map(({ file, why }) => [`fails: ${file}`, ...why].join("\n    ")) ?? []),
    ...(tests?.passedThoughExcused.map((test) => `passes, so needs no excuse: ${test}`) ?? []),
  ];
}

function praise({ tests }: Result): string {
  return tests === undefined ? "compiles; its tests were not drawn" : "compiles, and its tests pass";
}

function toRow({ name, tree, tests }: Result): string[] {
  const { files, rows, reaching, lost, errors } = tree;
  return [
    ...[
      name,
      String(files),
      String(rows),
      String(reaching.length),
      String(lost.length),
      errors.length === 0 ? "yes" : "no",
    ],
    ...(tests === undefined
      ? ["-", "-", "-"]
      : [tests.run, tests.failed.length, tests.excused.length].map(String)),
  ];
}

async function run(): Promise<void> {
  const names = chooseNames();
  const tested = chooseTested(names);
  const results: Result[] = [];
  for (const [name, capability] of Object.entries(CAPABILITIES)) {
    if (!names.includes(name)) continue;
    const result = await tryWithout(name, capability, tested.includes(name));
    results.push(result);
    const complaints = complaintsOf(result);
    print(
      complaints.length === 0
        ? `${name}: ${praise(result)}\n`
        : complaints.map((text) => `${name}: ${text}\n`).join(""),
    );
  }
  print(
    toTextTable([
      [
        "without",
        "files",
        "rows",
        "reaching in",
        "tests lost",
        "compiles",
        "test files",
        "failed",
        "excused",
      ],
      ...results.map(toRow),
    ]),
  );
  if (results.some((result) => complaintsOf(result).length > 0)) process.exitCode = 1;
}

// So that no copy is left of a run that is ended.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
if (values.help) print(USAGE);
else await run();
