import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT, InterruptedError } from "../../../src/base/errors.ts";
import {
  type AccountResult,
  forEachAccount,
  valueOrThrow,
} from "../../../src/reports/accounts/for-each-account.ts";
import { readDamage } from "../../../src/warehouse/file/damage.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

type Named = ReturnType<typeof accountsIn>[number];

function accountsIn(folder: string) {
  return ["acme", "beta", "cedar"].map((name) => {
    const database = join(folder, `${name}.db`);
    return { name, database, sources: { env: { CALLTALLY_DATABASE: database }, folder } };
  });
}

const ACCOUNTS = accountsIn("/srv");

function describeResult(result: AccountResult<Named, unknown>): [name: string, value: unknown] {
  return [result.account.name, "error" in result ? result.error.message : result.value];
}

/** Takes all results, and what is thrown after them. */
async function drain(results: AsyncIterable<AccountResult<Named, unknown>>) {
  const read: unknown[] = [];
  try {
    for await (const result of results) read.push(describeResult(result));
  } catch (error) {
    read.push(error);
  }
  return read;
}

describe("forEachAccount", () => {
  it("yields the value or the error of each account, in their order", async () => {
    const work = ({ name }: Named) => {
      if (name === "beta") throw new CalltallyError(EXIT.storage, "The disk is full", { hint: "Free some." });
      return name.length;
    };
    expect(await drain(forEachAccount(ACCOUNTS, work))).toEqual([
      ["acme", 4],
      ["beta", "The disk is full"],
      ["cedar", 5],
    ]);
  });

  it("names the damaged warehouse of an account, and notes its damage", async () => {
    using folder = makeTempFolder();
    const accounts = accountsIn(folder.path);
    const work = ({ name, database }: Named) => {
      if (name !== "beta") return "sound";
      writeFileSync(database, "no database".repeat(100));
      using sqlite = new DisposableStack();
      const opened = sqlite.adopt(new Database(database), (each) => each.close());
      return opened.pragma("user_version");
    };
    const [acme, beta, cedar] = await Array.fromAsync(forEachAccount(accounts, work));
    expect([acme, cedar]).toEqual([
      { account: accounts[0], value: "sound" },
      { account: accounts[2], value: "sound" },
    ]);
    const path = join(folder.path, "beta.db");
    expect(() => beta && valueOrThrow(beta)).toThrow(`Cannot use ${path}: the file is damaged`);
    expect(accounts.map(({ database }) => readDamage(database) !== undefined)).toEqual([false, true, false]);
  });

  it("works on so many accounts at once, and yields first what ends first", async () => {
    const ends = new Map(ACCOUNTS.map(({ name }) => [name, Promise.withResolvers<string>()]));
    const begun: string[] = [];
    const work = ({ name }: Named) => {
      begun.push(name);
      return ends.get(name)?.promise;
    };
    const results = forEachAccount(ACCOUNTS, work, { atOnce: 2 });
    const first = results.next();
    expect(begun).toEqual(["acme", "beta"]);
    ends.get("beta")?.resolve("second account");
    expect((await first).value).toEqual({ account: ACCOUNTS[1], value: "second account" });
    const next = results.next();
    expect(begun).toEqual(["acme", "beta", "cedar"]);
    ends.get("acme")?.resolve("first account");
    expect((await next).value).toEqual({ account: ACCOUNTS[0], value: "first account" });
    ends.get("cedar")?.resolve("third account");
    expect((await results.next()).value).toEqual({ account: ACCOUNTS[2], value: "third account" });
    expect((await results.next()).done).toBe(true);
  });

  it("begins no account after its reader has stopped", async () => {
    const begun: string[] = [];
    const work = ({ name }: Named) => {
      begun.push(name);
      throw new CalltallyError(EXIT.storage, `${name} is full`, { hint: "Free some." });
    };
    await expect(Array.fromAsync(forEachAccount(ACCOUNTS, work), valueOrThrow)).rejects.toThrow(
      "acme is full",
    );
    expect(begun).toEqual(["acme"]);
  });

  it.each([1, 2, 3])(
    "begins no account after an abort in account %i, and throws the reason after the results",
    async (at) => {
      const stop = new AbortController();
      const reason = new InterruptedError("SIGTERM");
      const work = ({ name }: Named) => {
        if (name === ACCOUNTS[at - 1]?.name) stop.abort(reason);
        return name.length;
      };
      expect(await drain(forEachAccount(ACCOUNTS, work, { signal: stop.signal }))).toEqual([
        ...ACCOUNTS.slice(0, at).map(({ name }) => [name, name.length]),
        reason,
      ]);
    },
  );
});
