import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { readForMail } from "../../support/figures/surfaces.ts";
import { readOutline } from "../../support/page.ts";
import { SITUATIONS } from "../../support/pages/situations.ts";

/*
 * What a page of charts and its mail say, and how the page is built. After a change that is meant, `npx vitest run
 * test/reports/page/golden.test.ts --update` writes the files again: read their diff.
 */

it.each(SITUATIONS)("a page of charts and a mail say what they said: $name", async (situation) => {
  const { name, calls, range, sql = "", options } = situation;
  using warehouse = makeWarehouse(calls);
  if (sql !== "") warehouse.execute(sql);
  const reading = readForMail();
  const { manifest } = await warehouse.export({
    targets: [{ kind: "page" }],
    range,
    grain: "day",
    compare: "previous",
    ...options,
    read: reading.read,
  });
  const page = readFileSync(join(warehouse.folder, "report.html"), "utf8");
  const mail = await reading.toMail({ manifest, range, letterhead: options?.letterhead });
  const text = [...readOutline(page), "", "=== mail", "", mail].join("\n").replace(/\b[0-9a-f]{64}\b/g, "…");
  await expect(text).toMatchFileSnapshot(`golden/${name.replaceAll(/\W+/g, "-")}.txt`);
});
