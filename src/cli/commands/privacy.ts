import { Command } from "@commander-js/extra-typings";
import { openAsPermitted } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type PrivacyAct, readPrivacyActs } from "../../warehouse/privacy-act-table.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { layOutTable } from "../terminal/query-table.ts";

export const command = (context: Context) =>
  new Command("privacy")
    .description("Shows when personal data was removed from the warehouse.")
    .addHelpText("after", "\nExample:\n  $ calltally privacy log")
    .addCommand(logCommand(context));

const logCommand = (context: Context) =>
  new Command("log")
    .description("Lists when personal data was removed and how much, but not whose.")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally privacy log")
    .action(
      perAccount(context, ({ settings }) => {
        using warehouse = openOwn(settings, openAsPermitted);
        const acts = readPrivacyActs(warehouse);
        return {
          data: acts,
          text: acts.length === 0 ? "No personal data has been removed." : layOutActs(acts),
        };
      }),
    );

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
      erased_at ?? "not yet: run the command again",
    ]),
  );
}
