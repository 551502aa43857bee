import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 3,
    // Files share the modules they load, which keep nothing that outlives a test: a fifth of the time.
    isolate: false,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    // For what hangs; no test is to fail because the machine does other things as well.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
