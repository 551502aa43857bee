import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 3,
    // Files share the modules they load, which keep nothing that outlives a test: a fifth of the time.
    isolate: false,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    // For a test that hangs while one works on it. `npm test` allows twenty: none is to fail because the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
