import { UsageError } from "../base/errors.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { readSecretFile } from "./files/secret-file.ts";

/** The static parameter with which a webhook delivers the secret. */
export const SECRET_PARAMETER = "calltally_secret";

/** Printable in a header and in JSON, and too long to guess. */
const SECRET = /^[\x21-\x7e]{16,1024}$/;
const MIN_SECONDS = 60;

/** The one account to sync, or each by its name; and the time between the starts of two syncs of an account. */
export type Doorbell = NonNullable<ReturnType<typeof readDoorbell>>;

/** @throws UsageError that says where the secret's file is configured */
export function readDoorbell({ content, resolvePath, placeOf }: CalltallyFile) {
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
