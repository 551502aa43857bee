import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM_PEER, findViolations, launch, openPage } from "../../support/chromium.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { findPeer } from "../../support/peers.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const PDFTOTEXT = findPeer("pdftotext");

const HOSTILE = [
  "<script>document.title='owned'</script>",
  "<img src=x onerror=\"document.title='owned'\">",
  "</style><style>@import url(//evil.example)</style>",
  "</table></main><h1>owned</h1>",
  "javascript:alert(1)",
  '"><svg/onload=alert(1)>',
  "&lt;b&gt; &amp;",
  "\u202eevil\u202c",
  "مرحبا بالعالم",
  '=HYPERLINK("https://evil.example")',
  "x".repeat(5000),
  "(not set)",
  "(other)",
];

/** A page of calls over eight weeks, with hostile names and more campaigns than are shown; always the same. */
async function makeReport() {
  const calls = Array.from({ length: 1500 }, (_, index) => {
    const hostile = HOSTILE[index % 40];
    return makeCall({
      call_id: index + 1,
      caller_id: index % 11 === 0 ? null : `+49301${index % 700}`,
      call_started: new Date(Date.UTC(2026, 7, 3) + index * 53 * 60_000).toISOString(),
      duration: index % 13 === 0 ? null : (index * 37) % 2400,
      disposition: ["ANSWERED", "NO ANSWER", "ANSWERED", "forwarded?"][index % 4] ?? null,
      utm_source: hostile ?? ["google", "bing", "newsletter", null][index % 4] ?? null,
      utm_medium:
        ["cpc", "email", "organic", "social", "referral", "display", "sms", "affiliate", "audio", "video"][
          index % 10
        ] ?? null,
      utm_campaign: hostile ?? `campaign ${index % 60}`,
    });
  });
  const warehouse = makeWarehouse(calls);
  await warehouse.export({
    targets: [{ kind: "page" }],
    timezone: "Europe/Berlin",
    range: { from: "2026-08-31", to: "2026-09-27" },
    grain: "day",
    compare: "previous",
  });
  const file = join(warehouse.folder, "report.html");
  return { ...warehouse, url: pathToFileURL(file).href, html: readFileSync(file, "utf8") };
}

/** Whether the edges of an element look different without its shadows. */
async function hasShadow(element: Locator): Promise<boolean> {
  const shown = await element.screenshot();
  await element.evaluate(({ style }) => style.setProperty("background", "none"));
  const plain = await element.screenshot();
  await element.evaluate(({ style }) => style.removeProperty("background"));
  return !shown.equals(plain);
}

