import { parseArgs } from "node:util";
import fc from "fast-check";
import { VERDICTS } from "../../../src/service/paging/verdict.ts";
import { checkInterleavings, SERVICE_NAMES } from "./check-interleavings.ts";
import {
  busyTimelines,
  changing,
  droppedTimelines,
  fallingTimelines,
  oversizedTimelines,
} from "./lossy-timelines.ts";
import {
  endTimelines,
  honestTimelines,
  sizedTimelines,
  smallTimelines,
  type Timeline,
  wideTimelines,
  wildTimelines,
} from "./random-service.ts";
import { isFalselySure, isFalselyVouched, isQuiet, lives, readings } from "./walks.ts";

/*
 * Runs random services, drawn in each run, and exits with 1 at the first pass that is wrongly verified or vouched for, or
 * not exact though its service is honest and nothing changed:
 *
 *   npm run test:walk -- 500000
 *   npm run test:walk -- 1 --family wild --seed -123 --path 4:0:2     repeats a printed run
 *   npm run test:walk -- 100000 --seed 80 --count     counts wrong passes instead, to compare two versions
 *   npm run test:walk -- --changes 3     all interleavings with up to six calls, as walk-model.test.ts; takes hours
 */

const FAMILIES: Record<string, fc.Arbitrary<Timeline>> = {
  small: smallTimelines,
  wild: wildTimelines,
  wide: wideTimelines,
  honest: honestTimelines,
  sized: sizedTimelines,
  end: endTimelines,
  falling: fallingTimelines,
  dropped: droppedTimelines,
  oversized: oversizedTimelines,
  busy: busyTimelines,
  "dropped, changing": changing(droppedTimelines),
  "oversized, changing": changing(oversizedTimelines),
};
/** Families whose wrong passes are only counted: docs/completeness.md has how many there are. */
const COUNTED = new Set(["dropped, changing", "oversized, changing"]);

const say = (line: unknown) => process.stdout.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    count: { type: "boolean" },
    changes: { type: "string" },
  },
});
const numRuns = Number(positionals[0] ?? 20_000);

/** Checks all interleavings with so many changes and kills, of the shortest lists first. */
async function checkAll(changes: number) {
  for (let calls = 0; calls <= 6; calls++) {
    for (const limit of [3, 2, 1]) {
      for (const service of SERVICE_NAMES) {
        const { interleavings, sure } = await checkInterleavings({
          service,
          calls,
          limit,
          changes,
          concurrency: 1,
        });
        say(
          `${calls} calls ${service}, pages of ${limit}: ${interleavings} interleavings, ${sure} of them sure`,
        );
      }
    }
  }
}

if (values.changes !== undefined) {
  await checkAll(Number(values.changes));
  process.exit();
}

if (values.family === undefined && values.count !== true) {
  // Too many for walk-model.test.ts.
  const longer = {
    service: "ordered by last change",
    calls: 4,
    limit: 3,
    changes: 2,
    concurrency: 1,
  } as const;
  const { interleavings } = await checkInterleavings(longer);
  say(`${longer.calls} calls ${longer.service}: ${interleavings} interleavings`);
}

for (const [family, timelines] of Object.entries(FAMILIES)) {
  if (values.family !== undefined && values.family !== family) continue;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const startedMs = Date.now();
  const counts = { exact: 0, verified: 0, probable: 0, unverified: 0, falselySure: 0, falselyVouched: 0 };
  let requests = 0;
  const property = fc.asyncProperty(readings(timelines), async (reading) => {
    const outcome = await lives(reading);
    counts[outcome.verdict]++;
    requests += outcome.requests;
    if (isFalselySure(outcome)) counts.falselySure++;
    if (isFalselyVouched(outcome)) counts.falselyVouched++;
    const isDoubtful = family === "honest" && isQuiet(reading) && outcome.verdict !== "exact";
    const isWrong = isFalselySure(outcome) || isFalselyVouched(outcome) || isDoubtful;
    return values.count === true || COUNTED.has(family) || !isWrong;
  });
  const found = await fc.check(property, {
    numRuns,
    seed,
    ...(values.path !== undefined && { path: values.path }),
  });
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  const lived = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  const share = ((100 * (counts.exact + counts.verified)) / lived).toFixed(1);
  const shares = VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(", ");
  say(`${family}: ${lived} passes, ${share} % of them sure, in ${seconds} s; seed ${seed}`);
  say(
    `  ${shares}; falsely sure ${counts.falselySure}, falsely vouched for ${counts.falselyVouched}; ${requests} requests`,
  );
  if (!found.failed) continue;
  say(
    `${family}: a pass is falsely sure or vouched for, not exact though nothing changed, or ended with an error`,
  );
  say(`  npm run test:walk -- 1 --family ${family} --seed ${found.seed} --path ${found.counterexamplePath}`);
  const line = JSON.stringify(found.counterexample?.[0]);
  say(`  as a line of test/service/paging/counterexamples.jsonl:\n${line}`);
  if (!String(found.errorInstance).includes("returning false")) say(found.errorInstance);
  process.exitCode = 1;
}
