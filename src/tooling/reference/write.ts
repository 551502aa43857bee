import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { referencePages } from "./reference-pages.ts";

// `npm run docs:write`
for (const [path, text] of await referencePages()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
