import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../../src/calls/attribution/attribution-rules.ts";
import type { Dimension } from "../../../../src/figures/dimensions.ts";
import "../../../support/built.ts"; // for the script of the page
import { CHROMIUM_PEER, launch, openPage } from "../../../support/chromium.ts";
import { makeWarehouse } from "../../../support/figures/produce-files.ts";
import { readOutline } from "../../../support/page.ts";
import { SITUATIONS, type Situation } from "../../../support/pages/situations.ts";

/*
 * What a page to explore says, and how it is built. After a change that is meant, `npx vitest run
 * test/features/explore/golden --update` writes the files again: read their diff.
 */

/** There is no page without calls. */
const WITH_CALLS = SITUATIONS.filter(({ name }) => !/no calls|without calls/.test(name));

describe.skipIf(CHROMIUM_PEER.isMissing)(`page to explore in Chromium${CHROMIUM_PEER.note}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it.each(WITH_CALLS)("says what it said: $name", async (situation) => {
    const outlines = await readViews(browser, situation);
    const file = `${situation.name.replaceAll(/\W+/g, "-")}.txt`;
    await expect(outlines.join("\n\n").replace(/\b[0-9a-f]{64}\b/g, "…")).toMatchFileSnapshot(file);
  });
});

async function readViews(
  browser: Browser,
  { calls, range, sql = "", options = {}, views = [""] }: Situation,
) {
  using warehouse = makeWarehouse(calls);
  if (sql !== "") warehouse.execute(sql);
  const { grain: _, compare: __, rules = DEFAULT_RULES, ...others } = options;
  const dimensions: Dimension[] = [
    "channel",
    "source",
    "campaign",
    ...(rules.topics.length > 0 ? ["topic" as const] : []),
  ];
  await warehouse.export({ targets: [{ kind: "explore", dimensions }], rules, ...others });
  const url = pathToFileURL(join(warehouse.folder, "explore.html")).href;
  await using opened = await openPage(browser, url);
  const { page } = opened;
  const outlines: string[] = [];
  for (const view of views) {
    const hash = `days=${range.from}..${range.to}${view === "" ? "" : `&${view}`}`;
    const address = await page.evaluate<string>(`location.hash = ${JSON.stringify(hash)}; location.hash`);
    await page.locator(`main[data-address="${address}"] .durations`).waitFor();
    const markup = await page.evaluate<string>(
      `(() => { const page = document.getElementById("page").cloneNode(true);
        for (const option of page.querySelectorAll("option")) option.remove();
        return page.outerHTML; })()`,
    );
    outlines.push([`=== ${hash}`, "", ...readOutline(markup)].join("\n"));
  }
  return outlines;
}
