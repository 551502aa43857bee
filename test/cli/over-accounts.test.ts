import { describe, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { overAccounts } from "../../src/cli/over-accounts.ts";
import { CalltallyError, EXIT } from "../../src/errors.ts";

describe("overAccounts", () => {
  it("prints one JSON object, in which what went wrong after a result takes its place", async () => {
    const printed: string[] = [];
    const complaints: string[] = [];
    const context: Context = {
      env: {},
      folder: ".",
      signal: new AbortController().signal,
      print: (text) => void printed.push(text),
      write: async () => {},
      tell: () => {},
      note: () => {},
      complain: (text) => void complaints.push(text),
      quiet: false,
    };
    const accounts = ["acme", "beta"].map((name) => ({ name, sources: { env: {}, folder: "." } }));
    const codes: number[] = [];
    const scope = { context, exit: (code: number) => void codes.push(code) };
    await overAccounts(
      accounts,
      scope,
      ({ account, context: own }) => {
        own.print(JSON.stringify({ run_id: 1 }));
        if (account.name === "beta") throw new CalltallyError(EXIT.storage, "The disk is full");
      },
      { json: true },
    );
    expect(JSON.parse(printed.join())).toEqual({
      acme: { run_id: 1 },
      beta: { error: { exit_code: 7, message: "The disk is full", hint: null } },
    });
    expect({ complaints, codes }).toEqual({ complaints: ["beta: The disk is full"], codes: [7] });
  });
});
