import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { makeTempFolder } from "../support/temp-folder.ts";
import type { Finding } from "./finding.ts";
import { measure } from "./process.ts";

it("npm run bench measures a load beside its floors, as a table and as JSON", async () => {
  using folder = makeTempFolder();
  const json = join(folder.path, "results", "bench.json");
  const script = resolve(import.meta.dirname, "run.ts");
  const args = [script, "load", "start", "--calls", "2000", "--runs", "1", "--json", json];
  const { stdout } = await measure(process.execPath, args);
  const findings: (Finding & { question: string })[] = JSON.parse(readFileSync(json, "utf8"));
  expect(new Set(findings.map(({ question }) => question))).toEqual(new Set(["load", "start"]));
  for (const { what, seconds } of findings) {
    expect(stdout).toContain(what);
    expect(seconds).toBeGreaterThan(0);
  }
  const again = findings.find(({ what }) => what.includes("nothing changed"));
  expect(again?.ratio?.value).toBeGreaterThan(0);
});
