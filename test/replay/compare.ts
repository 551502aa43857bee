import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, splitCommand } from "./case.ts";
import { LISTS, ROLLUPS } from "./mixes.ts";
import type { Outcome } from "./outcome.ts";

/** Exit code of what is refused: its wording may differ, but not the options that it names. */
const REFUSED = 2;

/**
 * Returns what is different, a text each; none where both builds did the same.
 *
 * @param isOwn whether each build made its warehouses: then they have ids, and hashes that depend on them, of their own
 */
export function compare({ steps }: Case, given: Outcome, other: Outcome, isOwn: boolean): string[] {
  const [old, now] = isOwn ? [withoutIds(given), withoutIds(other)] : [given, other];
  return compareOutcomes(steps, old, now);
}

/** Returns an outcome without what is random in a warehouse, and its rows in an order that does not depend on their table. */
function withoutIds({ runs, files, tables, received }: Outcome): Outcome {
  const plain = (text: string) =>
    text
      .replace(/("?(?:warehouse_id|fingerprint|token_mark)"?: ?)"[0-9a-f]*"/g, '$1"…"')
      .replace(/\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g, "…")
      .replace(/"rules_id":\d+/g, '"rules_id":"…"')
      .replace(/\([0-9a-f]{8}\)/g, "(…)");
  const rows = tables
    .filter((row) => !/^\S+ . sqlite_sequence /.test(row))
    .map((row) => {
      const [, lead = "", json = "{}"] = /^(\S+ . \S+ )(.*)$/s.exec(row) ?? [];
      const members = Object.entries(JSON.parse(json)).filter(([name]) => name !== "schema_version");
      return `${lead}${JSON.stringify(Object.fromEntries(members.sort()))}`;
    });
  return {
    runs: runs.map((run) => ({ ...run, stdout: plain(run.stdout), stderr: plain(run.stderr) })),
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, plain(text)])),
    tables: rows.map(plain).sort(),
    received: received.map(plain),
  };
}

function compareOutcomes(steps: Case["steps"], old: Outcome, now: Outcome): string[] {
  const runs = old.runs.flatMap((run, index) => {
    const other = now.runs[index];
    if (other === undefined) return [`${run.command}: it was not run`];
    const said =
      run.code === REFUSED && other.code === REFUSED
        ? compareRefusals(run.stderr, other.stderr, givenNames(run.command, steps))
        : difference(`standard error of ${run.command}`, run.stderr, other.stderr);
    return [
      ...(run.code === other.code ? [] : [`exit code of ${run.command}: ${run.code}, now ${other.code}`]),
      ...difference(`standard output of ${run.command}`, run.stdout, other.stdout),
      ...said,
    ];
  });
  const names = [...new Set([...Object.keys(old.files), ...Object.keys(now.files)])].sort();
  const files = names.flatMap((name) => {
    const [before, after] = [old.files[name], now.files[name]];
    if (before === undefined) return [`${name} is written now\n${after?.slice(0, 300)}`];
    if (after === undefined) return [`${name} is not written any more`];
    return difference(name, before, after);
  });
  return [
    ...runs,
    ...files,
    ...difference("rows of warehouses", old.tables.join("\n"), now.tables.join("\n")),
    ...difference("web hooks and mails", old.received.join("\n"), now.received.join("\n")),
  ];
}

/** Fewer names are enough, since a refusal may stop at the first of several reasons. */
function compareRefusals(old: string, now: string, given: readonly string[]): string[] {
  const [before, after] = [namesIn(old, given), namesIn(now, given)];
  const isSame = before.length === 0 || (after.length > 0 && after.every((name) => before.includes(name)));
  if (isSame) return [];
  return [
    `the refusal named ${before.join(", ")}, and names ${after.join(", ") || "no option"} now:\n- ${old}+ ${now}`,
  ];
}

function namesIn(text: string, given: readonly string[]): string[] {
  return given.filter((name) =>
    new RegExp(`(?<![\\w-])(--)?${name.replaceAll("_", "[-_]")}(?![\\w-])`).test(text),
  );
}

/** Options, contents and keys of reports that a command line was given. */
function givenNames(command: string, steps: Case["steps"]): string[] {
  const args = splitCommand(command);
  const options = args.filter((argument) => argument.startsWith("--"));
  const questions = [...command.matchAll(/"([a-z_]+)":/g)].map(([, key = ""]) => key);
  const yaml = steps.flatMap((step) =>
    typeof step === "object" && "write" in step ? (step.write["calltally.yaml"] ?? "") : "",
  );
  const keys = yaml.flatMap((text) => [...text.matchAll(/[{ ]([a-z_]+): /g)].map(([, key = ""]) => key));
  const words = [
    ...args.flatMap((each) => each.split(",")),
    ...yaml.flatMap((text) => text.split(/[^a-z0-9_-]+/)),
  ];
  const contents = [...ROLLUPS, ...LISTS].filter((name) => words.includes(name));
  const all = [...options.map((option) => option.replace(/=.*/, "")), ...questions, ...keys, ...contents];
  return [...new Set(all)].filter((name) => !NO_OPTIONS.includes(name));
}

/** Keys that are no option of a report; its own name is a key as well. */
const NO_OPTIONS = ["reports", "accounts", "deliver", "command", "weekly", "one", "two"];

function difference(what: string, old: string, now: string): string[] {
  if (old === now) return [];
  using folder = mkdtempDisposableSync(join(tmpdir(), "calltally-replay-"));
  const paths = ["old", "new"].map((name) => join(folder.path, name));
  writeFileSync(paths[0] ?? "", `${broken(old)}\n`);
  writeFileSync(paths[1] ?? "", `${broken(now)}\n`);
  let text = "";
  try {
    execFileSync("diff", ["-U1", ...paths], { encoding: "utf8", maxBuffer: 1e9 });
  } catch (error) {
    text = String((error as { stdout?: string }).stdout);
  }
  return [`${what}\n${text.split("\n").slice(2).join("\n")}`];
}

/** Breaks long lines between the members of JSON and the elements of HTML, so that a difference is a short one. */
function broken(text: string): string {
  return text.replace(/^.{200,}$/gm, (line) => line.replace(/,(?=["{])|(?=<)/g, "$&\n"));
}
