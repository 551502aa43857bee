import { UsageError } from "../base/errors.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { readSecretFile } from "./secret-file.ts";

/** The static parameter in which a webhook brings the secret with each delivery. */
export const SECRET_PARAMETER = "calltally_secret";

/** As in a header and in JSON alike, and too long to be guessed. */
const SECRET = /^[\x21-\x7e]{16,1024}$/;
const MIN_SECONDS = 60;

export interface Doorbell {
  secret: string;
  /** The one account that is synced; undefined for each, by its name. */
  account: string | undefined;
  /** Time from the start of one sync of an account to that of the next, milliseconds. */
  minMs: number;
}

/** @throws UsageError that names the place of the secret's file */
export function readDoorbell({ content, resolvePath, placeOf }: CalltallyFile): Doorbell | undefined {
  if (content.doorbell === undefined) return undefined;
  const { secret_file, account, min_seconds = MIN_SECONDS } = content.doorbell;
  const place = placeOf(["doorbell", "secret_file"]);
  const secret = readSecretFile(resolvePath(secret_file), place);
  if (!SECRET.test(secret)) {
    throw new UsageError(
      `Cannot use ${place}: must hold 16 to 1,024 printable ASCII characters without white space`,
      {
        hint: `Make one: (umask 077; openssl rand -hex 32 > ${secret_file})`,
      },
    );
  }
  return { secret, account, minMs: min_seconds * 1000 };
}
