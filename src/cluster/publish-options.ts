import { UsageError } from "../base/errors.ts";
import type { Settings } from "../config/load-settings.ts";
import type { PublishOptions } from "./publish.ts";

type Published = Pick<
  Settings,
  "database" | "baseUrl" | "orgUnitId" | "publish" | "timezone" | "lookbackHours"
>;

/** @throws UsageError if the settings name no cluster */
export function toPublishOptions(
  { publish, ...settings }: Published,
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
