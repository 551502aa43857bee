import { existsSync } from "node:fs";
import { type Clock, systemClock } from "../../base/clock.ts";
import { UsageError } from "../../base/errors.ts";
import { realFile } from "../../base/folder.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { toCallerKey } from "../../calls/attribution/call-text.ts";
import type { CallFilter } from "../../calls/filter.ts";
import { FigureSession } from "../../sources/figure-session.ts";
import { openPseudonyms, prepareCallerName } from "../../warehouse/calls/caller-hash.ts";
import { connect, openAsPermitted } from "../../warehouse/file/open.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import type { PublishedAccount, ReadPublishedOptions } from "../published-account.ts";
import { CALLS_TABLE, localName, SPEND_TABLE } from "./account-tables.ts";
import { literal } from "./clickhouse-text.ts";
import { type ClusterAccess, openCluster } from "./cluster.ts";
import { ClusterEngine } from "./cluster-engine.ts";
import { assertAll, ClusterReader, PublicationMovedError } from "./cluster-reader.ts";
import { type About, type PublishedRow, parseAbout, readPublished } from "./published.ts";

/** Attempts to read while something is being published. */
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 1000;

interface ReadOptions extends ReadPublishedOptions {
  clock?: Clock;
}

/**
 * Reads accounts of a cluster, all at one moment; repeats the work if something is published meanwhile.
 * @param names of the accounts; undefined for all
 * @throws UsageError for a name that no account in the cluster has
 * @throws CalltallyError (exit 5) that names a server which is down, or an account that is being published in every
 * attempt
 */
export async function readCluster<Result>(
  access: ClusterAccess,
  names: readonly string[] | undefined,
  work: (accounts: readonly PublishedAccount[]) => Promise<Result>,
  { signal, isFinal = () => false, clock = systemClock }: ReadOptions = {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      await using cluster = await openCluster(access, signal);
      const published = chooseAccounts(await readPublished(cluster, signal), names, access);
      using reader = new ClusterReader(cluster, published, signal);
      return await work(await Promise.all(published.map((account) => openAccount(reader, account, access))));
    } catch (error) {
      if (!(error instanceof PublicationMovedError) || attempt === ATTEMPTS || isFinal()) throw error;
      await clock.sleep(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  }
}

function chooseAccounts(
  published: readonly PublishedRow[],
  names: readonly string[] | undefined,
  { address: { name: cluster } }: Pick<ClusterAccess, "address">,
): readonly PublishedRow[] {
  const known = published.map(({ account }) => account);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const has = known.length === 0 ? "nothing was published to it" : `it has ${known.join(", ")}`;
    throw new UsageError(`There is no account ${name} in ${cluster}: ${has}`, {
      hint: didYouMean(name, known) ?? "`calltally publish` sends an account there.",
    });
  }
  const chosen = published.filter(({ account }) => names?.includes(account) ?? true);
  if (chosen.length > 0) return chosen;
  throw new UsageError(`There is no account in ${cluster}: nothing was published to it`, {
    hint: "`calltally publish` sends an account there.",
  });
}

async function openAccount(
  reader: ClusterReader,
  published: PublishedRow,
  { address: { name: to } }: Pick<ClusterAccess, "address">,
): Promise<PublishedAccount> {
  const { account, published_at, unfinished_since } = published;
  if (published_at === null || unfinished_since !== null) {
    throw new PublicationMovedError(
      `Cannot read ${account} in the cluster: its publication has not ended${unfinished_since === null ? "" : `; it began ${unfinished_since}`}`,
      "Try again later. If it was interrupted, publish the account again.",
    );
  }
  const about = parseAbout(published);
  const { cluster } = reader;
  const calls = cluster.all(CALLS_TABLE.name);
  // The same question for each account, so that it is asked once.
  const accounts = reader.published.map((published) => literal(published.account)).join(", ");
  const count = async (final: string) => {
    const sql = `SELECT account, count(), sum(1 - is_deleted) FROM ${calls}${final} WHERE account IN (${accounts}) GROUP BY account`;
    const [_, stored = 0, counted = 0] =
      (await reader.ask("count calls", sql)).find(([name]) => name === account) ?? [];
    return { stored, counted: Number(counted) };
  };
  const [all, final] = await Promise.all([count(""), count(" FINAL")]);
  const isReplicated = cluster.servers.length > cluster.shards;
  assertAll(account, "calls", { count: final.counted, published: about.totals.calls });
  const source = {
    account,
    // Leaving replaced rows out takes most of a statement's time. Replicas may have different ones.
    from: all.stored === final.stored && !isReplicated ? calls : `${calls} FINAL`,
    fromLocal: `${cluster.table(localName(CALLS_TABLE.name))} FINAL`,
  };
  const spend = { from: `${cluster.all(SPEND_TABLE.name)} FINAL`, rows: about.totals.spend_rows };
  const openSession = async (filter: CallFilter, warehouse: string) => {
    const nameCaller = toCallerName({ account, about }, filter, warehouse);
    const engine = new ClusterEngine(reader, source, spend);
    const options = { rules: about.rules, filter, nameCaller };
    return new FigureSession(reader.database, engine, options, await engine.select(options));
  };
  return { account, publishedAt: published_at, to, about, openSession };
}

/**
 * Returns undefined if callers are published as numbers, or none are excluded.
 * @throws UsageError if callers are published as digests, and the warehouse with the key is not here
 */
function toCallerName(
  { account, about }: { account: string; about: About },
  { exclude_callers }: CallFilter,
  database: string,
): ((phoneDigits: string) => string) | undefined {
  if (exclude_callers === undefined) return undefined;
  if (existsSync(realFile(database))) {
    using warehouse = openAsPermitted(database);
    using reader = connect(warehouse);
    if (readOrigin(reader).warehouse_id === about.origin.warehouse_id) {
      const nameCaller = prepareCallerName(reader);
      const toPublished = about.is_personal ? (name: string) => name : openPseudonyms(reader).toPseudonym;
      // All at once, so that the warehouse can be closed.
      const names = new Map(
        exclude_callers.map(toCallerKey).map((digits) => [digits, toPublished(nameCaller(digits))]),
      );
      return (phoneDigits) => names.get(phoneDigits) ?? phoneDigits;
    }
  }
  if (about.is_personal && !about.caller_digests) return undefined;
  throw new UsageError(
    `Cannot leave out callers of ${account}: the cluster has keyed digests of their numbers, and the warehouse with the key is not here`,
    {
      hint: "Run this where the warehouse is, or publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true.",
    },
  );
}
