import fc from "fast-check";

const { CALLTALLY_SEED = "1" } = process.env;

// A property draws the same in each run, so that a failing run is about the change.
// `CALLTALLY_SEED=random` (as in `npm run test:soak`) draws randomly; fast-check names the seed of a failure.
if (CALLTALLY_SEED !== "random") fc.configureGlobal({ seed: Number(CALLTALLY_SEED) });
