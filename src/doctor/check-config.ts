import type { Account, Configuration } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { readDoorbell } from "../config/doorbell.ts";
import { inspectSettings } from "../config/load-settings.ts";
import { parseSecretFile } from "../config/secret-file.ts";
import type { SettingSources } from "../config/setting-layers.ts";
import { parseSmtpUrl } from "../delivery/smtp-url.ts";
import { checkFolders } from "./check-machine.ts";
import { checkReports, problemsOf } from "./check-reports.ts";
import { checkAliases, checkSettings } from "./check-settings.ts";

/** A sender for the check: a report may name its own. */
const ANYBODY = "calls@northwind.example";

/** Checks the settings of accounts and all of `calltally.yaml`, without sending anything. */
export function checkConfig(
  configuration: Configuration,
  chosen: readonly Account[],
  sources: SettingSources,
) {
  const { file, accounts } = configuration;
  const found = [
    ...chosen.flatMap((account) => {
      const { name } = account;
      const own = checkAccount(account);
      return name === undefined ? own : own.map((problem) => `${name}: ${problem}`);
    }),
    ...(file === undefined ? [] : checkFile(file, configuration, sources)),
  ];
  return {
    /** Null if there is no `calltally.yaml`. */
    file: file?.path ?? null,
    accounts: accounts.length,
    reports: Object.keys(file?.content.reports ?? {}).length,
    /** One text each: what is wrong, and what to do about it. */
    problems: [...new Set(found)], // reports may have problems in common
  };
}

/** Returns what would make an account's syncs and exports fail. */
function checkAccount({ sources }: Account): string[] {
  const inspected = inspectSettings(sources);
  const { settings } = inspected;
  const checks = [
    ...checkSettings(inspected),
    ...checkAliases(settings),
    ...checkFolders(sources.folder, settings.database, settings.exportDir),
  ];
  return checks.filter(({ state }) => state === "fail").map(({ name, message }) => `${name}: ${message}`);
}

/** Returns what is wrong with the reports and the program's own keys. */
function checkFile(file: CalltallyFile, { accounts }: Configuration, sources: SettingSources): string[] {
  const { smtp_url_file: smtp } = file.content;
  return [
    ...problemsOf(() => {
      const parse = (text: string) => parseSmtpUrl(text, ANYBODY);
      if (smtp !== undefined) parseSecretFile(file.resolvePath(smtp), file.placeOf(["smtp_url_file"]), parse);
    }),
    ...problemsOf(() => readDoorbell(file)),
    ...checkReports(file, accounts, sources),
  ];
}
