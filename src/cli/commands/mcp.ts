import { Command } from "@commander-js/extra-typings";
import { EXIT, UsageError } from "../../base/errors.ts";
import { answerCall, type Call, type Said } from "../../mcp/answer-call.ts";
import { toolsFor } from "../../mcp/tools.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { readText } from "../read-text.ts";
import { runAgain, watchParent } from "../watched-child.ts";

export const command = (context: Context) =>
  new Command("mcp")
    .description(
      "Serves figures to an assistant by the Model Context Protocol, over standard input and output. It only reads, and " +
        "every answer says which sync it is based on. Texts that look like phone numbers or mail addresses are hidden. " +
        "`calltally docs assistants` shows how to set it up.",
    )
    .option("--personal-data", "show personal data in answers", false)
    .option("--sql", "add a tool for SQL, which reaches every column; needs --personal-data", false)
    .option(...OPTION.database)
    .addHelpText("after", "\nExample:\n  $ calltally mcp --account northwind")
    .action(
      action(context, async ({ sql, personalData }) => {
        if (sql && !personalData) {
          throw new UsageError("--sql needs --personal-data: SQL can spell a phone number in many ways", {
            hint: "Leave out --sql, or give both if the assistant may see callers and transcripts.",
          });
        }
        const accounts = accountsOf(context);
        const tools = toolsFor(
          accounts.flatMap(({ name }) => name ?? []),
          { sql },
        );
        if (await watchParent(context.env)) {
          const { file } = configurationOf(context);
          const { complain } = context;
          const call = (await readText(process.stdin, MAX_BYTES)) ?? "";
          const said = await answerCall(call, { tools, accounts, file, isPersonal: personalData, complain });
          await context.write(Buffer.from(JSON.stringify(said)));
          return {};
        }
        // The protocol's library takes time to load.
        const { serve } = await import("../../mcp/serve.ts");
        const { env, signal, complain } = context;
        await serve({ tools, signal, complain, ask: (call, stop) => askChild({ env, signal: stop }, call) });
        return {};
      }),
    );

/** Clients usually wait for 60 seconds. */
const DEADLINE_SECONDS = 50;
/** Of a call, and of an answer. */
const MAX_BYTES = 10_000_000;

/** Answers a call in a child process, by its own connection to the warehouse. */
async function askChild(context: Pick<Context, "env" | "signal">, call: Call): Promise<Said> {
  let output: Promise<string | undefined> | undefined;
  const running = runAgain(context, {
    deadlineMs: DEADLINE_SECONDS * 1000,
    stdio: ["pipe", "pipe", "inherit"],
    onStart: ({ stdin, stdout }) => {
      stdin?.on("error", () => {}); // it may end without reading
      stdin?.end(JSON.stringify(call));
      output = stdout ? readText(stdout, MAX_BYTES) : undefined;
    },
  });
  const [{ exitCode, isLate, signal }, said] = await Promise.all([running, output]);
  if (isLate) {
    return {
      error: `The call was stopped after ${DEADLINE_SECONDS} seconds\nAsk for fewer dimensions, a filter or a shorter range; in SQL, use WHERE or the rollup views.`,
    };
  }
  if (exitCode === EXIT.done && said) return JSON.parse(said);
  return {
    error: `The process of this call ended by ${signal ?? `code ${exitCode}`}: see the server's standard error`,
  };
}
