import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { isCurrent } from "../warehouse/migrate.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { isInForce, readRules } from "../warehouse/rules.ts";
import type { Context } from "./context.ts";

/** Notes, for a command that only reads, that the settings would make other figures than those it shows. */
export function noteOtherRules(context: Context, settings: Settings): void {
  using reader = openWarehouseReader(settings.database);
  const inForce = isCurrent(reader) ? readRules(reader) : undefined;
  if (inForce === undefined || isInForce(inForce, readAttributionRules(settings))) return;
  context.note(
    "The settings for attribution have changed: these figures follow the earlier ones until the next sync or export.",
  );
}
