/** Settings whose values must be nowhere in the output of the program. */
const SECRET_SETTINGS = ["CALLTALLY_TOKEN", "CALLTALLY_HEARTBEAT_URL"];
/** Shorter ones occur in any text. */
const SHORTEST = 6;
/** The format of the sandbox's phone numbers; and a word that tests plant in calls. */
const PERSONAL = /\+\d{8,15}|canary/i;

/**
 * Throws if secrets are in the output of a run: the token or the monitor's address anywhere; a phone number, or a planted
 * canary, on standard error. (Standard output is for data, including calls.)
 */
export function assertNoSecrets(
  { stdout, stderr }: { stdout: string; stderr: string },
  env: Readonly<Record<string, string>>,
): void {
  for (const name of SECRET_SETTINGS) {
    const secret = env[name];
    if (secret === undefined || secret.length < SHORTEST) continue;
    if (stdout.includes(secret) || stderr.includes(secret))
      throw new Error(`${name} is shown: ${stdout}${stderr}`);
  }
  const [found] = PERSONAL.exec(stderr) ?? [];
  if (found !== undefined) throw new Error(`${found} is on standard error: ${stderr}`);
}
