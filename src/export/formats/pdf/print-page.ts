import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { attempt, CalltallyError, describeError, EXIT, UsageError } from "../../../base/errors.ts";
import { MODES } from "../../../base/folder.ts";
import { type ProgramEnd, runProgram } from "../../../base/run-program.ts";
import { toShort } from "../../../base/text/printable.ts";
import { SETTINGS } from "../../../config/settings.ts";
import { findBrowser } from "./find-browser.ts";

/** Prints a page; returns the bytes of a PDF. */
export type Print = (page: string) => Promise<Buffer>;

interface PrintOptions {
  signal?: AbortSignal | undefined;
  /** @default two minutes */
  timeoutMs?: number;
}

const TIMEOUT_MS = 120_000;
/** Folders not used for so long were left by killed processes. */
const LEFT_MS = 3_600_000;
const PREFIX = "calltally-print-";
const MAX_REASON = 200;

const ARGS = [
  "--headless",
  "--no-pdf-header-footer",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-extensions",
  "--disable-sync",
  // No requests: neither of the page, which makes none, nor of the browser itself.
  "--disable-background-networking",
  "--disable-component-update",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--disable-breakpad",
  // Otherwise macOS and desktops of Linux may ask for the password of the user.
  "--use-mock-keychain",
  "--password-store=basic",
];

/** What a browser needs of the environment: nothing of calltally's, and nothing secret. */
const VARIABLES = ["PATH", "LANG", "LC_ALL", "SystemRoot", "SystemDrive", "ProgramFiles", "ProgramData"];

/** Returns what prints pages with a browser, each with a new profile and in its sandbox. */
export function printerOf(program: string, { signal, timeoutMs = TIMEOUT_MS }: PrintOptions): Print {
  return async (page) => {
    sweepFolders();
    const folder = mkdtempSync(join(tmpdir(), PREFIX)); // only its owner may read it
    try {
      const [source, target] = [join(folder, "report.html"), join(folder, "report.pdf")];
      writeFileSync(source, page, { mode: MODES.owner.file });
      const profile = `--user-data-dir=${join(folder, "profile")}`;
      const args = [...ARGS, profile, `--print-to-pdf=${target}`, pathToFileURL(source).href];
      const env = toEnvironment(folder);
      const ended = await runProgram(
        { program, args, cwd: folder, env, timeoutMs, isAlone: true },
        signal,
      ).catch((error: unknown): ProgramEnd => ({ problem: describeError(error), output: "" }));
      signal?.throwIfAborted();
      const pdf = ended.problem === undefined ? readPdf(target) : undefined;
      if (pdf === undefined) throw cannotPrint(program, ended);
      return pdf;
    } finally {
      // Processes of the browser may still write for a moment after they were killed.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  };
}

/**
 * Returns the file of the browser to print with.
 * @param named the setting. By default one that is installed
 * @throws UsageError without a browser, and for root, as whom Chromium starts only without its sandbox
 */
export function chooseBrowser(named: string | undefined): string {
  const program = findBrowser(named);
  if (process.getuid?.() !== 0) return program;
  throw new UsageError("Cannot print a PDF as root: the browser would run without its sandbox", {
    hint: "Run calltally as another user.",
  });
}

/** Returns a whole PDF; undefined for anything else. */
function readPdf(file: string): Buffer | undefined {
  const bytes = attempt(() => readFileSync(file));
  const isWhole = bytes?.subarray(0, 5).equals(Buffer.from("%PDF-")) && bytes.subarray(-32).includes("%%EOF");
  return isWhole ? bytes : undefined;
}

function cannotPrint(program: string, { problem = "wrote no PDF", output }: ProgramEnd): CalltallyError {
  const reason = reasonIn(output);
  return new CalltallyError(
    EXIT.failed,
    `Cannot print a PDF: ${program} ${problem}${reason === "" ? "" : `: ${reason}`}`,
    {
      hint: `Name another browser with ${SETTINGS.browser.env}, or write the page as HTML, which any browser prints.`,
    },
  );
}

/** Returns the line of a browser's output that says why it ended, short: the fatal one, or the last. */
function reasonIn(output: string): string {
  const lines = output.split("\n").filter((line) => /^\S/.test(line) && !/\/dbus\/|^#\d/.test(line));
  const line = lines.find((each) => /:FATAL:/.test(each)) ?? lines.at(-1) ?? "";
  return toShort(line.replace(/^\[[\d:/.]*:[A-Z]+:[^\]]*\] /, ""), MAX_REASON);
}

function toEnvironment(folder: string): NodeJS.ProcessEnv {
  const names = VARIABLES.filter((name) => process.env[name] !== undefined);
  return {
    ...Object.fromEntries(names.map((name) => [name, process.env[name]])),
    ...Object.fromEntries(["HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"].map((name) => [name, folder])),
  };
}

/** Removes what killed processes of this user left. */
function sweepFolders(): void {
  const oldestMs = Date.now() - LEFT_MS;
  for (const name of globSync(`${PREFIX}*`, { cwd: tmpdir() })) {
    const folder = join(tmpdir(), name);
    // Those of other users stay.
    attempt(() => statSync(folder).mtimeMs < oldestMs && rmSync(folder, { recursive: true }));
  }
}
