import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../config/load-settings.ts";
import { FEATURES } from "../../features/list.ts";
import type { PublishedAccount, ReadPublishedOptions } from "../../features/published-account.ts";
import type { Source } from "./source.ts";

/** The name that a single account is published under. */
export const ONLY_ACCOUNT = "default";

/** What a cluster can answer, whichever accounts it has. */
export const CLUSTER_CAN = { lists: false, raw: false, clickIds: true };

export interface AccountOwner {
  name: string | undefined;
  settings: Settings;
}

/** An account in a cluster, with the members of its owner. */
export type EngineAccount<Owner extends AccountOwner = AccountOwner> = Owner & {
  name: string;
  source: Source;
  timezone: string;
};

/**
 * Asks a cluster for accounts, all at one moment; repeats the work if something is published meanwhile.
 * @param owners whose settings the accounts have; one without a name means all accounts in the cluster
 */
export async function readEngine<Owner extends AccountOwner, Result>(
  engine: string,
  owners: readonly Owner[],
  work: (accounts: readonly EngineAccount<Owner>[]) => Promise<Result>,
  options: ReadPublishedOptions,
): Promise<Result> {
  const [first] = owners;
  if (first === undefined) throw new Error("There is no account to ask for");
  const names = owners.flatMap(({ name }) => name ?? []);
  const toAccount = (published: PublishedAccount) => {
    const owner = owners.find(({ name }) => name === published.account) ?? first;
    return toEngineAccount(published, owner);
  };
  const chosen = names.length === 0 ? undefined : names;
  const { user, passwordFile } = first.settings.publish;
  const question = {
    engine,
    access: { user, passwordFile },
    names: chosen,
    work: (published: readonly PublishedAccount[]) => work(published.map(toAccount)),
    options,
  };
  for (const { readEngine: read } of FEATURES) if (read !== undefined) return await read(question);
  throw new UsageError(`Cannot ask ${engine}: this program reads only warehouses`, {
    hint: "Leave out --engine.",
  });
}

function toEngineAccount<Owner extends AccountOwner>(
  { account, about, publishedAt, to, openSession }: PublishedAccount,
  owner: Owner,
): EngineAccount<Owner> {
  const { origin, coverage, lookback_hours: lookbackHours, totals } = about;
  const source: Source = {
    can: { ...CLUSTER_CAN, clickIds: about.is_personal },
    open: async () => ({
      origin,
      lookbackHours,
      read: async (filter) => ({
        session: await openSession(filter, owner.settings.database),
        basis: about,
        published: { to, account, published_at: publishedAt },
        readCoverage: () => coverage,
        hasSpend: () => totals.spend_rows > 0,
        [Symbol.dispose]: () => {},
      }),
      [Symbol.dispose]: () => {},
    }),
  };
  return { ...owner, name: account, source, timezone: about.timezone };
}
