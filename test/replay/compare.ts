import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outcome } from "./outcome.ts";

export interface Comparison {
  /** What differs, a text each. */
  differences: string[];
  /** Tables that were not compared, because their columns differ. */
  skipped: string[];
}

export function compare(old: Outcome, now: Outcome): Comparison {
  const runs = old.runs.flatMap((run, index) => {
    const other = now.runs[index];
    if (other === undefined) return [`${run.command}: it was not run`];
    return [
      ...(run.code === other.code ? [] : [`exit code of ${run.command}: ${run.code}, now ${other.code}`]),
      ...diff(`standard output of ${run.command}`, run.stdout, other.stdout),
      ...diff(`standard error of ${run.command}`, run.stderr, other.stderr),
    ];
  });
  const files = keysOf(old.files, now.files).flatMap((name) => {
    const [before, after] = [old.files[name], now.files[name]];
    if (before === undefined) return [`${name} is written now\n${after?.slice(0, 300)}`];
    if (after === undefined) return [`${name} is no longer written`];
    return diff(name, before, after);
  });
  const skipped: string[] = [];
  const tables = keysOf(old.tables, now.tables).flatMap((name) => {
    const [before, after] = [old.tables[name], now.tables[name]];
    if (before !== undefined && after !== undefined && before.columns.join() !== after.columns.join()) {
      skipped.push(name.split(" ").at(-1) ?? name);
      return [];
    }
    return diff(`rows of ${name}`, before?.rows.join("\n") ?? "", after?.rows.join("\n") ?? "");
  });
  const posts = diff("requests to web hooks", old.posts.join("\n"), now.posts.join("\n"));
  return { differences: [...runs, ...files, ...tables, ...posts], skipped };
}

const keysOf = (old: object, now: object) => [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();

function diff(what: string, old: string, now: string): string[] {
  if (old === now) return [];
  using folder = mkdtempDisposableSync(join(tmpdir(), "calltally-replay-"));
  const paths = ["old", "new"].map((name) => join(folder.path, name));
  writeFileSync(paths[0] ?? "", `${breakLines(old)}\n`);
  writeFileSync(paths[1] ?? "", `${breakLines(now)}\n`);
  let text = "";
  try {
    execFileSync("diff", ["-U1", ...paths], { encoding: "utf8", maxBuffer: 1e9 });
  } catch (error) {
    text = String((error as { stdout?: string }).stdout);
  }
  return [`${what}\n${text.split("\n").slice(2).join("\n")}`];
}

/** Breaks long lines between the members of JSON and the elements of HTML, so that a difference is a short one. */
function breakLines(text: string): string {
  return text.replace(/^.{200,}$/gm, (line) => line.replace(/,(?=["{])|(?=<)/g, "$&\n"));
}
