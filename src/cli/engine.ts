import type { ClusterAccess } from "../cluster/cluster.ts";
import { type PublishedAccount, readCluster } from "../cluster/cluster-session.ts";
import { settingsOfAccount } from "../config/accounts.ts";
import { type ClusterAddress, parseClusterUrl } from "../config/cluster-url.ts";
import type { Settings } from "../config/load-settings.ts";
import { describeError, UsageError } from "../errors.ts";
import type { FigureSource } from "../export/export-figures.ts";
import type { FigureTarget } from "../export/figure-job.ts";
import type { Target } from "../export/write-export.ts";
import { type Context, engineAccountsOf } from "./context.ts";
import type { GivenFlags } from "./export-flags.ts";

/** The name that the only account is published by. */
const ONLY_ACCOUNT = "default";

/** An account whose figures a cluster computes. */
export interface EngineAccount {
  name: string;
  settings: Settings;
  source: FigureSource;
  isPersonal: boolean;
  /** Zone of the account's days, as it was published. */
  timezone: string;
}

interface EngineOptions {
  /** Whether something was written that cannot be taken back. */
  isFinal?: () => boolean;
}

/**
 * Asks a cluster for the accounts that are chosen, all at one moment; what is done while something is published is done
 * again.
 */
export async function readEngine<Result>(
  context: Context,
  engine: string,
  flags: Pick<GivenFlags, "database" | "timezone">,
  work: (accounts: readonly EngineAccount[]) => Promise<Result>,
  { isFinal }: EngineOptions = {},
): Promise<Result> {
  const address = parseEngine(engine);
  const accounts = engineAccountsOf(context, flags);
  const [first] = accounts;
  if (first === undefined) throw new Error("There is no account to ask for");
  const names = accounts.flatMap(({ name }) => name ?? []);
  const toAccount = (published: PublishedAccount) => {
    const owner = accounts.find(({ name }) => name === published.account) ?? first;
    return toEngineAccount(published, settingsOfAccount(owner), address);
  };
  return await readCluster(
    toAccess(address, settingsOfAccount(first)),
    names.length === 0 ? undefined : names,
    (published) => work(published.map(toAccount)),
    { signal: context.signal, ...(isFinal && { isFinal }) },
  );
}

/** Asks a cluster for one account, which is null for the only one. */
export async function readEngineAccount<Result>(
  engine: string,
  { account, settings }: { account: string | null; settings: Settings },
  work: (account: EngineAccount) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const address = parseEngine(engine);
  const name = account ?? ONLY_ACCOUNT;
  const access = toAccess(address, settings);
  return await readCluster(
    access,
    [name],
    async ([published]) => {
      if (published === undefined) throw new Error(`There is no ${name}`);
      return await work(toEngineAccount(published, settings, address));
    },
    { signal },
  );
}

function toAccess(address: ClusterAddress, { publish: { user, passwordFile } }: Settings): ClusterAccess {
  return { address, user, passwordFile };
}

/** @throws UsageError that says what is wrong with the address, without what may be a password in it */
function parseEngine(engine: string): ClusterAddress {
  try {
    return parseClusterUrl(engine);
  } catch (error) {
    throw new UsageError(`--engine ${describeError(error)}`);
  }
}

function toEngineAccount(
  { account, about, publishedAt, openSession }: PublishedAccount,
  settings: Settings,
  { name: to }: ClusterAddress,
): EngineAccount {
  return {
    name: account,
    settings,
    isPersonal: about.is_personal,
    timezone: about.timezone,
    source: {
      standing: about,
      basis: about.basis,
      published: { to, account, published_at: publishedAt },
      lookbackHours: about.lookback_hours,
      hasSpend: about.totals.spend_rows > 0,
      openSession: (filter) => openSession(filter, settings.database),
    },
  };
}

/** The zone that a flag names, or that the account was published with: its settings may be elsewhere. */
export function zoneOf({ timezone, settings }: EngineAccount, flags: Pick<GivenFlags, "timezone">): string {
  return flags.timezone === undefined ? timezone : settings.timezone;
}

/**
 * Returns what a cluster can be asked for.
 *
 * @throws UsageError for what is read in the warehouse alone
 */
export function toEngineTargets(
  targets: readonly Target[],
  { raw }: Pick<GivenFlags, "raw">,
): FigureTarget[] {
  if (raw) {
    throw new UsageError("--raw is not for --engine: utm values as they are stored are not published", {
      hint: "Leave it out, or ask the warehouse.",
    });
  }
  return targets.map((target) => {
    if (target.kind === "rollup" || target.kind === "custom") return target;
    throw new UsageError(
      `${target.kind} is not for --engine: the cluster computes figures, and has no lists`,
      {
        hint: "Name dimensions, or ask the warehouse.",
      },
    );
  });
}

/** @throws UsageError for click ids where their digests alone were published */
export function assertPublished(targets: readonly FigureTarget[], { name, isPersonal }: EngineAccount): void {
  const isAsked = targets.some((target) => target.kind === "rollup" && target.dimensions.includes("gclid"));
  if (!isAsked || isPersonal) return;
  throw new UsageError(
    `gclid cannot be read in the cluster: of ${name}, keyed digests of click ids were published`,
    {
      hint: "Name other dimensions, ask the warehouse, or publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true.",
    },
  );
}
