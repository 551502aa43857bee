import { type Path, valueAt } from "./yaml-source.ts";

/** Returns the content of a file whose reports have the keys of `defaults.reports`, except where they have their own. */
export function withDefaults(root: unknown): unknown {
  const [defaults, reports] = [valueAt(root, ["defaults", "reports"]), valueAt(root, ["reports"])];
  if (!isKeyed(root) || !isKeyed(defaults) || !isKeyed(reports)) return root;
  const merged = Object.entries(reports).map(([name, report]) => [
    name,
    // `weekly:` without keys is a report of the defaults alone.
    isKeyed(report) || report === null ? { ...defaults, ...report } : report,
  ]);
  return { ...root, reports: Object.fromEntries(merged) };
}

/** Returns where the file has a key of a report: below the report, or below the defaults. */
export function whereGiven(root: unknown, path: Path): Path {
  const [group, name, key, ...rest] = path;
  if (group !== "reports" || name === undefined || key === undefined) return path;
  const isOwn = valueAt(root, [group, name, key]) !== undefined;
  const isDefault = valueAt(root, ["defaults", "reports", key]) !== undefined;
  return isOwn || !isDefault ? path : ["defaults", "reports", key, ...rest];
}

function isKeyed(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
