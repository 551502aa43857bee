import type { Clock } from "../base/clock.ts";
import { UsageError } from "../base/errors.ts";
import type { ClusterAddress } from "../config/cluster-url.ts";
import type { Settings } from "../config/load-settings.ts";
import type { OwnWarehouse } from "../warehouse/own-warehouse.ts";

export interface PublishOptions extends OwnWarehouse {
  /** @default "default" */
  account: string | undefined;
  to: ClusterAddress;
  user?: string | undefined;
  passwordFile?: string | undefined;
  /** Whether callers' numbers and click ids are published instead of keyed digests. */
  isPersonal: boolean;
  /** Whether to compare all rows, not only changed ones. @default false */
  isThorough?: boolean | undefined;
  /** Published with the account, for its readers. */
  timezone: string;
  lookbackHours: number;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

/** @throws UsageError if the settings name no cluster */
export function toPublishOptions(
  { publish, ...settings }: Pick<Settings, "publish" | (keyof PublishOptions & keyof Settings)>,
  account: string | undefined,
): PublishOptions {
  const { to, user, passwordFile, isPersonal } = publish;
  if (to === undefined) {
    throw new UsageError("CALLTALLY_PUBLISH_TO is not set", {
      hint: "Set it to a cluster, or give --to, such as --to clickhouse://host1,host2/database",
    });
  }
  const { database, baseUrl, orgUnitId, timezone, lookbackHours } = settings;
  const own = { database, baseUrl, orgUnitId };
  return { ...own, account, to, user, passwordFile, isPersonal, timezone, lookbackHours };
}

export function isPublishedAfterSync({ publish }: Pick<Settings, "publish">): boolean {
  return publish.to !== undefined && publish.isAfterSync;
}
