import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Quick test files first: most mutants end at the first test that detects them. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).reverse();
  }
}

/**
 * Like `vitest.config.ts`, except for the build, since a mutant is switched on in the tests' own process, and for shared
 * modules, since one with code that runs while it is loaded must be loaded again.
 */
export default defineConfig({
  test: {
    include: process.env.CALLTALLY_MUTANT_TESTS?.split(" ") ?? [],
    setupFiles: ["test/mutants/setup.ts"],
    sequence: { sequencer: QuickFirst },
    testTimeout: 300_000,
    // A mutant is not judged if a hook fails, e.g. because the machine is busy.
    hookTimeout: 300_000,
  },
});
