import { existsSync } from "node:fs";
import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { linesBelow } from "../../base/text/terminal-text.ts";
import type { Account } from "../../config/accounts.ts";
import { loadSettings, type Settings } from "../../config/load-settings.ts";
import { type ForgetResult, findUnknown, forgetNow } from "../../operate/forget/forget-now.ts";
import { type NamedCaller, parseWhom, unknownError } from "../../operate/forget/parse-whom.ts";
import { isManifest } from "../../operate/forget/personal-files.ts";
import { forEachAccount, valueOrThrow } from "../../reports/accounts/for-each-account.ts";
import { accountsOf, settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts, type Result } from "../frame.ts";
import { eachOf, parseCountryCode } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("forget")
    .description(
      "Removes the personal data of callers: numbers, transcripts, links to recordings. Their calls still count, and no " +
        "sync brings the data back.",
    )
    .argument("[number...]", "phone numbers with their country codes")
    .option("--file <file>", "a file of phone numbers, one per line; text after a # is a comment")
    .option(
      "--caller-hash <hex>",
      "a caller as caller_hash in exported files; may be given more than once",
      eachOf(String),
    )
    .option("--country-code <digits>", "of numbers that have none, such as 1", parseCountryCode)
    .option("--exports", "also delete exported files that contain them", false)
    .option("--allow-empty", "accept numbers without calls, and block them from now on", false)
    .option("--all-accounts", "forget them in each account that has data of them", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", '\nExample:\n  $ calltally forget "+1 512 555 0117" --exports')
    .action(
      action(context, async (numbers, options) => {
        const whom = parseWhom(numbers, { ...options, hashes: options.callerHash ?? [] });
        if (options.allAccounts) return await forgetInAll(context, whom, options);
        return await forgetIn(context, settingsOf(context, "--all-accounts"), whom, options);
      }),
    );

interface ForgetFlags {
  exports: boolean;
  allowEmpty: boolean;
}

/**
 * Forgets callers in each account that has data of them; with `--allow-empty`, in all that have a warehouse. An account
 * that fails stops no other.
 * @throws UsageError before anybody is forgotten, if no account has data of one of them
 */
async function forgetInAll(
  context: Context,
  whom: readonly NamedCaller[],
  flags: ForgetFlags,
): Promise<Result> {
  const { signal } = context;
  const accounts = accountsOf(context);
  const read = (account: Account) => knownCallers(whom, account, flags);
  const results = await Array.fromAsync(forEachAccount(accounts, read, { signal }));
  const isKnown = (one: NamedCaller) => results.some((each) => "value" in each && each.value.includes(one));
  const nowhere = whom.flatMap((one, index) => (isKnown(one) ? [] : [index]));
  // An account that cannot be read may have data of them.
  const failed = results.find((each) => "error" in each);
  if (nowhere.length > 0) throw failed?.error ?? unknownError(whom, nowhere);
  const known = new Map(results.map((result) => [result.account, result]));
  return await overAccounts(context, accounts, ({ account, settings }) => {
    const result = known.get(account);
    const callers = result === undefined ? [] : valueOrThrow(result);
    if (callers.length > 0) return forgetIn(context, settings, callers, flags);
    return { data: { forgotten: null }, summary: "No data of them" };
  });
}

/** Returns the callers that an account has data of; with `--allow-empty`, all. */
function knownCallers(
  whom: readonly NamedCaller[],
  { sources }: Account,
  { allowEmpty }: ForgetFlags,
): readonly NamedCaller[] {
  const settings = loadSettings(sources);
  if (!existsSync(settings.database)) return [];
  if (allowEmpty) return whom;
  const unknown = new Set(findUnknown(whom, settings));
  return whom.filter((_, index) => !unknown.has(index));
}

async function forgetIn(
  { folder, signal }: Context,
  settings: Settings,
  whom: readonly NamedCaller[],
  { exports: isRemoved, allowEmpty }: ForgetFlags,
): Promise<Result> {
  const forgotten = await forgetNow(whom, {
    account: settings,
    exportDir: settings.exportDir,
    isExportRemoved: isRemoved,
    isUnknownAllowed: allowEmpty,
    signal,
  });
  if (forgotten.unknown.length > 0 && !allowEmpty) throw unknownError(whom, forgotten.unknown);
  const { counts, unknown, files, copies, clusters, newKey } = forgotten;
  return {
    data: {
      forgotten: counts,
      unknown: unknown.length,
      exported_files: files.map((each) => ({ ...each, removed: isRemoved })),
      copies,
      clusters,
      ...(newKey !== undefined && { new_key: newKey }),
    },
    summary: summarizeForgotten(forgotten, isRemoved, folder),
    notes: noteLeft(forgotten, isRemoved, folder),
  };
}

function summarizeForgotten({ counts, files }: ForgetResult, isRemoved: boolean, folder: string): string {
  const { callers, calls, transcripts, rejected_rows, texts } = counts;
  const others = [
    transcripts > 0 && formatQuantity(transcripts, "transcript"),
    rejected_rows > 0 && formatQuantity(rejected_rows, "rejected row"),
    texts > 0 && formatQuantity(texts, "other text"),
  ].filter((part) => part !== false);
  const more = others.length > 0 ? `; in ${others.join(", ")} as well` : "";
  const removed = (what: string, done: string, isThis: (path: string) => boolean) => {
    const paths = isRemoved ? files.map(({ path }) => path).filter(isThis) : [];
    return paths.length > 0 ? [`${formatQuantity(paths.length, what)} ${done}:${list(paths, folder)}`] : [];
  };
  return [
    `${formatQuantity(callers, "caller")} forgotten: personal data removed from ${formatQuantity(calls, "call")}${more}. Figures do not change.`,
    ...removed("exported file", "removed", (path) => !isManifest(path)),
    ...removed("manifest", "rewritten without them", isManifest),
  ].join("\n");
}

function noteLeft({ newKey, files, copies, clusters }: ForgetResult, isRemoved: boolean, folder: string) {
  const notes: string[] = [];
  if (newKey !== undefined)
    notes.push(`${newKey} is new: without it forgotten callers would come back. Back it up.`);
  const pathsOf = (holds: "yes" | "perhaps") =>
    isRemoved ? [] : files.filter((file) => file.holds === holds).map(({ path }) => path);
  const lists: [text: string, paths: readonly string[]][] = [
    ["Exported files that still contain them", pathsOf("yes")],
    ["Exported files that may still contain them, and cannot be searched", pathsOf("perhaps")],
  ];
  for (const [text, paths] of lists) if (paths.length > 0) notes.push(`${text}:${list(paths, folder)}`);
  if (!isRemoved && files.length > 0) notes.push("Delete them with --exports, and export again.");
  if (copies.length > 0)
    notes.push(`Copies of the warehouse that still contain them:${list(copies, folder)}`);
  if (clusters.length > 0) {
    const named = linesBelow(clusters);
    notes.push(`Clusters that contain them until the next publication, which erases them:${named}`);
  }
  return [
    ...notes,
    "Not covered: backups and files that were moved elsewhere, delivered files, and remains of overwritten files in the file system and on the disk.",
  ];
}

function list(paths: readonly string[], folder: string): string {
  return linesBelow(paths.map((path) => relative(folder, path)));
}
