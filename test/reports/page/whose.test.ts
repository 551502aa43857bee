import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Letterhead, PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { makePng } from "../../support/logo.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";

const EVIL = '"><script>alert(1)</script>';
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;";
const LOGO = { type: "image/png", base64: makePng().toString("base64") } as const;
const CALLS = Array.from({ length: 1500 }, (_, index) => ({
  ...FULL_CALL,
  call_id: index + 1,
  call_started: "2026-09-08T10:00:00.000Z",
}));

async function write(letterhead: Partial<Letterhead>) {
  using warehouse = makeWarehouse(CALLS);
  const range = { from: "2026-09-03", to: "2026-09-30" };
  const own = { range, letterhead: { ...PLAIN, ...letterhead } };
  await warehouse.export({ ...own, targets: [{ kind: "page" }], grain: "day", compare: "previous" });
  return readFileSync(join(warehouse.folder, "report.html"), "utf8");
}

describe("pages of charts", () => {
  it("show the name and the logo of whose figures they are", async () => {
    const page = await write({ name: EVIL, logo: LOGO });
    expect(page).toContain(
      `<p class="whose"><img src="data:image/png;base64,${LOGO.base64}" alt=""><bdi>${ESCAPED}</bdi></p>\n<h1>Calls, `,
    );
    expect(page).toContain(`<title>${ESCAPED}: Calls, 3 Sep 2026 to 30 Sep 2026</title>`);
    expect(page).not.toContain("<script");
  });

  it("show nobody's name by default", async () => {
    const page = await write({});
    expect(page).toContain("<header>\n<h1>Calls, 3 Sep 2026 to 30 Sep 2026</h1>");
  });

  it("write numbers, dates and weeks as the locale does, and amounts of data as before", async () => {
    const page = await write({ locale: "de-DE" });
    expect(page).toContain("<h1>Calls, 3.–30. Sept. 2026</h1>");
    expect(page).toContain('<data value="1500">1.500</data>');
    expect(page).not.toMatch(/>1,500|3 Sep|Sep 3/);
    const american = await write({ locale: "en-US" });
    const first = (html: string) =>
      /<summary>Numbers.*?aria-label="Calls by weekday.*?<tbody>.*?scope="row">(\w+)</s.exec(html)?.[1];
    expect([first(page), first(american)]).toEqual(["Monday", "Sunday"]);
  });
});