describe.skipIf(CHROMIUM_PEER.isMissing || PDFTOTEXT.isMissing)(
  `report in Chromium${CHROMIUM_PEER.note}${PDFTOTEXT.note}`,
  () => {
    let browser: Browser;
    let report: Awaited<ReturnType<typeof makeReport>>;

    beforeAll(async () => {
      browser = await launch();
      report = await makeReport();
    });
    afterAll(async () => {
      report[Symbol.dispose]();
      await browser.close();
    });

    it("logs nothing, requests nothing, and shows hostile text as text", async () => {
      const { page, said, asked } = await openPage(browser, report.url);
      expect(said).toEqual([]);
      expect(asked).toEqual([report.url]);
      expect(await page.title()).toBe("Calls, 31 Aug 2026 to 27 Sep 2026");
      expect(await page.locator("script, img, iframe, link, style ~ style").count()).toBe(0);
      expect(await page.locator("h1").count()).toBe(1);
      const names = await page.locator("tbody th bdi").allTextContents();
      for (const text of HOSTILE.slice(0, 7)) expect(names).toContain(text);
      expect(names).toContain("\\u202eevil\\u202c");
      expect(names).toContain('"(other)"');
      expect(names).toContainEqual(expect.stringMatching(/^x{80,}… #[\da-f]{8}$/));
      // Of 60 campaigns and the hostile ones.
      expect(await page.locator("tbody th", { hasText: /^\(other\): \d+ more$/ }).count()).toBe(1);
    });

    it("reports a violation of the Content-Security-Policy", async () => {
      using temp = makeTempFolder();
      const file = join(temp.path, "report.html");
      writeFileSync(
        file,
        report.html.replace(
          "<h1>",
          '<h1 style="color:red" onclick="x()"><img src="https://example.com/a.png">',
        ),
      );
      const { said } = await openPage(browser, pathToFileURL(file).href);
      expect(said.join("\n")).toContain("Content Security Policy");
    });

    it.each([
      { name: "wide", options: {} },
      { name: "dark", options: { colorScheme: "dark" as const } },
      { name: "narrow", options: { viewport: { width: 390, height: 844 } } },
      { name: "narrowest", options: { viewport: { width: 320, height: 640 } } },
    ])("axe finds no violations, and the page does not scroll sideways: $name", async ({ options }) => {
      const { page } = await openPage(browser, report.url, { ...options, bypassCSP: true });
      await page.locator("details").evaluateAll((all) => {
        for (const details of all) details.setAttribute("open", "");
      });
      expect(await findViolations(page)).toEqual([]);
      const [width, shown] = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, window.innerWidth]",
      );
      expect(width).toBeLessThanOrEqual(shown ?? 0);
    });

    it("starts all bars of a table at the same position", async () => {
      const { page } = await openPage(browser, report.url);
      const tables = await page.locator("table:has(.bar)").all();
      expect(tables.length).toBe(4);
      for (const table of tables) {
        const starts = await table
          .locator(".bar")
          .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().x));
        expect(starts.length).toBeGreaterThan(3);
        expect(new Set(starts).size).toBe(1);
      }
    });

    it("fits charts on a phone, shows the last column of each table, and marks tables that scroll", async () => {
      const { page } = await openPage(browser, report.url, { viewport: { width: 390, height: 844 } });
      const charts = page.locator("figure svg[role=img]:visible");
      expect(await charts.count()).toBe(5);
      for (const chart of await charts.all()) {
        const box = await chart.boundingBox();
        expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0)]).toEqual([16, 390 - 16]);
        // Letters are about as large as those of a table.
        expect(
          (box?.width ?? 0) / Number((await chart.getAttribute("viewBox"))?.split(" ")[2]),
        ).toBeGreaterThan(0.8);
      }
      let scrolling = 0;
      for (const table of await page.locator(".scroll:visible").all()) {
        await table.evaluate((element) => element.scrollTo(0, 0));
        const isWide = await table.evaluate((element) => element.scrollWidth > element.clientWidth);
        if (isWide) scrolling++;
        expect(await hasShadow(table)).toBe(isWide);
        await table.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
        const last = await table.locator("thead th").last().boundingBox();
        expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(390 - 16 + 1);
      }
      expect(scrolling).toBeGreaterThanOrEqual(3);
    });

    it("prints on A4 without an empty page or a split chart", async () => {
      using temp = makeTempFolder();
      const { page } = await openPage(browser, report.url);
      const file = join(temp.path, "report.pdf");
      await page.pdf({ path: file, preferCSSPageSize: true, printBackground: true });
      // A form feed ends each page.
      const pages = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" })
        .split("\f")
        .slice(0, -1);
      expect(pages.length).toBeGreaterThan(2);
      expect(pages.filter((text) => text.trim().length < 40)).toEqual([]);
      // Each chart is on one page with its caption: the axis of a split one would be on another.
      const charts = pages.flatMap((text) =>
        [...text.matchAll(/(?:(?:Calls|Callers) by|Missed calls, of) [\w ]+/g)].map(([caption]) => caption),
      );
      expect(charts.length).toBeGreaterThanOrEqual(5);
      for (const text of pages.filter((text) => /by weekday and hour/.test(text)))
        expect(text).toMatch(/Mon[\s\S]*Sun/);
    });
  },
);
