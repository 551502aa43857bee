import { Command } from "@commander-js/extra-typings";
import { attempt, EXIT, UsageError } from "../../base/errors.ts";
import {
  type AskOptions,
  answerCall,
  type Call,
  DEADLINE_SECONDS,
  type ToolReply,
  toolReply,
} from "../../mcp/answer-call.ts";
import { toolsFor } from "../../mcp/tools.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { readText } from "../read-text.ts";
import { isWatchedChild, runAgain } from "../watched-child.ts";

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
          { sql, isPersonal: personalData },
        );
        if (await isWatchedChild(context.env)) {
          const { file } = configurationOf(context);
          const { complain } = context;
          const call = (await readText(process.stdin, MAX_CALL_BYTES)) ?? "";
          const reply = await answerCall(call, { tools, accounts, file, isPersonal: personalData, complain });
          await context.write(Buffer.from(JSON.stringify(reply)));
          return {};
        }
        // The protocol's library takes time to load.
        const { serve } = await import("../../mcp/serve.ts");
        const { env, signal, complain } = context;
        const ask = (call: Call, options: AskOptions) => askChild(env, call, options);
        await serve({ tools, signal, complain, ask, input: process.stdin, output: process.stdout });
        process.exit(EXIT.done); // nobody is left to read what is still in the pipes
      }),
    );

const MAX_CALL_BYTES = 1_000_000;
const MAX_ANSWER_BYTES = 10_000_000;

/** Answers a call in a child process, by its own connection to the warehouse. */
async function askChild(
  env: Context["env"],
  call: Call,
  { signal, untilMs }: AskOptions,
): Promise<ToolReply> {
  const json = attempt(() => JSON.stringify(call)); // throws if it is nested too deeply
  if (json === undefined || Buffer.byteLength(json) > MAX_CALL_BYTES)
    return {
      error: `Cannot read the arguments: they are nested too deeply, or longer than ${MAX_CALL_BYTES} bytes`,
    };
  const late = {
    error: `The call was stopped after ${DEADLINE_SECONDS} seconds\nAsk for fewer dimensions, a filter or a shorter range; in SQL, use WHERE or the rollup views. Calls wait while two others are answered.`,
  };
  const deadlineMs = untilMs - Date.now();
  if (deadlineMs <= 0) return late;
  let output: Promise<string | undefined> | undefined;
  const running = runAgain(
    { env, signal },
    {
      deadlineMs,
      stdio: ["pipe", "pipe", "inherit"],
      onStart: ({ stdin, stdout }) => {
        stdin?.on("error", () => {}); // it may end without reading
        stdin?.end(json);
        output = stdout ? readText(stdout, MAX_ANSWER_BYTES) : undefined;
      },
    },
  );
  const [{ exitCode, isLate, signal: endedBy }, reply] = await Promise.all([running, output]);
  if (isLate) return late;
  if (exitCode === EXIT.done && reply) return toolReply.parse(JSON.parse(reply));
  return {
    error: `The process of this call ended by ${endedBy ?? `code ${exitCode}`}: see the server's standard error`,
  };
}
