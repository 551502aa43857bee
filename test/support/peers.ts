import { spawnSync } from "node:child_process";

/** Programs that tests compare with, and the Debian package of each. `.ci/run` installs them. */
const PACKAGES = {
  chromium: "chromium",
  "clickhouse-server": "clickhouse-server",
  pdftotext: "poppler-utils",
  python3: "python3",
  soffice: "libreoffice-calc",
};

/**
 * Whether tests can use a program; if not, `note` shows in their titles why they are skipped.
 * @param path where it is, if not on the path
 * @throws Error if it is missing though the environment has PEERS=required
 */
export function findPeer(program: keyof typeof PACKAGES, path: string = program) {
  const isFound = spawnSync("sh", ["-c", 'command -v "$0"', path]).status === 0;
  const missing = `${path} is missing, apt-get install ${PACKAGES[program]}`;
  if (!isFound && process.env.PEERS === "required") throw new Error(missing);
  return { isMissing: !isFound, note: isFound ? "" : ` (SKIPPED: ${missing})` };
}
