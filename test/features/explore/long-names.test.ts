import { join } from "node:path";
import { expect, it } from "vitest";
import { DAYS, makeFolder } from "../../reports/page/long-names.ts";
import "../../support/built.ts"; // for the script of the page
import { readPage } from "./read-page.ts";

it.each([
  ["a line a call", ""],
  ["groups", "--min-cell 3"],
])("a page to explore has cut names, different for different names: %s", async (_, more) => {
  using folder = makeFolder();
  const by = "--by source,medium,campaign,utm_term,org_unit,insight_name";
  expect(await folder.run(`report --explore ${DAYS} ${by} --out page ${more}`.trim())).toMatchObject({
    code: 0,
  });
  const { values } = readPage(join(folder.path, "page/explore.html")).data;
  const texts = Object.values(values)
    .flat()
    .filter((value) => typeof value === "string");
  expect(texts.filter((text) => text.length > 200)).toEqual([]);
  for (const name of ["source", "campaign", "utm_term", "insight_name"])
    expect([name, new Set(values[name]).size]).toEqual([name, 2]);
});
