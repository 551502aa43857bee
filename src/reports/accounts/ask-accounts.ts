import { UnmatchedError, UsageError } from "../../base/errors.ts";
import type { NamedAccount } from "../../config/accounts.ts";
import type { Ask } from "../../config/request/resolve.ts";
import type { ExportJob } from "../../export/job.ts";
import type { Manifest } from "../../export/manifest.ts";
import { memoryOutput, type ReadTable } from "../../export/output/memory.ts";
import { exportLog } from "../../export/record-export.ts";
import type { ExportStep } from "../../export/step.ts";
import type { Counterpart } from "../../export/timeframe.ts";
import { assertSynced, type ProduceOptions, produceAndRead } from "../produce/produce.ts";
import type { Source } from "../produce/source.ts";
import { type AccountResult, forEachAccount } from "./for-each-account.ts";

/** What an account is asked for, and where. */
export interface AccountAsk {
  ask: Ask;
  source: Source;
  onAttributed?: ProduceOptions["onAttributed"];
}

export interface AccountFigures {
  account: string;
  ask: Ask;
  manifest: Manifest;
  table: ReadTable;
  /** What its figures are compared with. */
  compared: Counterpart | undefined;
  /** The values of the filter that none of its calls has. */
  unmatched: UnmatchedError["unmatched"];
  isWarehouseEmpty: boolean;
  /** Records files in its warehouse. */
  log: ExportStep;
  openWriter: Source["openWriter"];
}

/** Larger tables are unreadable, and all of it is held in memory. */
const MAX_ROWS = 2_000_000;

/**
 * Asks each account for one table.
 * @param toAsk an error of it is one of the account
 * @throws UsageError after the last result, for a value of the filter that no account's calls have
 */
export async function* askAccounts<A extends NamedAccount>(
  accounts: readonly A[],
  toAsk: (account: A) => AccountAsk,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<AccountResult<A, AccountFigures>, void, undefined> {
  const figures: AccountFigures[] = [];
  const ask = (account: A) => askOne(account.name, toAsk(account), signal);
  for await (const result of forEachAccount(accounts, ask, { signal })) {
    if ("value" in result) figures.push(result.value);
    assertReadable(figures);
    yield result;
  }
  assertMatched(figures);
}

async function askOne(
  account: string,
  { ask, source, onAttributed }: AccountAsk,
  signal: AbortSignal,
): Promise<AccountFigures> {
  const output = memoryOutput();
  const options = { signal, onAttributed };
  const { openWriter } = source;
  const log = exportLog();
  const readCompared = async (job: ExportJob) => {
    if (openWriter !== undefined) log.at?.(job);
    return { value: job.timeframe.compared[0] };
  };
  // A value that one account lacks may exist in another; if none has it, it is a typo.
  let unmatched: UnmatchedError["unmatched"] = [];
  const { files, value: compared } = await produceAndRead(ask, source, output, options, readCompared).catch(
    (error: unknown) => {
      if (!(error instanceof UnmatchedError)) throw error;
      unmatched = error.unmatched;
      return produceAndRead({ ...ask, isEmptyAllowed: true }, source, output, options, readCompared);
    },
  );
  const { manifest, isWarehouseEmpty } = files;
  assertSynced(manifest);
  const [table] = output.tables;
  if (table === undefined) throw new Error("No table was made");
  return { account, ask, manifest, table, compared, unmatched, isWarehouseEmpty, log, openWriter };
}

function assertReadable(figures: readonly AccountFigures[]): void {
  const rows = figures.reduce((sum, { table }) => sum + table.rows.length, 0);
  if (rows <= MAX_ROWS) return;
  throw new UsageError(`Cannot export the figures of all accounts: more than ${MAX_ROWS} rows`, {
    hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
  });
}

/** An account without calls says nothing about values. */
function assertMatched(figures: readonly AccountFigures[]): void {
  const [first, ...others] = figures.filter(({ isWarehouseEmpty }) => !isWarehouseEmpty);
  const unmatched = first?.unmatched.filter(({ filter, text }) =>
    others.every((other) => other.unmatched.some((each) => each.filter === filter && each.text === text)),
  );
  if (first && unmatched && unmatched.length > 0) throw new UnmatchedError(unmatched, first.ask.spell);
}
