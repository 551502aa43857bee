import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The nearest test files first: most swaps end at the first test that notices. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => TESTS.findIndex((test) => moduleId.endsWith(test));
    return files.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const TESTS = process.env.CALLTALLY_CONFUSION_TESTS?.split(" ") ?? [];

/** Like `vitest.config.ts`, except for the build: the copy of the program is built once, with all swaps in it. */
export default defineConfig({
  test: {
    include: TESTS,
    isolate: false,
    fileParallelism: false,
    setupFiles: ["test/confusions/setup.ts"],
    sequence: { sequencer: AsListed },
    // A test that waits for ever with a swap has noticed it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
