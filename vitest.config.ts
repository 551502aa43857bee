import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short files that take long. Vitest begins with large files; begun last, these would run alone at the end. */
const LONG = [
  "simulation/simulation",
  "paging/walk-model",
  "jobs/scripts",
  "cli/warehouse/load-memory",
  "cli/warehouse/descriptors",
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG.some((name) => moduleId.endsWith(`${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 3,
    // Files share the modules they load, which keep nothing that outlives a test: a fifth of the time.
    isolate: false,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    sequence: { sequencer: LongFirst },
    // For a test that hangs while one works on it. `npm test` allows twenty: none is to fail because the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
