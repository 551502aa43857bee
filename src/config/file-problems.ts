import { whereGiven, withDefaults } from "./file-defaults.ts";
import { fileSchema, NAME_RULE } from "./file-schema.ts";
import { findPlaceholder } from "./placeholder-names.ts";
import { describeChoice, describeIssue, type Finding, show } from "./request/describe-issue.ts";
import { ALL_SETTINGS } from "./settings.ts";
import { findTokenProblems } from "./token-problems.ts";
import { keysAt, type Path, type Problem, valueAt, type YamlSource } from "./yaml-source.ts";

/** @param folder that relative paths start in */
export function findProblems({ value: written, positionOf }: YamlSource, folder: string): Problem[] {
  const value = withDefaults(written);
  const { error } = fileSchema.safeParse(value, { reportInput: true });
  const unfilled = [...findUnfilled(written)];
  const isUnfilled = ({ path }: Finding) => unfilled.some((other) => other.path.join() === path.join());
  const others = [
    ...(error?.issues ?? []).flatMap((issue) => describeIssue(fileSchema, issue)).map(withSecrets),
    ...findAccountProblems(value),
    ...findTokenProblems(value, written, folder),
    ...findSharedRecipients(value, written),
    ...findMissingRecipients(value),
  ].map((finding) => ({ ...finding, path: whereGiven(written, finding.path) }));
  const problems = [...unfilled, ...others.filter((finding) => !isUnfilled(finding))].map(
    ({ path, message, isKey }) => ({ ...positionOf(path, isKey), path, message }),
  );
  // Each report has the problems of the defaults.
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function withSecrets(finding: Finding): Finding {
  const key = finding.isKey ? finding.path.at(-1) : undefined;
  if (!ALL_SETTINGS.some((setting) => setting.key === key && setting.scope === "environment")) return finding;
  const message = `is a secret, and does not belong in this file: name a file that contains it, with ${String(key)}_file`;
  return { ...finding, message };
}

/** Finds reports for recipients of accounts that have none. */
function* findMissingRecipients(root: unknown): Generator<Finding> {
  for (const report of keysAt(root, ["reports"])) {
    const path = ["reports", report];
    const chosen = valueAt(root, [...path, "accounts"]);
    const accounts = Array.isArray(chosen) ? chosen : keysAt(root, ["accounts"]);
    const without = accounts.filter(
      (name) => valueAt(root, ["accounts", String(name), "recipients"]) === undefined,
    );
    for (const index of keysAt(root, [...path, "deliver"])) {
      const place = [...path, "deliver", Number(index), "to"];
      if (valueAt(root, place) === undefined) continue;
      if (accounts.length === 0)
        yield { path: place, message: "needs accounts with recipients: the file names none" };
      if (without.length > 0)
        yield {
          path: place,
          message: `needs recipients below ${without.map((name) => `accounts.${name}`).join(", ")}`,
        };
    }
  }
}

/** Finds accounts without an address or with shared names, and references to unknown accounts. */
function* findAccountProblems(root: unknown): Generator<Finding> {
  const names = keysAt(root, ["accounts"]);
  for (const [index, name] of names.entries()) {
    const path = ["accounts", name];
    if (names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase())) {
      const message = "differs from another account only in case, and would share its folder";
      yield { path, message, isKey: true };
    }
    if ((valueAt(root, [...path, "base_url"]) ?? valueAt(root, ["base_url"])) === undefined)
      yield { path, message: "has no base_url, and the top of the file has none", isKey: true };
  }
  for (const group of ["accounts", "reports"]) {
    // Zod drops this key of a record without an issue.
    if (keysAt(root, [group]).includes("__proto__"))
      yield { path: [group, "__proto__"], message: NAME_RULE, isKey: true };
  }
  const ofReports = keysAt(root, ["reports"]).flatMap((report) => {
    const path = ["reports", report, "accounts"];
    return keysAt(root, path).map((index) => [...path, Number(index)]);
  });
  for (const path of [["doorbell", "account"], ...ofReports]) {
    const name = valueAt(root, path);
    if (typeof name !== "string" || names.includes(name)) continue;
    const message =
      names.length === 0
        ? `${show(name)} is not an account: the file names none`
        : describeChoice(name, names);
    yield { path, message };
  }
}

