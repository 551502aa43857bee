import { parseArgs } from "node:util";
import { live, planLife } from "./life.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    days: { type: "string", default: "365" },
    log: { type: "boolean", default: false },
  },
});
const days = Number(values.days);
const began = performance.now();
for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed++) {
  const startedMs = performance.now();
  const { log, failure, counts } = await live(seed, days, planLife(seed, days));
  if (values.log) process.stdout.write(log);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(
    `seed ${seed}: ${failure ? `FAILED ${JSON.stringify(failure)}` : "all is well"}, ${seconds} s, ${JSON.stringify(Object.fromEntries(counts))}\n`,
  );
  if (failure) process.exitCode = 1;
}
process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`);
