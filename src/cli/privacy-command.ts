import { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { assertCurrent } from "../warehouse/migrate.ts";
import { openAsPermitted } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { type PrivacyAct, readPrivacyActs } from "../warehouse/privacy-act-table.ts";
import { accountsOf, type Context, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { layOutTable } from "./query-table.ts";

export function privacyCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("privacy")
    .description("Shows when personal data was removed from the warehouse.")
    .addHelpText("after", "\nExample:\n  $ calltally privacy log")
    .addCommand(logCommand(context, exit));
}

function logCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("log")
    .description("Lists when personal data was removed and how much, but not whose.")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally privacy log")
    .action(async ({ json, ...flags }) => {
      const list = (own: Context) => {
        using warehouse = openOwn(settingsOf(own, flags), openAsPermitted);
        if (warehouse.sqlite.readonly) assertCurrent(warehouse);
        const acts = readPrivacyActs(warehouse);
        if (json) own.print(JSON.stringify(acts));
        else if (acts.length === 0) own.print("No personal data has been removed.");
        else own.print(layOutActs(acts));
      };
      await overAccounts(accountsOf(context, flags), { context, exit }, (scope) => list(scope.context), {
        json,
      });
    });
}

function layOutActs(acts: readonly PrivacyAct[]): string {
  return layOutTable(
    ["number", "at", "act", "removed", "erased_at"],
    acts.map(({ act_id, at, act, counts, erased_at }) => [
      act_id,
      at,
      act,
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${name.replaceAll("_", " ")}: ${count}`)
        .join(", ") || "nothing",
      erased_at ?? "not yet: run it again",
    ]),
  );
}
