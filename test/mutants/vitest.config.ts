import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The quick test files first: most mutants end at the first test that notices them. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).reverse();
  }
}

/**
 * As `vitest.config.ts`, but for the build, since a mutant is switched on in the tests' own process, and for modules that files
 * share, since one that is changed as it is loaded has to be loaded anew.
 */
export default defineConfig({
  test: {
    include: process.env.CALLTALLY_MUTANT_TESTS?.split(" ") ?? [],
    setupFiles: ["test/mutants/setup.ts"],
    sequence: { sequencer: QuickFirst },
    testTimeout: 300_000,
  },
});
