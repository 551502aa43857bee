import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT, InterruptedError } from "../../src/base/errors.ts";
import { silentContext } from "../../src/cli/context.ts";
import { type AccountScope, overAccounts, type Result, show } from "../../src/cli/frame.ts";

const ACCOUNTS = ["acme", "beta"].map((name) => ({ name, sources: { env: {}, folder: "." } }));

interface Shown {
  printed: string[];
  complaints: string[];
  codes: number[];
}

/** Runs a function for accounts like a command. */
async function run(
  options: { json?: boolean; quiet?: boolean },
  work: (scope: AccountScope) => Result | Promise<Result>,
  { accounts = ACCOUNTS, signal = new AbortController().signal } = {},
): Promise<Shown> {
  const shown: Shown = { printed: [], complaints: [], codes: [] };
  const context = silentContext({
    signal,
    options,
    print: (text) => void shown.printed.push(text),
    complain: (text) => void shown.complaints.push(text),
    exit: (code) => void shown.codes.push(code),
  });
  try {
    show(context, await overAccounts(context, accounts, work));
  } catch (error) {
    shown.complaints.push(`thrown: ${error instanceof Error ? error.message : error}`);
  }
  return shown;
}

const failBeta = ({ account, note }: AccountScope): Result => {
  note("begins");
  if (account.name === "beta")
    throw new CalltallyError(EXIT.storage, "The disk is full", { hint: "Free some." });
  return { data: { run_id: 1 }, text: "text", summary: "done", notes: ["a note"], exit: EXIT.unverified };
};

describe("overAccounts", () => {
  it("prints each account under its name, and exits with the worst code", async () => {
    expect(await run({}, failBeta)).toEqual({
      printed: ["acme\ntext\ndone"],
      complaints: [
        "acme: begins",
        "acme: a note",
        "beta: begins",
        "beta: The disk is full",
        "beta: Free some.",
      ],
      codes: [EXIT.storage],
    });
  });

  it("puts an empty line between accounts", async () => {
    const { printed } = await run({}, () => ({ text: "text" }));
    expect(printed).toEqual(["acme\ntext", "\nbeta\ntext"]);
  });

  it("prints one JSON object by account, with an error in place of a result", async () => {
    const { printed } = await run({ json: true }, failBeta);
    expect(printed.map((text) => JSON.parse(text))).toEqual([
      {
        acme: { run_id: 1 },
        beta: { error: { exit_code: 7, message: "The disk is full", hint: "Free some." } },
      },
    ]);
  });

  it("prints only errors and requested data with --quiet", async () => {
    expect(await run({ quiet: true }, failBeta)).toEqual({
      printed: ["acme\ntext"],
      complaints: ["beta: The disk is full", "beta: Free some."],
      codes: [EXIT.storage],
    });
  });

  it("prints a single account without its name, and rethrows its error", async () => {
    const [acme, beta] = ACCOUNTS.map((account) => [account]);
    expect(await run({}, failBeta, { accounts: acme })).toEqual({
      printed: ["text", "done"],
      complaints: ["begins", "a note"],
      codes: [EXIT.unverified],
    });
    expect(await run({}, failBeta, { accounts: beta })).toEqual({
      printed: [],
      complaints: ["begins", "thrown: The disk is full"],
      codes: [],
    });
  });

  it("prints the results before an interruption, and throws the interruption", async () => {
    const stop = new AbortController();
    const interruptBeta = ({ account }: AccountScope): Result => {
      if (account.name === "acme") return { data: 1, summary: "done" };
      stop.abort(new InterruptedError("SIGINT"));
      throw stop.signal.reason;
    };
    const { printed, complaints } = await run({ json: true }, interruptBeta, { signal: stop.signal });
    expect(printed).toEqual(['{"acme":1}']);
    expect(complaints).toEqual([expect.stringContaining("thrown: ")]);
  });
});
