import type { Reader } from "../warehouse.ts";

/** Takes as long as reading the file once. @param thorough also compares indexes with tables, and checks references */
export function findDamage({ sqlite }: Reader, { thorough = true } = {}): string | undefined {
  const result = String(sqlite.pragma(thorough ? "integrity_check(1)" : "quick_check(1)", { simple: true }));
  if (result !== "ok") return result.replace(/^\*\*\* in database main \*\*\*\s*/, "");
  if (!thorough) return undefined;
  const orphans = sqlite.prepare("PRAGMA foreign_key_check").all();
  return orphans.length > 0 ? "rows refer to missing rows" : undefined;
}
