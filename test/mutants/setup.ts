import { setEnvironmentData } from "node:worker_threads";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import "../support/seed.ts";

type Counts = Record<string, number>;

declare global {
  /** Of Stryker, in each process. */
  var __stryker__:
    | { currentTestId?: string; mutantCoverage?: { static: Counts; perTest: Record<string, Counts> } }
    | undefined;
}

declare module "vitest" {
  /** What Stryker provides. */
  interface ProvidedContext {
    mode: "dry-run" | "mutant";
    activeMutant?: string;
  }
}

process.env.CALLTALLY_WARM = "here";
// Failures are not shrunk, which would take most of the time of a mutant.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

// A worker thread has globals of its own: Stryker neither switches a mutant on there, nor sees what it covers.
if (inject("mode") === "mutant") switchOnInThreads();
else watchThreads();

/** Code that Stryker changed looks for the mutant in the environment, which a thread inherits. */
function switchOnInThreads(): void {
  beforeAll(() => {
    process.env.__STRYKER_ACTIVE_MUTANT__ = inject("activeMutant");
  });
}

/** Counts what threads cover as covered by the test that is running; between tests, by all of them. */
function watchThreads(): void {
  const MOST_MUTANTS = 100_000;
  const covered = new Int32Array(new SharedArrayBuffer(MOST_MUTANTS * Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData("covered mutants", covered);
  process.env.NODE_OPTIONS = `--import=${new URL("thread.ts", import.meta.url)}`;
  const take = (): Counts => {
    const counts: Counts = {};
    for (const [mutant, isCovered] of covered.entries()) if (isCovered) counts[mutant] = 1;
    covered.fill(0);
    return counts;
  };
  const addToAll = () => {
    const coverage = coverageHere();
    coverage.static = { ...take(), ...coverage.static };
  };
  beforeEach(addToAll);
  afterEach(() => {
    const { perTest } = coverageHere();
    const test = globalThis.__stryker__?.currentTestId ?? "";
    perTest[test] = { ...take(), ...perTest[test] };
  });
  afterAll(addToAll);
}

function coverageHere() {
  globalThis.__stryker__ ??= {};
  globalThis.__stryker__.mutantCoverage ??= { static: {}, perTest: {} };
  return globalThis.__stryker__.mutantCoverage;
}
