import { relative, resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { Command } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { realFile } from "../../base/folder.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { linesBelow } from "../../base/text/terminal-text.ts";
import type { Account } from "../../config/accounts.ts";
import { NAME_RULE, nameSchema } from "../../config/file-schema.ts";
import { inspectSettings } from "../../config/load-settings.ts";
import { ALL_SETTINGS } from "../../config/settings.ts";
import {
  type AccountFiles,
  findAccountFiles,
  findLeft,
  removeAccountFiles,
} from "../../operate/forget/account-files.ts";
import { configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, type Result } from "../frame.ts";
import { parser } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("remove-account")
    .description(
      "Removes everything of an account from this machine: its warehouse with key and copies, backups, exported files and " +
        "reports. Asks first, and lists what it cannot reach.",
    )
    .argument(
      "<name>",
      "the account in calltally.yaml, or one that the file no longer names",
      parser(parseName),
    )
    .option("--yes", "remove without asking", false)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally remove-account austin")
    .action(action(context, (name, { yes }) => removeAccount(context, name, yes)));

function parseName(text: string): string {
  const { data } = nameSchema.safeParse(text);
  if (data !== undefined) return data;
  throw new UsageError(`Cannot remove the account: a name ${NAME_RULE}`, {
    hint: "`calltally config show` lists the accounts.",
  });
}

async function removeAccount(context: Context, name: string, isSure: boolean): Promise<Result> {
  const { folder, signal } = context;
  const { database, exportDir } = inspectSettings(findAccount(context, name).sources).settings;
  const places = { database: resolve(folder, database), exportDir: resolve(folder, exportDir) };
  const files = findAccountFiles(places);
  const paths = [...files.warehouse, ...files.backups, ...files.exports];
  const mentions = findMentions(context, name);
  if (paths.length === 0 && mentions.length === 0) throw unknownError(context, name);
  if (paths.length > 0 && !isSure) await askToRemove(context, name, files);
  await removeAccountFiles(files, signal);
  const left = findLeft(files);
  if (left.length > 0) throw leftError(name, left);
  const { warehouse, backups, exports, outside } = files;
  return {
    data: { account: name, removed: { warehouse, backups, exports }, outside, mentions },
    summary: `${name}: ${formatQuantity(paths.length, "file")} removed; nothing of it is left in the folders of its warehouse, backups, exports and reports`,
    notes: [
      ...describeOutside(outside),
      ...(mentions.length > 0
        ? [`Delete from the file, or the next sync copies its calls again:${linesBelow(mentions)}`]
        : []),
    ],
  };
}

/** Returns the account; for a name that the file does not have, an account with the default paths. */
function findAccount(context: Context, name: string): Account {
  const { file, accounts, shared } = configurationOf(context);
  if (file === undefined || accounts.every((account) => account.name === undefined)) {
    throw new UsageError(`There is no account ${name}: no calltally.yaml names any`, {
      hint: "The warehouse of the environment is one file: delete it, with the files next to it that begin with its name.",
    });
  }
  const known = accounts.find((account) => account.name === name);
  if (known !== undefined) return known;
  const values = ALL_SETTINGS.flatMap(({ env, accountDefault }) =>
    accountDefault === undefined ? [] : [[env, file.resolvePath(accountDefault.replace("{account}", name))]],
  );
  const account = {
    name,
    sources: { ...shared, file: [{ origin: "default" as const, values: Object.fromEntries(values) }] },
  };
  const placesOf = ({ sources }: Account) => {
    const { database, exportDir } = inspectSettings(sources).settings;
    return [realFile(database), realFile(exportDir)];
  };
  const [database, exportDir] = placesOf(account);
  const owner = accounts.find((other) =>
    placesOf(other).some((place) => place === database || place === exportDir),
  );
  if (owner === undefined) return account;
  throw new UsageError(`Cannot remove ${name}: its folder belongs to the account ${owner.name}`, {
    hint: `Nothing was removed. \`calltally remove-account ${owner.name}\` removes that account.`,
  });
}

function unknownError({ configuration }: Context, name: string): UsageError {
  const known = configuration?.accounts.flatMap((account) => account.name ?? []) ?? [];
  return new UsageError(`There is no account ${name}, and no data of one: the file has ${known.join(", ")}`, {
    hint: didYouMean(name, known) ?? "Name one of them, or one whose data is below data/.",
  });
}

/** Returns where the file names the account. */
function findMentions(context: Context, name: string): string[] {
  const { file } = configurationOf(context);
  const { accounts = {}, reports = {}, doorbell } = file?.content ?? {};
  const ofReports = Object.entries(reports).flatMap(([report, { accounts: of }]) =>
    Array.isArray(of) && of.includes(name) ? [["reports", report, "accounts", of.indexOf(name)]] : [],
  );
  const paths = [
    ...(Object.hasOwn(accounts, name) ? [["accounts", name]] : []),
    ...(doorbell?.account === name ? [["doorbell", "account"]] : []),
    ...ofReports,
  ];
  return paths.map((path) => file?.placeOf(path) ?? "");
}

/** @throws UsageError without a terminal to ask on @throws CalltallyError (exit 130) if the answer is no */
async function askToRemove(context: Context, name: string, files: AccountFiles): Promise<void> {
  const { folder, signal, options } = context;
  const kinds = [
    ["warehouse, with its key and copies", files.warehouse],
    ["backups", files.backups],
    ["exported files and reports", files.exports],
  ] as const;
  const listed = kinds.flatMap(([kind, paths]) =>
    paths.length > 0 ? [`${kind}:${linesBelow(paths.map((path) => relative(folder, path)))}`] : [],
  );
  context.complain(`Everything of ${name} on this machine:\n${listed.join("\n")}`);
  if (options.json || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError(`Cannot ask whether to remove ${name}: this is not a terminal`, {
      hint: "Nothing was removed. Read the list, and give --yes.",
    });
  }
  const answer = await confirm({ message: `Remove ${name} for good?`, initialValue: false, signal });
  if (answer === true) return;
  signal.throwIfAborted();
  throw new CalltallyError(EXIT.sigint, "Cancelled: nothing was removed", {
    hint: "Run it again to remove the account.",
  });
}

function leftError(name: string, left: readonly string[]): CalltallyError {
  return new CalltallyError(EXIT.storage, `Cannot remove all of ${name}; left are:${linesBelow(left)}`, {
    hint: "Stop what writes there, such as `calltally schedule`, and run this again.",
  });
}

function describeOutside({ copies, shared, clusters, recipients }: AccountFiles["outside"]): string[] {
  const rows = clusters.map(({ target, account }) => `${target}: the rows of account ${account}`);
  const sent = recipients.map(
    ({ channel, recipient, deliveries }) =>
      `${channel} to ${recipient}: ${formatQuantity(deliveries, "delivery", "deliveries")}`,
  );
  return [
    ...(copies.length > 0
      ? [`Left, since they are backups of another warehouse or cannot be read:${linesBelow(copies)}`]
      : []),
    ...(shared.length > 0
      ? [`Left, since they also have rows of other accounts; export them again:${linesBelow(shared)}`]
      : []),
    ...(rows.length > 0
      ? [`Still in clusters, where only an administrator removes them:${linesBelow(rows)}`]
      : []),
    ...(sent.length > 0 ? [`Still with recipients:${linesBelow(sent)}`] : []),
    "Not covered: backups and files that were moved or copied elsewhere, files of unmatched jobs, its token and other secrets, and remains on the disk.",
  ];
}
