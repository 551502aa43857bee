import { resolve } from "node:path";
import { UsageError } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { type Configuration, configurationWithoutFile } from "./accounts.ts";
import { type CalltallyFile, readCalltallyFile } from "./calltally-file.ts";
import { DEFAULT_HOST_REQUESTS } from "./file-schema.ts";
import { findGiven, type Layer, readDotenv, type SettingSources } from "./setting-layers.ts";
import { ALL_SETTINGS, SETTINGS } from "./settings.ts";
import { valueAt } from "./yaml-source.ts";

/**
 * @param checked the text to use in place of that in the file
 * @throws UsageError that lists all problems of the file
 */
export function readConfiguration(path: string, sources: SettingSources, checked?: string): Configuration {
  const file = readCalltallyFile(path, sources.folder, checked);
  const shared = { ...sources, file: [toLayer(file, [], file.content)] };
  const { accounts = {}, host_requests: hostRequests = DEFAULT_HOST_REQUESTS } = file.content;
  if (Object.keys(accounts).length === 0) {
    return { ...configurationWithoutFile(shared), file };
  }
  assertNoneElsewhere(file, sources);
  const layered = Object.entries(accounts).map(([name, content]) => ({
    name,
    file: [toLayer(file, ["accounts", name], content), ...shared.file, defaultsOf(file, name)],
  }));
  const warehouses = layered.map(({ name, file }) => {
    const database = findGiven(SETTINGS.database, file)?.text ?? "";
    return { account: name, database: resolve(sources.folder, database) };
  });
  const named = layered.map(({ name, file }) => ({
    name,
    sources: { ...sources, file, accounts: warehouses },
  }));
  assertApart(file, named);
  const [base] = shared.file;
  const withoutAddress = { ...base?.values, [SETTINGS.baseUrl.env]: undefined };
  return {
    file,
    accounts: named,
    shared: { ...sources, file: base === undefined ? [] : [{ ...base, values: withoutAddress }] },
    hostRequests,
  };
}

function toLayer(file: CalltallyFile, path: readonly string[], content: object): Layer {
  const values: Record<string, string> = {};
  const places: Record<string, string> = {};
  for (const { key, env, isPath } of ALL_SETTINGS) {
    const keys = key.split(".");
    const value = valueAt(content, keys);
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(",") : String(value);
    values[env] = isPath ? file.resolvePath(text) : text;
    places[env] = file.placeOf([...path, ...keys]);
  }
  return { origin: "calltally.yaml", values, places };
}

function defaultsOf({ resolvePath }: CalltallyFile, name: string): Layer {
  const values = ALL_SETTINGS.flatMap(({ env, accountDefault }) =>
    accountDefault === undefined ? [] : [[env, resolvePath(accountDefault.replace("{account}", name))]],
  );
  return { origin: "default", values: Object.fromEntries(values) };
}

/** Settings of a single account: if the file has accounts, only they may have these. */
const OWN_SETTINGS = [
  SETTINGS.baseUrl,
  ...ALL_SETTINGS.filter(({ scope }) => scope === "account" || scope === "environment"),
];

/**
 * A token of the environment must not go to the host of an account, nor two accounts into one warehouse.
 * @throws UsageError that names such settings in the environment or in `.env`
 */
export function assertNoneElsewhere(file: Pick<CalltallyFile, "name">, { env, folder }: SettingSources) {
  const elsewhere = [
    { where: "the environment", values: env },
    { where: ".env", values: readDotenv(folder) },
  ].flatMap(({ where, values }) =>
    OWN_SETTINGS.filter(({ env: name }) => values[name]).map((setting) => ({ ...setting, where })),
  );
  if (elsewhere.length === 0) return;
  const names = elsewhere.map(({ env: name, where }) => `${name} in ${where}`);
  // The file holds no secrets, only the names of their files.
  const keys = elsewhere.map(({ key, scope }) => (scope === "environment" ? `${key}_file` : key));
  throw new UsageError(`Cannot use ${names.join(", ")}: ${file.name} names the accounts`, {
    hint: `Unset ${elsewhere.length === 1 ? "it" : "them"}; each account has its own ${[...new Set(keys)].join(", ")} in ${file.name}.`,
  });
}

/** What no two accounts may share: one warehouse would mix their calls, and one folder is refused to the second. */
const UNIQUE_TO_ACCOUNT = [
  { key: "database", spec: SETTINGS.database, what: "warehouse" },
  { key: "export_dir", spec: SETTINGS.exportDir, what: "export folder" },
] as const;

function assertApart(file: CalltallyFile, accounts: readonly { name: string; sources: SettingSources }[]) {
  for (const { key, spec, what } of UNIQUE_TO_ACCOUNT) {
    const owners = new Map<string, string>();
    for (const { name, sources } of accounts) {
      const text = findGiven(spec, sources.file ?? [])?.text ?? "";
      const place = realFile(resolve(sources.folder, text));
      const owner = owners.get(place);
      if (owner !== undefined) {
        throw new UsageError(
          `Cannot use ${file.name}\n${file.placeOf(["accounts", name, key])}: ${text} is also the ${what} of ${owner}`,
          { hint: `Give each account its own; by default, it is below data/{account}.` },
        );
      }
      owners.set(place, name);
    }
  }
}
