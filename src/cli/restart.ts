import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

export function restart(node: string): void {
  const program = fileURLToPath(new URL("bin.js", import.meta.url));
  const args = [...process.execArgv, program, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGINT", () => {}); // a terminal sends it to both
  child.once("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}
