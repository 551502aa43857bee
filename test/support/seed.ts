import fc from "fast-check";

const { CALLTALLY_SEED = "1" } = process.env;

// What a property draws is the same in each run, so that a run that fails is about what was changed.
// `CALLTALLY_SEED=random` (as in `npm run test:soak`) draws anew; fast-check names the seed of what failed.
if (CALLTALLY_SEED !== "random") fc.configureGlobal({ seed: Number(CALLTALLY_SEED) });
