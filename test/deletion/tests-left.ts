import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { z } from "zod";
import { Reach } from "../confusions/reach.ts";
import { type Capability, TOGETHER } from "./capabilities.ts";
import type { DeletedTree } from "./deleted-tree.ts";

export interface TestsLeft {
  /** Test files. */
  run: number;
  failed: readonly FailedFile[];
  excused: readonly string[];
  passedThoughExcused: readonly string[];
}

const Test = z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) });
const File = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string(),
  assertionResults: z.array(Test),
});
const Report = z.object({ testResults: z.array(File) });

interface FailedFile {
  file: string;
  /** Titles of tests that failed, with the first lines of why. */
  why: readonly string[];
}

const firstLine = (text = "") => text.split("\n")[0] ?? "";

function toFailedFile({ name, message, assertionResults }: z.infer<typeof File>): FailedFile {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  return {
    file: relative(process.cwd(), name),
    why: [
      ...(message === "" ? [] : [firstLine(message)]),
      ...failed.map(({ fullName, failureMessages: [first] }) => `${fullName}: ${firstLine(first)}`),
    ],
  };
}

const REPORT = "test-report.json";

/** Runs the tests that are left in the working folder, by the program's own scripts. */
export async function runTests(
  name: string,
  { excused = {} }: Capability,
  { changed }: DeletedTree,
  isNear: boolean,
): Promise<TestsLeft> {
  // As after any change: CONTRIBUTING.md.
  await npm("run", "baseline");
  await npm("run", "docs:write");
  const files = isNear ? findNear(name, changed) : [];
  const left = Object.keys(TOGETHER).flatMap((folder) => ["--exclude", `${folder}**`]);
  await npm("test", "--", "--reporter=json", `--outputFile=${REPORT}`, ...left, ...files);
  const { testResults } = Report.parse(JSON.parse(readFileSync(REPORT, "utf8")));
  const failing = testResults.filter(({ status }) => status !== "passed").map(toFailedFile);
  const ran = testResults.map((result) => relative(process.cwd(), result.name));
  const isExcused = (test: string) => Object.hasOwn(excused, test);
  return {
    run: ran.length,
    failed: failing.filter(({ file }) => !isExcused(file)),
    excused: failing.map(({ file }) => file).filter(isExcused),
    passedThoughExcused: ran.filter((test) => isExcused(test) && !failing.some(({ file }) => file === test)),
  };
}

/** They read the program's files, not its modules. */
const READS_TREE = /^test\/(architecture|text|surfaces)\//;
const FEW_STEPS = 2;

/** Returns the tests that import a changed list in few steps, that name the capability, or that read the tree. */
function findNear(name: string, changed: readonly string[]): string[] {
  const reach = new Reach();
  const near = changed.flatMap((list) =>
    reach.testsOf(list).flatMap(({ test, steps }) => (steps <= FEW_STEPS ? [test] : [])),
  );
  const word = name.replace(/s$/, "");
  const isNear = (test: string) =>
    near.includes(test) || READS_TREE.test(test) || readFileSync(test, "utf8").toLowerCase().includes(word);
  const together = Object.keys(TOGETHER).map((folder) => `${folder}**`);
  return globSync("test/**/*.test.ts", { exclude: together }).filter(isNear);
}

/** @throws Error if a script other than the tests fails */
async function npm(...args: string[]): Promise<void> {
  // With a group of its own: npm does not end the processes of its scripts.
  const child = spawn("npm", args, { stdio: ["ignore", "ignore", "inherit"], detached: true });
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid);
  };
  process.prependOnceListener("exit", end);
  const [code] = await once(child, "exit");
  process.off("exit", end);
  if (code !== 0 && args[0] !== "test") throw new Error(`npm ${args.join(" ")} ended with ${code}`);
}
