import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Letterhead, PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import "../../support/built.ts"; // for the script of the page
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { makePng } from "../../support/logo.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";

const EVIL = '"><script>alert(1)</script>';
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;";
const LOGO = { type: "image/png", base64: makePng().toString("base64") } as const;

async function write(letterhead: Partial<Letterhead>) {
  using warehouse = makeWarehouse([FULL_CALL]);
  await warehouse.export({
    range: { from: "2026-09-03", to: "2026-09-30" },
    letterhead: { ...PLAIN, ...letterhead },
    targets: [{ kind: "explore", dimensions: ["channel"] }],
  });
  const page = readFileSync(join(warehouse.folder, "explore.html"), "utf8");
  const [, facts = ""] = /id="facts">(.*?)<\/script>/.exec(page) ?? [];
  return { page, facts: JSON.parse(facts) };
}

describe("pages to explore", () => {
  it("show the name and the logo of whose figures they are; a name cannot end their script", async () => {
    const { page, facts } = await write({ name: EVIL, logo: LOGO });
    const logo = `data:image/png;base64,${LOGO.base64}`;
    expect([facts.name, facts.logo, facts.locale]).toEqual([EVIL, logo, null]);
    expect(page).toContain(`<title>${ESCAPED}: Calls, `);
    expect(page.match(/alert\(1\)<\/script>/g)).toBeNull();
  });

  it("show nobody's name by default", async () => {
    const { facts } = await write({});
    expect([facts.name, facts.logo]).toEqual([null, null]);
  });

  it("write dates as the locale does", async () => {
    const { page } = await write({ locale: "de-DE" });
    expect(page).toContain("<title>Calls, 3.–30. Sept. 2026</title>");
  });
});
