import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import type { Dimension } from "../../../src/figures/dimensions.ts";
import { DIST } from "../../support/built.ts";
import { CHROMIUM_PEER, findViolations, launch, openPage } from "../../support/chromium.ts";
import { draws } from "../../support/draws.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const VIEWS = draws(300);
const ZONE = "Europe/Berlin";

const DIMENSIONS = [
  "channel",
  "source",
  "medium",
  "campaign",
  "org_unit",
  "topic",
  "disposition",
  "utm_content",
  "insight_name",
  "referring_host",
] as const satisfies Dimension[];
const FILTERED = ["channel", "source", "campaign", "org_unit", "topic", "disposition"] as const;
const FIGURES = [
  "calls",
  "answered_calls",
  "missed_calls",
  "other_calls",
  "answer_rate",
  "unique_callers",
  "first_time_callers",
  "qualified_calls",
  "qualified_rate",
  "total_duration_seconds",
  "average_duration_seconds",
  "median_duration_seconds",
  "cost",
  "clicks",
  "cost_per_call",
  "cost_per_qualified_call",
  "booked_calls",
  "sold_calls",
  "revenue",
  "revenue_per_call",
  "return_on_ad_spend",
];

const NAMES = [
  "</script><script>document.title='owned'</script>",
  "<img src=x onerror=\"document.title='owned'\">",
  '=HYPERLINK("https://evil.example")',
  'It\'s 50% "off" $HOME `id` \\ !',
  "(not set)",
  "(other)",
  "-x",
  "Straße, Ⅳ\u202e",
  "a,b;c",
  "  spaced  ",
  "STRASSE",
  "two\nlines",
  "12",
];

/** Calls over five months around a clock change, some at midnight, with odd names and two names for one campaign. */
function makeCalls(): Call[] {
  return Array.from({ length: 1800 }, (_, index) => {
    const pick = <T>(values: readonly T[], step: number) =>
      values[(index * step + (index >> 5)) % values.length] ?? null;
    const day = Date.UTC(2026, 4, 1) + (index % 150) * 86_400_000;
    const startMs = day + (index % 6 === 0 ? 22 * 3_600_000 : (index * 7_919_311) % 86_400_000);
    return makeCall({
      call_id: index + 1,
      caller_id: index % 11 === 0 ? null : `+4930${100_000 + ((index * 37) % 900)}`,
      call_started: index % 97 === 0 ? null : new Date(startMs).toISOString(),
      duration: index % 13 === 0 ? null : (index * 37) % 700,
      disposition: pick(["ANSWERED", "NO ANSWER", "ANSWERED", "forwarded?", null, "no-answer"], 7),
      utm_source: pick(["google", "Google", "bing", "newsletter", null, ...NAMES], 5),
      utm_medium: pick(["cpc", "email", "organic", null, "social", "referral"], 3),
      utm_campaign: pick([null, "spring", ...NAMES], 11),
      utm_content: pick([null, "ad 1", ...NAMES], 3),
      campaign_name: pick([null, ...NAMES, "Autumn"], 13),
      campaign_id: pick([null, "12", "77", "=1+1", null], 17),
      org_unit_id: pick([7, 8, 9, null], 3),
      org_unit_name: pick(["Munich", "Munich", null, "Köln <b>"], 3),
      insight_name: pick([null, ...NAMES], 7),
      referring_url: pick([null, "https://www.google.com/", "https://blog.example/<b>"], 5),
    });
  });
}

