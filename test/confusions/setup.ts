import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
import "../support/seed.ts";

// Test files run one after another while places are watched: see `switch.ts`.
const { CALLTALLY_CONFUSIONS: folder } = process.env;
if (folder === undefined) throw new Error("CALLTALLY_CONFUSIONS is missing: run npm run test:confusions");
writeFileSync(`${folder}/test-file`, relative(process.cwd(), expect.getState().testPath ?? ""));