/** Returns the accounts of a report; none for `accounts: all`, which may share recipients. */
function ownAccounts(root: unknown, report: string): string[] {
  const chosen = valueAt(root, ["reports", report, "accounts"]);
  if (chosen === "all") return [];
  return Array.isArray(chosen) ? [...new Set(chosen.map(String))] : keysAt(root, ["accounts"]);
}

/**
 * Finds recipients who would get the figures of several accounts although no report says so: by one report, or by those
 * that have them from the defaults.
 */
function* findSharedRecipients(root: unknown, written: unknown): Generator<Finding> {
  const reports = keysAt(root, ["reports"]);
  const isInherited = (report: string) => valueAt(written, ["reports", report, "deliver"]) === undefined;
  const inheriting = new Set(reports.filter(isInherited).flatMap((report) => ownAccounts(root, report)));
  for (const report of reports) {
    const path = ["reports", report, "deliver"];
    const accounts = isInherited(report) ? [...inheriting] : ownAccounts(root, report);
    if (accounts.length < 2 || ownAccounts(root, report).length === 0) continue;
    for (const index of keysAt(root, path)) {
      const place = [...path, Number(index)];
      if (valueAt(root, [...place, "to"]) !== undefined) yield* findSameRecipients(root, accounts);
      else if (recipientKeys(valueAt(root, place)).length > 0) {
        const message = `would get the figures of ${accounts.length} accounts: make a report for each account, send it to: account, or set accounts: all in this one if its recipients may see every account`;
        yield { path: place, message };
      }
    }
  }
}

/** Finds recipients of one account that are also those of another. */
function* findSameRecipients(root: unknown, accounts: readonly string[]): Generator<Finding> {
  const owners = new Map<string, string>();
  for (const name of accounts) {
    for (const index of keysAt(root, ["accounts", name, "recipients"])) {
      const path = ["accounts", name, "recipients", Number(index)];
      for (const key of recipientKeys(valueAt(root, path))) {
        const owner = owners.get(key) ?? name;
        owners.set(key, owner);
        if (owner === name) continue;
        const message = `is also a recipient of ${owner}, and would get the figures of both: set accounts: all in the report if it may`;
        yield { path, message };
      }
    }
  }
}

/** Returns what identifies the recipient of a delivery; nothing for a command that has the account in its arguments. */
function recipientKeys(delivery: unknown): string[] {
  const [to, urlFile, command] = [["email", "to"], ["webhook", "url_file"], ["command"]].map((path) =>
    valueAt(delivery, path),
  );
  if (Array.isArray(to)) return to.map((address) => `mail ${String(address).toLowerCase()}`);
  if (urlFile !== undefined) return [`hook ${urlFile}`];
  const isOfAccount =
    Array.isArray(command) && command.slice(1).some((arg) => String(arg).includes("{account}"));
  return command === undefined || isOfAccount ? [] : [`command ${JSON.stringify(command)}`];
}

/** Texts in which placeholders are filled in, and values of calls, which may be anything. */
const MAY_HAVE_PLACEHOLDERS =
  /^(?:(?:reports\.[^.]+|defaults\.reports)\.(?:folder|filter\.(?!exclude_callers\b).+)|(?:(?:reports\.[^.]+|defaults\.reports)\.deliver|accounts\.[^.]+\.recipients)\.\d+\.(?:email\.subject|command\.[1-9]\d*))$/;

/** Finds placeholders in texts that are used as they are. */
function* findUnfilled(value: unknown, path: Path = []): Generator<Finding> {
  if (typeof value === "object" && value !== null) {
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [key, below] of entries) yield* findUnfilled(below, [...path, key]);
  }
  const placeholder = typeof value === "string" ? findPlaceholder(value) : undefined;
  if (placeholder === undefined || MAY_HAVE_PLACEHOLDERS.test(path.join("."))) return;
  const where = "only a report's folder, subject and arguments of a command have placeholders";
  yield { path, message: `${placeholder} is not filled in here: ${where}` };
}
