import { getEnvironmentData } from "node:worker_threads";

// Loaded first in each worker thread while Stryker finds out what each test covers: see `setup.ts`.
const covered = getEnvironmentData("covered mutants");
if (covered instanceof Int32Array) {
  const counts = new Proxy<Record<string, number>>(
    {},
    {
      set: (_, mutant) => {
        covered[Number(mutant)] = 1;
        return true;
      },
    },
  );
  globalThis.__stryker__ = { mutantCoverage: { static: counts, perTest: {} } };
}
