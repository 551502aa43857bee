import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { describeError, EXIT } from "../../base/errors.ts";
import { may } from "../../base/file-access.ts";
import { freeBytes, nearestFolder, SYNC_NEEDS_BYTES } from "../../base/folder.ts";
import { toCalltallyError } from "../../base/known-error.ts";
import { formatBytes } from "../../base/text/quantity-text.ts";
import { statOf } from "../../config/files/secret-file.ts";
import { proxyOf } from "../../service/api/proxy.ts";
import { type Check, fail, failBy, ok, warn } from "./check.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** With less, a sync would fail halfway. */

export function checkVersions(version: string): Check {
  const sqlite = new Database(":memory:");
  const sqliteVersion = sqlite.prepare<[], string>("SELECT sqlite_version()").pluck().get();
  sqlite.close();
  const { node } = process.versions;
  const machine = `${process.platform} ${process.arch}`;
  return ok("versions", `calltally ${version}, Node ${node}, SQLite ${sqliteVersion}, ${machine}`);
}

/** Checks whether Node accepts any certificate. */
export function checkCertificates(env: Environment): Check[] {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return []; // Node only compares with this text
  const problem = "0: the service's certificate is not checked, so anybody on the network can read the token";
  const hint =
    "Unset it. For a service or proxy with its own certificate authority, set NODE_EXTRA_CA_CERTS to its file.";
  return [warn("NODE_TLS_REJECT_UNAUTHORIZED", problem, hint)];
}

/** Names the proxies by which the targets are reached. */
export function checkProxies(targets: readonly (URL | undefined)[], env: Environment): Check[] {
  const known = targets.filter((target) => target !== undefined);
  const byHost = new Map(known.map((target) => [target.host, target]));
  return [...byHost].flatMap(([host, target]) => {
    try {
      const proxy = proxyOf(target, env);
      return proxy === undefined
        ? []
        : [ok("proxy", `${host} is reached through ${proxy.name} (${proxy.variable})`)];
    } catch (error) {
      return [failBy(error, "proxy")];
    }
  });
}

/** Checks whether others can read our files. @param secrets files that contain the token */
export function checkModes(folder: string, database: string, secrets: readonly string[]): Check[] {
  if (process.platform === "win32") return [];
  const file = resolve(folder, database);
  const files = ["", "-wal", "-shm", ".caller-key"].map((suffix) => file + suffix);
  const open = [...files, ...secrets.map((path) => resolve(folder, path))].filter((path) => {
    const stat = statOf(path);
    return stat !== undefined && (stat.mode & 0o077) !== 0;
  });
  if (open.length === 0) return [ok("file modes", "only the owner can read the calls and the token")];
  return open.map((path) => warn("file modes", `other users can read ${path}`, `Run chmod 600 ${path}`));
}

export function checkDisk(folder: string, database: string): Check {
  const file = resolve(folder, database);
  const free = freeBytes(file);
  const size = statOf(file)?.size ?? 0;
  const space = `${formatBytes(free)} free; the warehouse takes ${formatBytes(size)}`;
  if (free < SYNC_NEEDS_BYTES)
    return fail(EXIT.storage, "free disk", space, "Free up space: a sync would fail.");
  if (free < size + SYNC_NEEDS_BYTES) {
    return warn(
      "free disk",
      space,
      `Free up space: a migration or a backup on this disk needs as much again, and a sync ${formatBytes(SYNC_NEEDS_BYTES)} more.`,
    );
  }
  return ok("free disk", space);
}

/** Checks that files can be written where the warehouse and the exports go. */
export function checkFolders(folder: string, database: string, exportDir: string): Check[] {
  const file = resolve(folder, database);
  const isReadable = may(file, constants.R_OK);
  const lacks = [dirname(file), resolve(folder, exportDir)].map((path) => findLack(nearestFolder(path)));
  if (lacks[0] !== undefined && isReadable) {
    const hint = "This is enough to read, and to export with --out. Sync as the user that owns it.";
    return [warn("folders", `${lacks[0]}; the warehouse in it can be read`, hint)];
  }
  const hint = "Run calltally as the user that owns it, or give it to that user.";
  const problems = new Set(lacks.filter((lack) => lack !== undefined));
  return [...problems].map((lack) => fail(EXIT.storage, "folders", lack, hint));
}

function findLack(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return describeError(toCalltallyError(error));
  }
}
