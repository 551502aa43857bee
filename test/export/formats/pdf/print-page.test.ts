import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { printerOf } from "../../../../src/export/formats/pdf/print-page.ts";
import { isRunning } from "../../../support/processes.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";

const PAGE = "<!doctype html><title>Calls of 20,261,129 days</title>";
const WHOLE = "%PDF-1.4\n…\n%%EOF\n";

/** In the scripts, `target` is the file to write, and `source` the page. */
const SCRIPT = `const fs = require("fs"), path = require("path");
const target = process.argv.find((arg) => arg.startsWith("--print-to-pdf=")).slice(15);
const source = new URL(process.argv.at(-1)).pathname;`;

describe.skipIf(process.platform === "win32")("printerOf", () => {
  let temp: ReturnType<typeof makeTempFolder>;
  /** Where the private folders are. */
  let folder: string;

  beforeEach(() => {
    temp = makeTempFolder();
    folder = join(temp.path, "private");
    mkdirSync(folder);
    vi.stubEnv("TMPDIR", folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    temp.remove();
  });

  /** Writes a program that stands for a browser. */
  function fakeBrowser(script: string): string {
    const file = join(temp.path, "browser");
    writeFileSync(file, `#!${process.execPath}\n${SCRIPT}\n${script}\n`, { mode: 0o755 });
    return file;
  }

  const noted = (name: string) => readFileSync(join(temp.path, name), "utf8");
  const note = (name: string, value: string) =>
    `fs.writeFileSync(${JSON.stringify(join(temp.path, name))}, JSON.stringify(${value}));`;

  it("returns the bytes of the PDF, and removes its private folder", async () => {
    const browser = fakeBrowser(`
      const mode = (file) => (fs.statSync(file).mode & 0o777).toString(8);
      ${note("page", 'fs.readFileSync(source, "utf8")')}
      ${note("modes", "[mode(path.dirname(source)), mode(source)]")}
      fs.writeFileSync(target, ${JSON.stringify(WHOLE)});`);
    expect((await printerOf(browser, {})(PAGE)).toString()).toBe(WHOLE);
    expect(JSON.parse(noted("page"))).toBe(PAGE);
    expect(JSON.parse(noted("modes"))).toEqual(["700", "600"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("starts the browser with its sandbox, a new profile and no network, and gives it no secret", async () => {
    vi.stubEnv("CALLTALLY_TOKEN", "tok3n-THAT-must-not-be-seen");
    vi.stubEnv("OTHER_SECRET", "of-somebody-else");
    const browser = fakeBrowser(`
      ${note("started", "{ args: process.argv.slice(2), env: process.env, cwd: process.cwd() }")}
      fs.writeFileSync(target, ${JSON.stringify(WHOLE)});`);
    await printerOf(browser, {})(PAGE);
    const { args, env, cwd } = JSON.parse(noted("started"));
    expect(args).toContain("--host-resolver-rules=MAP * ~NOTFOUND");
    expect(args).toContain(`--user-data-dir=${cwd}/profile`);
    expect(args.filter((arg: string) => arg.includes("sandbox"))).toEqual([]);
    expect(Object.keys(env)).toContain("PATH");
    expect(Object.keys(env).filter((name) => /CALLTALLY|SECRET/.test(name))).toEqual([]);
    expect([env.HOME, env.TMPDIR]).toEqual([cwd, cwd]);
  });

  it.each([
    { title: "fails", script: "process.exit(7)", problem: "ended with 7" },
    { title: "is killed", script: 'process.kill(process.pid, "SIGKILL")', problem: "was ended by SIGKILL" },
    { title: "writes nothing", script: "", problem: "wrote no PDF" },
    { title: "writes an empty file", script: 'fs.writeFileSync(target, "")', problem: "wrote no PDF" },
    {
      title: "writes something else",
      script: 'fs.writeFileSync(target, "<html>%%EOF")',
      problem: "wrote no PDF",
    },
    {
      title: "writes half of a PDF",
      script: 'fs.writeFileSync(target, "%PDF-1.4\\n")',
      problem: "wrote no PDF",
    },
    { title: "makes a folder of that name", script: "fs.mkdirSync(target)", problem: "wrote no PDF" },
    {
      title: "says why",
      script: `console.error("[17:17:1129/011831.4:ERROR:content/zygote.cc(103)] Running as root is not supported."); process.exit(1)`,
      problem: "ended with 1: Running as root is not supported.",
    },
    {
      title: "says why, and where",
      script: `console.error("[17:17:1129/011831.4:FATAL:content/zygote.cc(129)] No usable sandbox!\\n#0 0x55d0b3a8b4e2 <unknown>\\n\\nTask trace:"); process.exit(1)`,
      problem: "ended with 1: No usable sandbox!",
    },
    {
      title: "says too much",
      script: `console.error("word ".repeat(9000) + "\\u001b[31m"); process.exit(1)`,
      problem: `ended with 1: ${"word ".repeat(40).slice(0, 199)}…`,
    },
  ])("fails, and leaves nothing, if the browser $title", async ({ script, problem }) => {
    const browser = fakeBrowser(script);
    await expect(printerOf(browser, {})(PAGE)).rejects.toMatchObject({
      exitCode: 1,
      message: `Cannot print a PDF: ${browser} ${problem}`,
      hint: "Name another browser with CALLTALLY_BROWSER, or write the page as HTML, which any browser prints.",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("fails if the browser cannot be started", async () => {
    const browser = join(temp.path, "browser");
    writeFileSync(browser, "#!/nonexistent/interpreter\n", { mode: 0o755 });
    await expect(printerOf(browser, {})(PAGE)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(`Cannot start ${browser}`),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  /** A browser that hangs, as does a process that it started; both ignore SIGTERM. */
  const HANGING = `process.on("SIGTERM", () => {});
    const child = require("child_process").spawn(process.execPath, ["-e",
      'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1e6)'], { stdio: ["ignore", "pipe", "ignore"] });
    setInterval(() => {}, 1e6);
    child.stdout.once("data", () => { PIDS });`;
  const hangingBrowser = () =>
    fakeBrowser(
      HANGING.replace(
        "PIDS",
        `${note("pids", "[process.pid, child.pid]")} fs.writeFileSync(target, "%PDF-");`,
      ),
    );

  async function untilNoted(): Promise<string[]> {
    await vi.waitUntil(() => existsSync(join(temp.path, "pids")) && noted("pids") !== "", {
      timeout: 600_000,
      interval: 10,
    });
    return JSON.parse(noted("pids")).map(String);
  }

  it("stops a browser that does not end in time", async () => {
    const printed = printerOf(hangingBrowser(), { timeoutMs: 1000 })(PAGE);
    await expect(printed).rejects.toMatchObject({
      message: expect.stringMatching(/did not end within 1 s$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stops the browser with its processes when it is aborted", async () => {
    const abort = new AbortController();
    const printed = printerOf(hangingBrowser(), { signal: abort.signal })(PAGE);
    const pids = await untilNoted();
    abort.abort(new Error("stopped by the user"));
    await expect(printed).rejects.toThrow("stopped by the user");
    await vi.waitUntil(() => !pids.some(isRunning), { timeout: 600_000, interval: 10 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("removes folders that killed processes left an hour ago, and no others", async () => {
    const [old, recent, foreign] = ["calltally-print-a1", "calltally-print-b2", "calltally-c3"].map(
      (name) => {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, "report.html"), PAGE);
        return join(folder, name);
      },
    );
    const hourAgo = Date.now() / 1000 - 3601;
    for (const path of [old, foreign]) utimesSync(path ?? "", hourAgo, hourAgo);
    await printerOf(fakeBrowser(`fs.writeFileSync(target, ${JSON.stringify(WHOLE)})`), {})(PAGE);
    expect([old, recent, foreign].map((path) => existsSync(path ?? ""))).toEqual([false, true, true]);
  });
});
