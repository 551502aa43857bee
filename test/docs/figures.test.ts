import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { metrics } from "../../src/rollup/metrics.ts";

const PAGE = readFileSync("docs/figures.md", "utf8");

describe("the worked example of docs/figures.md", () => {
  // Its session has been run as it stands there: what is compared with it is the table that explains it.
  const [head = "", google = ""] = PAGE.split("\n").slice(
    PAGE.split("\n").findIndex((line) => line.startsWith("utm_source,calls,")),
  );
  const names = head.split(",").slice(1);
  const values = google.split(",").slice(1);

  it("explains each figure, with the value that the export has", () => {
    const explained = [...PAGE.matchAll(/^\| `(\w+)` \| .+ \| ([\d.:TZ-]+) \|$/gm)];
    expect(explained.map(([, name, value]) => [name, value])).toEqual(
      names.map((name, index) => [name, values[index]]),
    );
  });

  it("has all figures that there are", () => {
    expect(names).toEqual(metrics(DEFAULT_RULES).map(({ name }) => name));
  });
});
