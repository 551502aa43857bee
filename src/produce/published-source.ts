import type { ClusterAccess } from "../cluster/cluster.ts";
import { type PublishedAccount, readCluster } from "../cluster/cluster-session.ts";
import { type Account, settingsOfAccount } from "../config/accounts.ts";
import { parseClusterUrl } from "../config/cluster-url.ts";
import type { Settings } from "../config/load-settings.ts";
import { describeError, UsageError } from "../errors.ts";
import type { Source } from "./source.ts";

/** The name that the only account is published by. */
const ONLY_ACCOUNT = "default";

/** What can be read in a cluster before it is asked which accounts it has. */
export const CLUSTER_CAN = { lists: false, raw: false, clickIds: true };

/** An account whose figures a cluster computes. */
export interface EngineAccount {
  name: string;
  settings: Settings;
  source: Source;
  /** Zone of the account's days, as it was published. */
  timezone: string;
}

interface EngineOptions {
  signal: AbortSignal;
  /** Whether something was written that cannot be taken back. */
  isFinal?: () => boolean;
}

/**
 * Asks a cluster for accounts, all at one moment; what is done while something is published is done again.
 *
 * @param accounts those to ask for; one without a name stands for all that the cluster has
 */
export async function readEngine<Result>(
  engine: string,
  accounts: readonly Account[],
  work: (accounts: readonly EngineAccount[]) => Promise<Result>,
  options: EngineOptions,
): Promise<Result> {
  const [first] = accounts;
  if (first === undefined) throw new Error("There is no account to ask for");
  const names = accounts.flatMap(({ name }) => name ?? []);
  const ownerOf = (published: string) => accounts.find(({ name }) => name === published) ?? first;
  return await read(
    engine,
    { names: names.length === 0 ? undefined : names, settings: settingsOfAccount(first) },
    (published, to) =>
      work(published.map((each) => toEngineAccount(each, settingsOfAccount(ownerOf(each.account)), to))),
    options,
  );
}

/** Asks a cluster for one account, which is null for the only one. */
export async function readEngineAccount<Result>(
  engine: string,
  { account, settings }: { account: string | null; settings: Settings },
  work: (account: EngineAccount) => Promise<Result>,
  options: EngineOptions,
): Promise<Result> {
  const name = account ?? ONLY_ACCOUNT;
  return await read(
    engine,
    { names: [name], settings },
    async ([published], to) => {
      if (published === undefined) throw new Error(`There is no ${name}`);
      return await work(toEngineAccount(published, settings, to));
    },
    options,
  );
}

async function read<Result>(
  engine: string,
  { names, settings }: { names: readonly string[] | undefined; settings: Settings },
  work: (accounts: readonly PublishedAccount[], to: string) => Promise<Result>,
  options: EngineOptions,
): Promise<Result> {
  const address = parseEngine(engine);
  const { user, passwordFile } = settings.publish;
  const access: ClusterAccess = { address, user, passwordFile };
  return await readCluster(access, names, (published) => work(published, address.name), options);
}

/** @throws UsageError that says what is wrong with the address, without what may be a password in it */
function parseEngine(engine: string) {
  try {
    return parseClusterUrl(engine);
  } catch (error) {
    throw new UsageError(`--engine ${describeError(error)}`);
  }
}

function toEngineAccount(
  { account, about, publishedAt, openSession }: PublishedAccount,
  settings: Settings,
  to: string,
): EngineAccount {
  const { origin, basis, lookback_hours: lookbackHours, totals } = about;
  const source: Source = {
    can: { ...CLUSTER_CAN, clickIds: about.is_personal },
    open: async () => ({
      origin,
      lookbackHours,
      read: (filter) => {
        const session = openSession(filter, settings.database);
        return {
          session,
          standing: about,
          published: { to, account, published_at: publishedAt },
          readBasis: () => basis,
          hasSpend: () => totals.spend_rows > 0,
          isEmpty: () => basis.calls === 0,
          [Symbol.dispose]: () => session[Symbol.dispose](),
        };
      },
      [Symbol.dispose]: () => {},
    }),
  };
  return { name: account, settings, source, timezone: about.timezone };
}
