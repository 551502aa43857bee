import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { formatCount } from "../../base/quantity-text.ts";
import { DEMO_CALLS } from "../../demo/demo-calls.ts";
import { settingsOf } from "../chosen-accounts.ts";
import type { Context } from "../context.ts";
import { action } from "../frame.ts";

export const command = (context: Context) =>
  new Command("demo")
    .description(
      `Starts a local server with ${formatCount(DEMO_CALLS)} made-up calls, syncs from it, and writes calls by channel and by campaign, and a page of charts, to data/demo/.`,
    )
    .addHelpText("after", "\nExample:\n  $ calltally demo")
    .action(
      action(context, async () => {
        const { makeDemo } = await import("../../demo/make-demo.ts");
        const { describeDemo } = await import("../terminal/demo-text.ts");
        const { exitCodeOf } = await import("../../sync/run.ts");
        const folder = join(context.folder, "data", "demo");
        const demo = await makeDemo(folder, settingsOf(context), context.signal);
        return { summary: describeDemo(demo, context.folder), exit: exitCodeOf(demo.run) };
      }),
    );
