import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { startSandbox } from "../../src/sandbox/server.ts";
import { startMailServer } from "../reports/delivery/mail-server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

// Makes the pictures of the overview and of a mail in docs/images/, from made-up calls, with the built program.

const BIN = resolve("dist/bin.js");
const NOW = new Date("2026-10-31T23:00:00Z");
const CITIES = ["Austin", "Dallas", "Houston", "Memphis"];

using folder = makeTempFolder();
const cwd = folder.path;
await using mail = await startMailServer();
mkdirSync(join(cwd, "secrets"));
const writeSecret = (name: string, text: string) =>
  writeFileSync(join(cwd, "secrets", name), text, { mode: 0o600 });
writeSecret("smtp.url", `smtp://127.0.0.1:${mail.port}?from=reports@northwind.example`);

const sandboxes = await Promise.all(
  CITIES.map((_, index) => startSandbox({ calls: 5000 - 900 * index, seed: index + 1, now: NOW })),
);
const accounts = sandboxes.map(({ url, token }, index) => {
  writeSecret(`${index}.token`, token);
  const city = CITIES[index] ?? "";
  return `  ${city.toLowerCase()}: { base_url: "${url}", token_file: secrets/${index}.token, title: Northwind ${city} }`;
});
writeFileSync(
  join(cwd, "calltally.yaml"),
  `smtp_url_file: secrets/smtp.url
accounts:
${accounts.join("\n")}
reports:
  weekly:
    accounts: [austin]
    contents: [channel]
    range: { from: 2026-10-19, to: 2026-10-25 }
    compare: previous
    format: xlsx
    deliver:
      - email: { to: [marketing@northwind.example], subject: "Calls, {period}" }
`,
  { mode: 0o600 },
);

const calltally = async (...args: string[]) => {
  await promisify(execFile)(process.execPath, [BIN, ...args], { cwd, env: {} });
};
await calltally("sync", "--quiet");
await calltally("report", "--overview", "--from", "2026-10-05", "--to", "2026-10-25");
await calltally("run", "weekly", "--deliver");
writeFileSync(join(cwd, "mail.html"), htmlOf(mail.taken[0]?.raw ?? ""));
await Promise.all(sandboxes.map((sandbox) => sandbox.close()));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
await takePicture("data/exports/overview/overview.html", "overview", 1100);
await takePicture("mail.html", "mail", 640);
await browser.close();

async function takePicture(file: string, name: string, width: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 600 } });
  await page.goto(pathToFileURL(join(cwd, file)).href);
  await page.screenshot({ path: `docs/images/${name}.png`, fullPage: true });
}

/** Returns the part of a mail that is HTML. */
function htmlOf(raw: string): string {
  const [, head = "", body = ""] = /^Content-Type: text\/html(.*?)\r\n\r\n(.*?)\r\n--/ms.exec(raw) ?? [];
  if (/: base64/i.test(head)) return Buffer.from(body, "base64").toString();
  const bytes = body
    .replaceAll("=\r\n", "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
