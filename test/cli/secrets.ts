/** What may be found nowhere in what the program writes. */
const SECRET_SETTINGS = ["CALLTALLY_TOKEN", "CALLTALLY_HEARTBEAT_URL"];
/** Shorter ones are found in any text. */
const SHORTEST = 6;
/** The shape of the sandbox's phone numbers; and a word that tests plant in calls. */
const PERSONAL = /\+\d{8,15}|canary/i;

/**
 * Throws if secrets are in the output of a run: the token or the monitor's address anywhere; a phone number, or what a
 * test has planted as a canary, on standard error. (Standard output is for data, calls among them.)
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
