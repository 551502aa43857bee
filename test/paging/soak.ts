import { parseArgs } from "node:util";
import fc from "fast-check";
import { checkInterleavings, SERVICE_NAMES } from "./check-interleavings.ts";
import {
  endTimelines,
  honestTimelines,
  movingTimelines,
  sizedTimelines,
  smallTimelines,
  type Timeline,
  wideTimelines,
  wildTimelines,
} from "./random-service.ts";
import { changedWalker, RULES } from "./rules.ts";
import { isFalselySure, isQuiet, isSure, lives, readings } from "./walks.ts";

/*
 * Runs random services, drawn in each run, and exits with 1 at the first pass that is wrongly verified, or not exact
 * though its service is honest and nothing changed:
 *
 *   npm run test:walk -- 500000
 *   npm run test:walk -- 1 --family wild --seed -123 --path 4:0:2     repeats a printed run
 *   npm run test:walk -- 25000 --family planheap     how often a pass over a moving order is wrongly verified
 *   npm run test:walk -- --changes 3     all interleavings with up to six calls, as interleavings.test.ts; takes hours
 *   npm run test:walk -- 40000 --family small --without "giving up being no end"     finds a service that needs a rule
 */

const FAMILIES = {
  small: smallTimelines,
  wild: wildTimelines,
  wide: wideTimelines,
  honest: honestTimelines,
  sized: sizedTimelines,
  end: endTimelines,
};

const say = (line: unknown) => process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    without: { type: "string" },
    changes: { type: "string" },
  },
});
const numRuns = Number(positionals[0] ?? 20_000);
const rule = RULES.find(({ without }) => without === values.without);
using walker = rule && (await changedWalker(rule));

/** Checks all interleavings with so many changes and kills, of the shortest lists first. */
async function checkAll(changes: number) {
  for (let calls = 0; calls <= 6; calls++) {
    for (const limit of [3, 2, 1]) {
      for (const service of SERVICE_NAMES) {
        const { requests, ...found } = await checkInterleavings({
          ...{ service, calls, limit, changes },
          concurrency: 1,
        });
        say(`${calls} calls ${service}, pages of ${limit}: ${JSON.stringify(found)}, ${requests} requests`);
      }
    }
  }
}

const families: Record<string, fc.Arbitrary<Timeline>> = { ...FAMILIES, ...movingTimelines };
if (values.changes !== undefined) {
  await checkAll(Number(values.changes));
  process.exit();
}

if (values.family === undefined) {
  // Too many for interleavings.test.ts.
  const service = "ordered by last change";
  const found = await checkInterleavings({ service, calls: 4, limit: 3, changes: 2, concurrency: 1 });
  say(`4 calls ${service}: ${JSON.stringify(found)}`);
}

for (const [family, timelines] of Object.entries(families)) {
  const isMoving = Object.hasOwn(movingTimelines, family);
  if (values.family === undefined ? isMoving : values.family !== family) continue;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const startedMs = Date.now();
  let [lived, sure, falsely] = [0, 0, 0];
  const property = fc.asyncProperty(readings(timelines), async (reading) => {
    const outcome = await lives(reading, walker);
    lived++;
    if (isSure(outcome)) sure++;
    if (isFalselySure(outcome)) falsely++;
    const isDoubtful = family === "honest" && isQuiet(reading) && outcome.verdict !== "exact";
    return isMoving || !(isFalselySure(outcome) || isDoubtful);
  });
  const found = await fc.check(property, {
    numRuns,
    seed,
    ...(values.path !== undefined && { path: values.path }),
  });
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  say(
    `${family}: ${lived} passes, ${((100 * sure) / lived).toFixed(1)} % of them sure, ${falsely} falsely, in ${seconds} s; seed ${seed}`,
  );
  if (!found.failed) continue;
  say(`${family}: a pass is falsely sure, not exact though nothing changed, or ended with an error`);
  say(`  npm run test:walk -- 1 --family ${family} --seed ${found.seed} --path ${found.counterexamplePath}`);
  const line = { ...(rule && { without: rule.without }), ...found.counterexample?.[0] };
  say(
    `  as a line of test/paging/${rule ? "needed-rules" : "counterexamples"}.jsonl:\n${JSON.stringify(line)}`,
  );
  if (!String(found.errorInstance).includes("returning false")) say(found.errorInstance);
  process.exitCode = 1;
}
