import { type Path, valueAt } from "./yaml-source.ts";

type Group = "accounts" | "reports";

/** Returns the content of a file whose accounts and reports have the keys of `defaults`, except where they have their own. */
export function withDefaults(root: unknown): unknown {
  if (!isKeyed(root)) return root;
  return { ...root, ...membersOf(root, "accounts"), ...membersOf(root, "reports") };
}

function membersOf(root: unknown, group: Group): object {
  const [defaults, members] = [valueAt(root, ["defaults", group]), valueAt(root, [group])];
  if (!isKeyed(defaults) || !isKeyed(members)) return {};
  const merged = Object.entries(members).map(([name, member]) => [
    name,
    // `weekly:` without keys has those of the defaults alone.
    isKeyed(member) || member === null ? { ...(isInheriting(group, member) && defaults), ...member } : member,
  ]);
  return { [group]: Object.fromEntries(merged) };
}

/** A token is for one address: an account with another one gets neither of them. */
function isInheriting(group: Group, member: unknown): boolean {
  return group === "reports" || valueAt(member, ["base_url"]) === undefined;
}

/** Returns where the file has a key of an account or report: below it, or below the defaults. */
export function whereGiven(root: unknown, path: Path): Path {
  const [group, name, key, ...rest] = path;
  if ((group !== "reports" && group !== "accounts") || name === undefined || key === undefined) return path;
  const member = valueAt(root, [group, name]);
  const isDefault = isInheriting(group, member) && valueAt(root, ["defaults", group, key]) !== undefined;
  return valueAt(member, [key]) !== undefined || !isDefault ? path : ["defaults", group, key, ...rest];
}

function isKeyed(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
