import { execSync } from "node:child_process";

/** The tests of the command line run the built program: vitest builds it first, so that it is never an old one. */
export default function build(): void {
  execSync("npm run build", { stdio: ["ignore", "ignore", "inherit"] });
}
