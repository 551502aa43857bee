import { execSync } from "node:child_process";
import { resolve } from "node:path";

/** The tests of the command line run the built program: vitest builds it first, so that it is never an old one. */
export default function build(): void {
  execSync("npm run build", { stdio: ["ignore", "ignore", "inherit"] });
  // Whatever the tests start keeps what Node has compiled, for the next process to start in three quarters of the time.
  process.env.NODE_COMPILE_CACHE = resolve("dist/.compiled");
}