/** Spend of campaigns, some of which no call has, with gaps in its days; jobs of calls, some with refunds. */
const AMOUNTS = `
INSERT INTO spend (day, source, medium, campaign, campaign_id, cost_micros, clicks, impressions, currency, file, imported_at)
SELECT date('2026-05-01', (value / 3) || ' days'), CASE value % 3 WHEN 0 THEN 'bing' ELSE 'google' END, 'cpc',
  CASE value % 4 WHEN 0 THEN 'spring' WHEN 1 THEN 'Autumn' WHEN 2 THEN 'strasse' ELSE 'no such <b>' END,
  CASE value % 5 WHEN 0 THEN '12' WHEN 1 THEN '77' END, value * 7919333 % 90000000, nullif(value % 7, 0), NULL,
  'EUR', 'spend.csv', '2026-10-01T00:00:00.000Z'
FROM generate_series WHERE value % 11 > 0;
INSERT INTO outcomes (call_id, day, stage, amount_micros, currency, source, import_id)
SELECT value * 5 + 1, '2026-06-01', CASE value % 3 WHEN 0 THEN 'lost' WHEN 1 THEN 'booked' ELSE 'sold' END,
  CASE value % 3 WHEN 2 THEN value * 1234567 - 90000000 END, CASE value % 3 WHEN 2 THEN 'EUR' END, 'jobs', 1
FROM generate_series WHERE value < 350;
`.replaceAll(
  "generate_series",
  "(WITH RECURSIVE series (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM series WHERE value < 449) SELECT value FROM series)",
);

/** Opens a view by its address, like a link, and waits until it is shown. */
async function show(page: Page, hash: string): Promise<void> {
  const address = await page.evaluate<string>(`location.hash = ${JSON.stringify(hash)}; location.hash`);
  await page.locator(`main[data-address="${address}"]`).waitFor();
}

async function readDownload(page: Page): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  return readFileSync(await (await download).path(), "utf8");
}

/** The visible figures by row, the total last. */
async function readTable(page: Page): Promise<string[][]> {
  const all = page.getByRole("button", { name: /^Show all/ });
  if (await all.isVisible()) await all.click();
  return await page
    .locator(".figures tbody tr, .figures tfoot tr")
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...line.querySelectorAll("td:not(.key)")].map(
          (cell) => cell.querySelector(":scope > data")?.getAttribute("value") ?? "",
        ),
      ),
    );
}

/** All calls that the page lists, page by page: id, local start, duration and disposition; the earliest first. */
async function readCalls(page: Page): Promise<string[][]> {
  const found: string[][] = [];
  for (;;) {
    found.push(
      ...(await page.locator(".calls tbody tr").evaluateAll((lines) =>
        lines.map((line) =>
          [...line.querySelectorAll("th, td")].slice(0, 4).map((cell) => {
            const own = cell.querySelector("time, data, bdi");
            return (
              own?.getAttribute("datetime") ??
              own?.getAttribute("value") ??
              (cell.matches("th") ? cell : own)?.textContent ??
              ""
            );
          }),
        ),
      )),
    );
    const earlier = page.getByRole("button", { name: "Earlier calls" });
    if (await earlier.isDisabled()) return found.reverse();
    await earlier.click();
  }
}

/** The same of the list `calls`. */
function listOf(csv: string): string[][] {
  const [head = [], ...rows]: string[][] = parse(csv);
  const places = ["call_id", "call_started_local", "duration_seconds", "disposition"].map((name) =>
    head.indexOf(name),
  );
  return rows.map((row) => places.map((place) => row[place] ?? ""));
}

const dayAt = (index: number) => new Date(Date.UTC(2026, 4, 1 + index)).toISOString().slice(0, 10);
/** Up to six weeks of the five months. */
const someDays = fc
  .tuple(fc.integer({ min: 0, max: 149 }), fc.integer({ min: 0, max: 41 }))
  .map(([first, more]) => [dayAt(first), dayAt(Math.min(149, first + more))]);

