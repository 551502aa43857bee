import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SandboxOptions } from "../../../src/sandbox/server.ts";
import { makeAgencyFolder } from "../accounts/agency.ts";

export const SECRET = "s3cret-of-the-doorbell";
export const TOP = `jitter_seconds: 0
sync_cron: "0 0 1 1 *"
doorbell: { secret_file: secrets/doorbell, min_seconds: 1 }
`;

/** Makes a working folder of these accounts, with a doorbell and its secret. */
export async function makeDoorbellFolder<Name extends string>(
  accounts: Record<Name, SandboxOptions>,
  top = TOP,
) {
  const folder = await makeAgencyFolder(accounts, { top });
  mkdirSync(join(folder.path, "secrets"));
  folder.write("secrets/doorbell", `${SECRET}\n`);
  return folder;
}
