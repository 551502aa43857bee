/** The folder of a run; a copy of this file has its path. */
const FOLDER = "";

// Pages import it, too, where there is no Node.
const fs = globalThis.process?.getBuiltinModule?.("node:fs");
const read = (file: string) => {
  try {
    return fs?.readFileSync(`${FOLDER}/${file}`, "utf8") ?? "";
  } catch {
    return "";
  }
};

/** The swap that is on; 0 while places are watched. */
const active = Number(read("active"));
/** A process may run for several test files, one after another. */
const READ_AGAIN_MS = 2;
let readAt = Number.NEGATIVE_INFINITY;
let testFile = "";
let passed = new Set<number>();

/** Returns whether a swap is on, and remembers that its place was executed. */
export function isSwapped(swap: number): boolean {
  if (active === 0 || active === swap) remember(swap);
  return active === swap;
}

function remember(swap: number): void {
  const now = performance.now();
  if (now - readAt > READ_AGAIN_MS) {
    const current = read("test-file");
    readAt = now;
    if (current !== testFile) {
      testFile = current;
      passed = new Set();
    }
  }
  if (passed.has(swap)) return;
  passed.add(swap);
  fs?.appendFileSync(`${FOLDER}/passed`, `${swap} ${testFile}\n`);
}
