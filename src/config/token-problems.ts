import { hash } from "node:crypto";
import { normalize, resolve } from "node:path";
import { attempt } from "../base/errors.ts";
import { isFile } from "../base/folder.ts";
import { readSecret } from "./files/secret-file.ts";
import type { Finding } from "./request/describe-issue.ts";
import { keysAt, valueAt } from "./yaml-source.ts";

/**
 * Finds accounts without a token, and accounts whose token would give them the calls of others: two files may hold the
 * same one.
 */
export function* findTokenProblems(root: unknown, written: unknown, folder: string): Generator<Finding> {
  const names = keysAt(root, ["accounts"]);
  const textAt = (name: string, key: string) =>
    String(valueAt(root, ["accounts", name, key]) ?? valueAt(root, [key]));
  const tokens = new Map(
    names.map((name) => {
      const token = identifyToken(textAt(name, "token_file"), folder);
      return [name, `${token} ${identifyAddress(textAt(name, "base_url"))}`];
    }),
  );
  const withToken = Map.groupBy(names, (name) => tokens.get(name));
  const owners = new Map<string, string>();
  for (const name of names) {
    const path = ["accounts", name];
    const isOwn = valueAt(written, [...path, "token_file"]) !== undefined;
    const others = (withToken.get(tokens.get(name)) ?? []).filter((other) => other !== name);
    if (valueAt(root, [...path, "token_file"]) === undefined)
      yield { path: [...path, "token_file"], message: "is missing" };
    else if (others.length > 0 || (!isOwn && names.length > 1)) {
      const unit = textAt(name, "org_unit_id");
      // Calls have numbers: whether they are of another unit can only be checked with one.
      const isNumber = /^\d+$/.test(unit);
      const tokenAndUnit = `${tokens.get(name)} ${Number(unit)}`;
      const owner = owners.get(tokenAndUnit);
      if (!isNumber) {
        const whose = isOwn ? others.join(", ") : "defaults.accounts";
        const message = `needs a number as org_unit_id: it has the token of ${whose}, which may read the calls of all`;
        yield { path, message, isKey: true };
      } else if (owner !== undefined)
        yield { path: [...path, "org_unit_id"], message: `is also that of ${owner}` };
      else owners.set(tokenAndUnit, name);
    }
  }
}

/** Returns a digest of a token, or the path of a file that has none. A pipe could be read only once. */
function identifyToken(tokenFile: string, folder: string): string {
  const file = resolve(folder, tokenFile);
  const token = attempt(() => (isFile(file) ? readSecret(file) : undefined));
  return token ? hash("sha256", token) : normalize(file);
}

function identifyAddress(baseUrl: string): string {
  return URL.parse(baseUrl)?.href.replace(/\/+$/, "") ?? baseUrl;
}
