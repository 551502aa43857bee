import { once } from "node:events";
import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { FAULT_KINDS, type FaultKind } from "../../sandbox/faults.ts";
import type { Sandbox } from "../../sandbox/server.ts";
import type { Context } from "../context.ts";
import { note, show } from "../frame.ts";
import { choice, oneOf, wholeNumber } from "../parsers.ts";

const ORDERS = ["newest", "oldest", "shuffled", "random"] as const;

export const command = (context: Context) =>
  new Command("sandbox")
    .description(
      "Serves the four documented operations of API v3 (list of calls, insight, PUT and PATCH of a webhook) on this machine until it is stopped. " +
        "Its state can be read at /_sandbox/state; POST /_sandbox/calls and PATCH /_sandbox/calls/<id> make and edit calls. " +
        "/_sandbox/jobs.csv is a list of jobs that the calls led to, for calltally outcome import.",
    )
    .option("--port <port>", "port to listen on; 0 picks a free one", wholeNumber(0, 65_535), 8787)
    .option("--calls <count>", "number of calls at the start", wholeNumber(0, 10_000_000), 5000)
    .option("--seed <number>", "the same seed makes the same calls", wholeNumber(0, 2 ** 31), 1)
    .option("--token <token>", "bearer token it accepts", "sandbox-token")
    .addOption(choice("--order <order>", ORDERS, "order of the calls").default("newest" as const))
    .option("--page-cap <rows>", "serve at most this many calls a page", wholeNumber(1, 1000))
    .option("--latency <ms>", "wait before each response", wholeNumber(0, 600_000), 0)
    .option("--fault-rate <share>", "share of requests that fail, 0 to 1", share, 0)
    .addOption(
      new Option("--faults <kinds>", "kinds of faults, separated by commas")
        .argParser(faultKinds)
        .default([...FAULT_KINDS], FAULT_KINDS.join()),
    )
    .option("--insert-every <requests>", "add a call with every n-th request", wholeNumber(1, 1e9))
    .option("--delete-every <requests>", "remove a call with every n-th request", wholeNumber(1, 1e9))
    .option("--allow-delivery", "also deliver webhook events to other machines", false)
    .option("--nulls", "make some missing values of calls null instead of leaving them out", false)
    .option("--odd-texts", "give some calls formulas, quotes, line breaks and blanks in their texts", false)
    .option("--put-keeps-omitted", "let a PUT keep the optional fields that its body leaves out", false)
    .option("--print-openapi", "print the OpenAPI document of these operations and exit", false)
    .addHelpText("after", "\nExample:\n  $ calltally sandbox --port 8787 --calls 5000 --fault-rate 0.1")
    .action(async ({ latency: latencyMs, printOpenapi, ...options }) => {
      if (printOpenapi) {
        const { default: openApi } = await import("../../sandbox/openapi.json", { with: { type: "json" } });
        return show(context, { text: JSON.stringify(openApi, null, 2) });
      }
      const { startSandbox } = await import("../../sandbox/server.ts");
      await using sandbox = await startSandbox({ ...options, latencyMs }).catch((cause: unknown) => {
        throw new UsageError("Cannot start the sandbox", { cause, hint: "Choose another --port." });
      });
      note(
        context,
        `The sandbox serves ${sandbox.calls.size} calls, the insights ${sandbox.insights.ids.join(", ")}
and the webhooks ${webhooksOf(sandbox)}. Use it from another terminal:
  export CALLTALLY_BASE_URL=${sandbox.url} CALLTALLY_TOKEN=${sandbox.token}
  calltally sync`,
      );
      if (!context.signal.aborted) await once(context.signal, "abort");
    });

function webhooksOf({ webhooks }: Sandbox): string {
  return webhooks.ids.map((id) => `${id} (${webhooks.get(id)?.webhook_status})`).join(", ");
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("must be a number from 0 to 1");
}

function faultKinds(text: string): FaultKind[] {
  return text.split(",").map((name) => oneOf(FAULT_KINDS)(name.trim()));
}
