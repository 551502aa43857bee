import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 3,
    globalSetup: ["test/build.ts"],
    // Generous, for machines that do other things as well.
    testTimeout: 300_000,
  },
});
