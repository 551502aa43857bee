import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { BIN } from "../support/run.ts";

/** The built program on a terminal of 80 columns. */
export interface Terminal extends AsyncDisposable {
  /** Everything it has shown, with cursor codes. */
  readonly shown: string;
  /** Waits until a text is shown after the previous reply, and types the keys. */
  reply: (text: string, keys: string) => Promise<void>;
  /** The exit code. */
  ended: Promise<number | null>;
}

/** Whether `script` (util-linux) can create a terminal here. */
export const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;
export const unlessNoScript = hasScript ? "" : " (SKIPPED: no script)";

/** Runs the built program on a terminal until it ends; returns everything it has shown. */
export function runOnTerminal(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): string {
  const words = [process.execPath, BIN, ...args].map((word) => `"${word}"`);
  return spawnSync("script", ["-qec", words.join(" "), "/dev/null"], { cwd, env, encoding: "utf8" }).stdout;
}

/** Starts the built program on a terminal created by `script` (util-linux). */
export function startOnTerminal(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Terminal {
  const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`);
  const command = `stty cols 80 rows 24; exec ${words.join(" ")}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: "/usr/bin:/bin", TERM: "xterm-256color", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const shown: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => shown.push(text));
  const closed = once(child, "close");
  const ended = closed.then(([code]) => code);
  let from = 0;
  return {
    get shown() {
      return shown.join("");
    },
    ended,
    async reply(text, keys) {
      for (;;) {
        const at = shown.join("").indexOf(text, from);
        if (at >= 0) {
          from = at + text.length;
          child.stdin.write(keys);
          return;
        }
        const more = await Promise.race([once(child.stdout, "data"), closed.then(() => undefined)]);
        if (more === undefined) throw new Error(`${text} was never shown: ${shown.join("").slice(from)}`);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
