import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHROMIUM, CHROMIUM_PEER } from "../../support/chromium.ts";
import { findPeer } from "../../support/peers.ts";
import { isRunning } from "../../support/processes.ts";
import { calltally, HAS_PROCESSES, startCalltally } from "../../support/run.ts";
import { listFiles, readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";
import { isRoot, skipped, uid, unlessSkipped } from "../privacy/other-user.ts";
import { until } from "../until.ts";

const PDFTOTEXT = findPeer("pdftotext");

/** Calls of two weeks: 613 in the second, of which 241 were missed, and 587 in the first. */
const CALLS = Array.from({ length: 1201 }, (_, index) =>
  makeCall({
    call_id: index + 1,
    caller_id: `+4930${1_000_000 + index}`,
    call_started: startOf(index),
    disposition: index < 241 ? "NO ANSWER" : "ANSWERED",
    utm_source: index % 2 === 0 ? "google" : "bing",
  }),
);
/** The last one is before all days of the reports. */
function startOf(index: number): string {
  if (index === 1200) return "2026-08-01T10:00:00.000Z";
  return index < 613 ? "2026-09-15T10:00:00.000Z" : "2026-09-08T10:00:00.000Z";
}
const DAYS = "--from 2026-09-14 --to 2026-09-20";

/** A program that stands for a browser. In its script, `source` is the page and `target` the PDF. */
const FAKE = `#!${process.execPath}
const fs = require("fs");
const target = process.argv.find((arg) => arg.startsWith("--print-to-pdf=")).slice(15);
const source = new URL(process.argv.at(-1)).pathname;
`;
/** Writes a file that begins and ends like a PDF, with the page inside. */
const COPYING = 'fs.writeFileSync(target, "%PDF-1.4\\n" + fs.readFileSync(source, "utf8") + "\\n%%EOF\\n");';

/** Makes a folder with a warehouse, an own folder for temporary files, and a fake browser that does this. */
function makePdfFolder(script = COPYING, { browser }: { browser?: string } = {}) {
  const folder = makeCallsFolder(CALLS);
  const [temporary, fake] = [join(folder.path, "tmp"), join(folder.path, "browser")];
  mkdirSync(temporary);
  writeFileSync(fake, FAKE + script, { mode: 0o755 });
  give(folder.path);
  const env = { CALLTALLY_BROWSER: browser ?? fake, TMPDIR: temporary, PATH: process.env.PATH ?? "" };
  const options = { cwd: folder.path, env, uid };
  return {
    ...folder,
    fake,
    options,
    /** Rewrites the fake browser. */
    become: (then: string) => writeFileSync(fake, FAKE + then),
    run: (line: string) => calltally(line.split(" "), options),
    temporaryFiles: () => readdirSync(temporary).filter((name) => name.startsWith("calltally-")),
    /** Gives what root has written to the user of the tests. */
    give: () => give(folder.path),
  };
}

function give(folder: string): void {
  if (uid === undefined) return;
  for (const name of ["", ...readdirSync(folder, { recursive: true }).map(String)])
    chownSync(join(folder, name), uid, uid);
}

describe.skipIf(skipped || !HAS_PROCESSES)(`report as PDF${unlessSkipped}`, () => {
  it.skipIf(CHROMIUM_PEER.isMissing || PDFTOTEXT.isMissing)(
    `Chromium prints the headline of the page, in its sandbox${CHROMIUM_PEER.note}${PDFTOTEXT.note}`,
    async () => {
      using folder = makePdfFolder("", { browser: CHROMIUM });
      const { code, stdout, stderr } = await folder.run(`report ${DAYS} --format pdf --out out`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("out/report.pdf  613 calls");
      expect(listFiles(join(folder.path, "out"))).toEqual(["manifest.json", "report.pdf"]);
      const text = execFileSync("pdftotext", ["-layout", join(folder.path, "out/report.pdf"), "-"], {
        encoding: "utf8",
      });
      expect(text).toContain("Calls, 14 Sep 2026 to 20 Sep 2026");
      const words = text.split(/[\s,;]+/);
      expect(words).toEqual(expect.arrayContaining(["613", "241", "60.7%", "587", "+4.4%"]));
      expect(folder.temporaryFiles()).toEqual([]);
      const verified = await folder.run("verify out/manifest.json");
      expect(verified.stdout).toContain("report.pdf is as it was written");
    },
  );

  it("writes the page through the browser, and records the file and its figures under its own name", async () => {
    using folder = makePdfFolder();
    const write = () => folder.run(`report ${DAYS} --format pdf --out out`);
    expect(await write()).toMatchObject({ code: 0, stderr: "" });
    const { files } = JSON.parse(readText(folder.path, "out/manifest.json"));
    expect(files).toMatchObject([{ file: "report.pdf", contents: "report", rows: 613 }]);
    expect(readText(folder.path, "out/report.pdf")).not.toContain("What changed since");
    folder.execute("UPDATE call_facts SET source = 'google' WHERE call_id = 2");
    folder.give();
    expect(await write()).toMatchObject({ code: 0 });
    expect(readText(folder.path, "out/report.pdf")).toContain("What changed since");
    const [, ...restated] = readText(folder.path, "out/restatements.csv").trim().split("\r\n");
    expect(restated.length).toBeGreaterThan(1);
    expect(restated.filter((line) => !line.startsWith("report.pdf,"))).toEqual([]);
  });

  it("writes the PDF to standard output", async () => {
    using folder = makePdfFolder();
    const { code, stdout } = await folder.run(`report ${DAYS} --format pdf --stdout`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^%PDF-1\.4\n[\s\S]*<h1[\s\S]*\n%%EOF\n$/);
    expect(listFiles(folder.path).filter((file) => /report|manifest/.test(file))).toEqual([]);
  });

  it("a named report is delivered as PDF", async () => {
    using folder = makePdfFolder();
    const report = {
      ...{ format: "pdf", range: { from: "2026-09-14", to: "2026-09-20" } },
      deliver: [{ command: ["cp", "{file}", "sent.pdf"] }],
    };
    folder.write("calltally.yaml", JSON.stringify({ reports: { weekly: report } }));
    folder.give();
    expect(await folder.run("run weekly --deliver")).toMatchObject({ code: 0 });
    expect(readText(folder.path, "sent.pdf")).toBe(readText(folder.path, "reports/weekly/report.pdf"));
    expect(readText(folder.path, "sent.pdf")).toMatch(/^%PDF-1\.4\n/);
  });

  it("keeps the files of before, and leaves nothing, if the browser fails", async () => {
    using folder = makePdfFolder();
    await folder.run(`report ${DAYS} --format pdf --out out`);
    const before = [readText(folder.path, "out/report.pdf"), readText(folder.path, "out/manifest.json")];
    folder.become('console.error("Out of paper 20261129"); process.exit(3)');
    expect(await folder.run(`report --last 1w --format pdf --out out`)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        `Cannot print a PDF: ${folder.fake} ended with 3: Out of paper 20261129\n`,
      ),
    });
    expect(listFiles(join(folder.path, "out"))).toEqual(["manifest.json", "report.pdf"]);
    const after = [readText(folder.path, "out/report.pdf"), readText(folder.path, "out/manifest.json")];
    expect(after).toEqual(before);
    expect(folder.temporaryFiles()).toEqual([]);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "a report that is stopped by %s while the browser works leaves the files of before",
    async (signal) => {
      using folder = makePdfFolder();
      await folder.run(`report ${DAYS} --format pdf --out out`);
      const read = () => ["report.pdf", "manifest.json"].map((file) => readText(folder.path, `out/${file}`));
      const before = read();
      const started = join(folder.path, "tmp/started");
      folder.become(`fs.writeFileSync(${JSON.stringify(`${started}.new`)}, String(process.pid));
        fs.renameSync(${JSON.stringify(`${started}.new`)}, ${JSON.stringify(started)});
        setInterval(() => {}, 1e6);`);
      const args = [..."report --last 1w --format pdf --out out".split(" ")];
      const child = startCalltally(args, folder.options);
      await until(() => readdirSync(join(folder.path, "tmp")).includes("started"));
      const browser = readFileSync(started, "utf8");
      child.kill(signal);
      expect((await child.done).code).toBe(signal === "SIGTERM" ? 143 : null);
      expect(read()).toEqual(before);
      if (signal === "SIGKILL") {
        process.kill(Number(browser), "SIGKILL"); // nobody else can
        return;
      }
      expect(isRunning(browser)).toBe(false);
      expect(folder.temporaryFiles()).toEqual([]);
      expect(listFiles(join(folder.path, "out"))).toEqual(["manifest.json", "report.pdf"]);
    },
  );

  it("a PDF is refused before anything is written if no browser is found", async () => {
    using folder = makePdfFolder();
    const env = { TMPDIR: folder.options.env.TMPDIR, PATH: "/nonexistent" };
    const args = `report ${DAYS} --format pdf --out out`.split(" ");
    expect(await calltally(args, { ...folder.options, env })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `calltally: Cannot print a PDF: no Chromium, Google Chrome or Microsoft Edge was found
Install Chromium, Google Chrome or Microsoft Edge, or name one with CALLTALLY_BROWSER.
`,
    });
    expect(readdirSync(folder.path)).not.toContain("out");
  });

  it.skipIf(!isRoot)(
    "a PDF is refused for root, alone and as a named report, before the browser is started",
    async () => {
      using folder = makePdfFolder("process.exit(17)");
      folder.write("calltally.yaml", JSON.stringify({ reports: { weekly: { format: "pdf" } } }));
      const asRoot = { ...folder.options, uid: undefined };
      const why =
        "Cannot print a PDF as root: the browser would run without its sandbox\nRun calltally as another user.\n";
      expect(await calltally(`report ${DAYS} --format pdf --out out`.split(" "), asRoot)).toMatchObject({
        code: 2,
        stderr: `calltally: ${why}`,
      });
      const named = await calltally(["run", "weekly"], asRoot);
      expect(named.code).toBe(2);
      expect(named.stderr).toContain("ot print a PDF as root");
      expect(readdirSync(folder.path)).not.toContain("out");
      expect(readdirSync(folder.path)).not.toContain("reports");
    },
  );

  it.each([
    { args: "--format pdf --explore", why: "Cannot use --format with --explore" },
    { args: "--format html --overview", why: "Cannot use --format with --overview" },
    { args: "--format explore", why: "use --explore" },
    { args: "--format xlsx", why: "calltally export --format" },
    { args: "--format docx", why: "must be one of html, pdf" },
    { args: "--format pdf --min-cell 10", why: "--min-cell does not apply to the page" },
    { args: "--format pdf --from 2026-09-14", why: "A report needs --from and --to, or --last" },
  ])("the command refuses $args", async ({ args, why }) => {
    using folder = makePdfFolder();
    const { code, stderr } = await folder.run(`report ${args}`);
    expect(code).toBe(2);
    expect(stderr.toLowerCase()).toContain(why.toLowerCase());
  });
});