describe.skipIf(CHROMIUM_PEER.isMissing)(`page to explore in Chromium${CHROMIUM_PEER.note}`, () => {
  let browser: Browser;
  let warehouse: ReturnType<typeof makeWarehouse>;
  let url: string;

  beforeAll(async () => {
    browser = await launch();
    warehouse = makeWarehouse(makeCalls());
    warehouse.execute(AMOUNTS);
    await warehouse.export({
      targets: [{ kind: "explore", dimensions: DIMENSIONS }],
      timezone: ZONE,
      spend: "if any",
      outcomes: "if any",
    });
    url = pathToFileURL(join(warehouse.folder, "explore.html")).href;
  });
  afterAll(async () => {
    warehouse[Symbol.dispose]();
    await browser.close();
  });

  const open = (options: BrowserContextOptions = {}, address = url) => openPage(browser, address, options);

  /** Runs a suggested command in a shell. */
  function run(command: string): string {
    const script = `calltally() { "$NODE" "$PROGRAM" "$@"; }; ${command} --stdout --database "$DATABASE"`;
    const env = {
      PATH: process.env.PATH,
      NODE: process.execPath,
      PROGRAM: join(DIST, "bin.js"),
      DATABASE: warehouse.database,
    };
    return execFileSync("bash", ["-c", script], {
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  it("logs nothing, requests nothing, and shows hostile text as text", async () => {
    await using opened = await open();
    const { page, said, asked } = opened;
    await show(page, "by=campaign,insight_name");
    const shown = await page.locator(".figures tbody bdi").allTextContents();
    expect(shown).toContain(NAMES[0]);
    expect(shown).toContain(NAMES[1]);
    expect(shown).toContain('"(other)"');
    expect(await page.title()).not.toContain("owned");
    expect(said).toEqual([]);
    expect(asked).toEqual([url]);
  });

  it.each([
    { name: "wide", options: {} },
    { name: "on a tablet", options: { viewport: { width: 768, height: 1024 } } },
    { name: "on a phone", options: { viewport: { width: 390, height: 844 } } },
    { name: "in dark mode", options: { colorScheme: "dark" } },
  ] as const)("axe finds no violations, and the page fits the screen: $name", async ({ options }) => {
    await using opened = await open(options);
    const { page } = opened;
    await show(page, "by=campaign,channel&is_channel=Paid+Search&figures=calls,cost,revenue,answer_rate");
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await page.locator("details[data-filter=campaign] summary").click();
    await page.locator("details[data-filter=campaign] input[type=checkbox]").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("filters by clicks, removes filters by crumbs, and supports back and forward", async () => {
    await using opened = await open();
    const { page } = opened;
    const calls = () => page.locator(".tiles data").first().getAttribute("value");
    const chosen = () => page.locator(".crumbs li").allTextContents();
    await show(page, "days=2026-06-01..2026-06-28");
    const all = await calls();
    await page.locator(".figures tbody").getByRole("button", { name: "Paid Search" }).click();
    await expect.poll(chosen).toEqual(["Channel: Paid Search ×: remove"]);
    const direct = await calls();
    expect(Number(direct)).toBeLessThan(Number(all));
    await page
      .locator(".choosable")
      .first()
      .click({ position: { x: 300, y: 120 } });
    await expect.poll(async () => (await chosen()).length).toBe(3);
    await page.goBack();
    await expect.poll(calls).toBe(direct);
    await page.locator(".crumbs button").first().click();
    await expect.poll(calls).toBe(all);
    await page.goBack();
    await page.goBack();
    await expect.poll(calls).toBe(all);
    await page.goForward();
    await expect.poll(calls).toBe(direct);
  });

  it("sorts its table by a change, both ways, and says from what a figure changed", async () => {
    await using opened = await open();
    const { page } = opened;
    await show(page, "days=2026-06-15..2026-06-28&by=channel&figures=calls");
    const read = async () => {
      const texts = await page.locator(".figures tbody td .change").allTextContents();
      return texts.map((text) => {
        const [, change = "", before] = /^([+-]?[\d.,]+)% from ([\d,]+)/.exec(text) ?? [];
        expect(before, text).toBeDefined();
        return Number(change.replaceAll(",", ""));
      });
    };
    const shown = await read();
    const change = page.getByRole("button", { name: "Calls change" });
    const rising = shown.toSorted((a, b) => a - b);
    expect(shown).not.toEqual(rising);
    await change.click();
    await expect.poll(read).toEqual(rising.toReversed());
    await change.click();
    await expect.poll(read).toEqual(rising);
    await change.click();
    await expect.poll(read).toEqual(shown);
  });

  it("selects values with the keyboard; Escape closes the menu", async () => {
    await using opened = await open();
    const { page } = opened;
    const menu = page.locator("details[data-filter=channel]");
    await menu.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("paid search");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await expect
      .poll(() => page.locator(".crumbs li").allTextContents())
      .toEqual(["Channel: Paid Search ×: remove"]);
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).toBeNull();
  });

  it("takes typed days when they are whole, and moves the other end along", async () => {
    await using opened = await open();
    const { page } = opened;
    const days = () =>
      page.locator("input[type=date]").evaluateAll((fields) => fields.map((field) => field.value));
    const enter = async (label: string, keys: string) => {
      const field = page.getByLabel(label, { exact: true });
      await field.focus();
      await page.keyboard.type(keys);
      await field.blur();
    };
    await show(page, "days=2026-08-03..2026-08-30");
    await page.getByLabel("From", { exact: true }).focus();
    await page.keyboard.type("08242026");
    expect(await page.evaluate("location.hash")).toBe("#days=2026-08-03..2026-08-30");
    await page.keyboard.press("Enter");
    await expect.poll(days).toEqual(["2026-08-24", "2026-08-30"]);
    await page.getByLabel("From", { exact: true }).blur();
    expect(await page.evaluate("location.hash")).toBe("#days=2026-08-24..2026-08-30");
    await enter("From", "09012026");
    await enter("to", "09052026");
    await expect.poll(days).toEqual(["2026-09-01", "2026-09-05"]);
    await enter("to", "06102026");
    await expect.poll(days).toEqual(["2026-06-10", "2026-06-10"]);
    await page.getByLabel("to", { exact: true }).fill("2026-06-12");
    await expect.poll(days).toEqual(["2026-06-10", "2026-06-12"]);
    await enter("From", "01022026");
    const said = page.getByRole("group", { name: "Days" }).getByRole("status");
    await expect.poll(() => said.textContent()).toMatch(/^Not all in this file: 2 Jan 2026. It has 1 May/);
    expect(await days()).toEqual(["2026-06-10", "2026-06-12"]);
    await page.getByLabel("to", { exact: true }).fill("2026-06-13");
    await expect.poll(() => said.textContent()).toBe("");
    await show(page, "days=2025-01-01..2025-01-31");
    expect(await said.textContent()).toMatch(/^Not all in this file: 1 Jan 2025 to 31 Jan 2025. It has/);
  });

  it("marks changes as the command judges them, and others as not judged", async () => {
    await using opened = await open();
    const { page } = opened;
    // Twelve calls more than usual at midnight, and hardly any on the day before.
    await show(page, "days=2026-08-06..2026-08-06&by=channel&figures=answer_rate,unique_callers");
    const rows: Record<string, string>[] = parse(run((await page.locator("#command").textContent()) ?? ""), {
      columns: true,
    });
    const judged = rows.flatMap((row) =>
      ["calls", "answer_rate"].flatMap((name) =>
        row[`${name}_change`] === "" ? [] : [row[`${name}_within_chance`]],
      ),
    );
    const [within, beyond] = ["1", "0"].map((value) => judged.filter((each) => each === value).length);
    expect(within).toBeGreaterThan(0);
    expect(beyond).toBeGreaterThan(0);
    expect(await page.locator(".figures .change", { hasText: "within chance" }).count()).toBe(within);
    expect(await page.locator(".figures .beyond").count()).toBe(beyond);
    const callers = page.locator(".tiles li", { hasText: "Unique callers" }).locator(".change");
    expect(await callers.getAttribute("class")).toBe("change");
    expect(await callers.textContent()).not.toContain("chance");
    expect(await page.locator(".tiles ~ p").allTextContents()).toContainEqual(
      expect.stringContaining("Other changes in grey are not judged"),
    );
  });

  it("reports that it is undamaged, or damaged if its calls were changed", async () => {
    const html = readFileSync(fileURLToPath(url), "utf8");
    const broken = html
      .replace('id="facts">{', 'id="facts">{"sha256":"0",')
      .replace(/,"sha256":"[0-9a-f]{64}"/, "");
    using temp = makeTempFolder();
    const file = join(temp.path, "broken.html");
    writeFileSync(file, broken);
    for (const [address, says] of [
      [url, "Undamaged"],
      [pathToFileURL(file).href, "Damaged"],
    ] as const) {
      await using opened = await open({}, address);
      await expect.poll(() => opened.page.locator(".basis dd").first().textContent()).toContain(says);
    }
  });

  it("each cell and the CSV file have the figures of the suggested command", async () => {
    await using opened = await open();
    const { page } = opened;
    await show(page, "days=2026-05-01..2026-09-27");
    const values = new Map<string, string[]>();
    for (const dimension of FILTERED) {
      const menu = page.locator(`details[data-filter=${dimension}]`);
      await menu.locator("summary").click();
      await menu.locator("input[type=checkbox]").first().waitFor();
      values.set(
        dimension,
        await menu
          .locator("input[type=checkbox]")
          .evaluateAll((boxes) => boxes.map((box) => box.getAttribute("value") ?? "")),
      );
    }
    const filter = fc
      .constantFrom(...FILTERED)
      .chain((name) =>
        fc
          .uniqueArray(fc.constantFrom(...(values.get(name) ?? [])), { minLength: 1, maxLength: 3 })
          .map((texts) => ({ name, texts })),
      );
    const view = fc.record({
      days: someDays,
      compare: fc.constantFrom("previous", "year", "none"),
      by: fc.uniqueArray(fc.constantFrom(...DIMENSIONS, "weekday", "hour"), { minLength: 1, maxLength: 2 }),
      figures: fc.subarray(FIGURES, { minLength: 1 }),
      filters: fc.uniqueArray(filter, { maxLength: 2, selector: ({ name }) => name }),
    });
    let compared = 0;
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(view, async ({ days: [from, to], compare, by, figures, filters }) => {
        const hash = new URLSearchParams({
          days: `${from}..${to}`,
          compare,
          by: by.join(),
          figures: figures.join(),
        });
        for (const { name, texts } of filters) for (const text of texts) hash.append(`is_${name}`, text);
        await show(page, hash.toString());
        const expected = run((await page.locator("#command").textContent()) ?? "");
        expect(await readDownload(page)).toBe(expected);
        const lines = expected.split("\r\n").slice(0, -1);
        if (/_(previous|year_ago)/.test(lines[0] ?? "")) compared++;
        rows += lines.length - 2;
        const shown = await readTable(page);
        // Texts may have commas, and figures do not.
        const width = lines[0]?.split(",").length ?? 0;
        const places =
          lines[0]?.split(",").flatMap((name, index) => (FIGURES.includes(name) ? [index - width] : [])) ??
          [];
        expect(shown).toEqual(numbersOf(expected, places));
      }),
      // A shorter example would take minutes to find.
      { numRuns: VIEWS, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(VIEWS / 10);
    expect(rows).toBeGreaterThan(VIEWS * 3);
  }, 1_200_000);

  it("with min_cell, says what it lacks, offers no command, and has no violations that axe finds", async () => {
    const folder = join(warehouse.folder, "groups");
    const targets = [{ kind: "explore", dimensions: ["channel", "campaign"] }] as const;
    await warehouse.export({ targets, folder, minCell: 3, timezone: ZONE });
    await using opened = await open({}, pathToFileURL(join(folder, "explore.html")).href);
    const { page, said } = opened;
    await show(page, "days=2026-05-01..2026-09-27&by=channel,campaign&compare=previous");
    await expect
      .poll(() => page.locator("header").textContent())
      .toContain("at least 3 calls, by day and channel and campaign");
    expect(await page.locator("main").textContent()).toContain("No command makes this table");
    expect(await page.locator(".tiles .name").first().textContent()).toBe("Calls in groups of 3 or more");
    expect(await page.locator("#command, .calls, .durations, details[data-filter=hour]").count()).toBe(0);
    const rows = await readTable(page);
    const counts = rows.map(([calls]) => Number(calls));
    expect(counts.length).toBeGreaterThan(3);
    expect(counts.slice(0, -1).reduce((sum, calls) => sum + calls, 0)).toBe(counts.at(-1));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
    expect(await page.locator(".figures tbody th").last().textContent()).toBe("(other)");
    expect(await findViolations(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  describe("with rows", () => {
    let listed: string;

    beforeAll(async () => {
      const folder = join(warehouse.folder, "listed");
      const targets = [{ kind: "explore", dimensions: DIMENSIONS, with: ["caller_id"] }] as const;
      await warehouse.export({ targets, folder, rows: true, timezone: ZONE });
      listed = pathToFileURL(join(folder, "explore.html")).href;
    });

    it("lists the calls of `export calls`, as many as each figure counts", async () => {
      await using opened = await open({}, listed);
      const { page } = opened;
      const view = fc.record({
        days: someDays,
        channel: fc.option(fc.constantFrom("Paid Search", "Email", "Organic Search"), { nil: undefined }),
        figure: fc.constantFrom("calls", "missed_calls", "qualified_calls", "first_time_callers"),
      });
      let calls = 0;
      await fc.assert(
        fc.asyncProperty(view, async ({ days: [from, to], channel, figure }) => {
          const hash = new URLSearchParams({ days: `${from}..${to}`, compare: "none", figures: figure });
          if (channel !== undefined) hash.append("is_channel", channel);
          if (figure !== "calls") hash.append("listed", figure);
          await show(page, hash.toString());
          await page.locator(`section.calls[data-address="#${hash}"]`).waitFor();
          const command = (await page.locator("#command").textContent()) ?? "";
          const shown = await readCalls(page);
          const counted = await page.locator(".figures tfoot data").last().getAttribute("value");
          expect(shown).toHaveLength(Number(counted));
          if (figure === "calls")
            expect(shown).toEqual(
              listOf(run(command.replace(/^calltally export .*(?=--from)/, "calltally export calls "))),
            );
          calls += shown.length;
        }),
        { numRuns: draws(40), endOnFailure: true },
      );
      expect(calls).toBeGreaterThan(draws(40) * 10);
    }, 600_000);

    it("turns its pages by keyboard, has no violations that axe finds, and fits a phone", async () => {
      await using opened = await open({ viewport: { width: 390, height: 844 } }, listed);
      const { page, said } = opened;
      await show(page, "days=2026-05-01..2026-09-27&by=campaign");
      const status = () => page.locator(".calls [role=status]").textContent();
      await expect.poll(status).toMatch(/^1 to 50 of /);
      await page.getByRole("button", { name: "Earlier calls" }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(status).toMatch(/^51 to 100 of /);
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      await show(page, "days=2026-05-01..2026-09-27&by=channel");
      await expect.poll(status).toMatch(/^1 to 50 of /);
      const heights = await page
        .locator(".calls tbody tr")
        .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThan(80);
      expect(said).toEqual([]);
    });
  });
});

/** The figures of CSV lines, without trailing zeros. @param places from the end of each line, below 0 */
function numbersOf(csv: string, places: readonly number[]): string[][] {
  return csv
    .replace(/"(?:[^"]|"")*"/g, "text")
    .split("\r\n")
    .slice(1, -1)
    .map((line) => {
      const fields = line.split(",");
      return places.map((place) => {
        const field = fields.at(place) ?? "";
        return field === "" ? "" : String(Number(field));
      });
    });
}
