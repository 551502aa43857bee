import { Argument, Command } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { wholeNumber } from "../parsers.ts";
import { describeExplanation } from "../terminal/explanation-text.ts";
import { notesOnRules } from "../warehouse-notes.ts";

export const command = (context: Context) =>
  new Command("explain")
    .description(
      "Shows how a call was attributed: its values, the rules that were tried, and whether it is a first call, qualified, and fit for upload.",
    )
    .addArgument(new Argument("<call_id>", "the call").argParser(wholeNumber()))
    .option("--timezone <zone>", "time zone of local times (CALLTALLY_TIMEZONE, UTC)")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally explain 731023089")
    .action(
      action(context, async (callId) => {
        const settings = settingsOf(context);
        const { explainCall } = await import("../../explain/explain-call.ts");
        const explanation = explainCall({ ...settings, callId, rules: readAttributionRules(settings) });
        if (explanation === undefined) {
          throw new UsageError(`There is no call ${callId} in ${settings.database}`, {
            hint: "The API lists only calls with DNI data, and a new call arrives with the next sync: see calltally status.",
          });
        }
        return {
          data: explanation,
          text: describeExplanation(explanation, context.folder),
          notes: notesOnRules(settings),
        };
      }),
    );
