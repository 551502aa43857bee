import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { LONGEST_MS } from "./enough-time.ts";
import { findPeer } from "./peers.ts";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const CHROMIUM_PEER = findPeer("chromium", CHROMIUM);

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

/** Opens a page and records its messages and requests. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(LONGEST_MS);
  const page = await context.newPage();
  const said: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(url);
  await page.waitForSelector("main");
  return { page, said, asked, [Symbol.asyncDispose]: () => context.close() };
}

/** The violations found by axe that are more than minor. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate<AxeResults>("axe.run(document)");
  return violations
    .filter(({ impact }) => impact !== "minor")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
