import { type Alias, readAliases } from "../aliases.ts";
import type { Settings } from "../config/load-settings.ts";
import type { RollupRules } from "../rollup/rules.ts";
import type { Warehouse } from "./open.ts";
import { aliases } from "./schema.ts";
import { writeTransaction } from "./transaction.ts";
import { updateViews } from "./views.ts";

/** What the operator has set about figures, which the views in the warehouse follow as well as the exports. */
export interface TallySettings {
  rules: RollupRules;
  aliases: readonly Alias[];
}

/**
 * Returns them as the settings have them.
 *
 * @throws UsageError where the file of aliases cannot be used
 */
export function readTallySettings({
  rules,
  aliasesFile,
}: Pick<Settings, "rules" | "aliasesFile">): TallySettings {
  return { rules, aliases: aliasesFile === undefined ? [] : readAliases(aliasesFile) };
}

/** Makes the aliases and the views in the warehouse what the settings say; writes nothing where they are that already. */
export function applyTallySettings(warehouse: Warehouse, settings: TallySettings): void {
  writeTransaction(warehouse, () => {
    const { db, sqlite } = warehouse;
    const stored = new Map(
      db
        .select()
        .from(aliases)
        .all()
        .map(({ raw, value }) => [raw, value]),
    );
    const isSame = ({ raw, value }: Alias) => stored.get(raw) === value;
    if (stored.size !== settings.aliases.length || !settings.aliases.every(isSame)) {
      db.delete(aliases).run();
      for (const alias of settings.aliases) db.insert(aliases).values(alias).run();
    }
    updateViews(sqlite, settings.rules);
  });
}
