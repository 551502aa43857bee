import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Copies the tree of the working folder as it is now, without what git ignores, to a folder; its packages are linked. */
export function copyTree(to: string): void {
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(name))) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    cpSync(file, join(to, file), { verbatimSymlinks: true });
  }
  symlinkSync(resolve("node_modules"), join(to, "node_modules"));
}
