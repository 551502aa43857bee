import { accessSync, constants } from "node:fs";
import { posix, win32 } from "node:path";
import { attempt, UsageError } from "../../../base/errors.ts";
import { isFile } from "../../../base/folder.ts";
import { SETTINGS } from "../../../config/settings.ts";

const INSTALL = `Install Chromium, Google Chrome or Microsoft Edge, or name one with ${SETTINGS.browser.env}.`;

/** Names of browsers on the path of Linux and BSD. Chromium is last: as a snap, it has a /tmp of its own. */
const COMMANDS = [
  ...["google-chrome-stable", "google-chrome", "microsoft-edge-stable", "microsoft-edge"],
  ...["chromium", "chromium-browser"],
];

/** Where installers of macOS put them, below /Applications or the same folder of a user. */
const APPS = ["Google Chrome", "Microsoft Edge", "Chromium"].map(
  (name) => `Applications/${name}.app/Contents/MacOS/${name}`,
);

/** Where installers of Windows put them, below one of its folders of programs. */
const WINDOWS_FILES = [
  ...["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"],
  "Chromium\\Application\\chrome.exe",
];
const WINDOWS_FOLDERS = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];

interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<NodeJS.ProcessEnv>;
  isProgram: (file: string) => boolean;
}

const THIS_MACHINE: Machine = {
  platform: process.platform,
  env: process.env,
  isProgram: (file) => {
    const mayRun = () => isFile(file) && accessSync(file, constants.X_OK) === undefined;
    return attempt(mayRun) ?? false;
  },
};

/**
 * Returns the file of the browser to print with.
 * @param named the setting, which takes precedence
 * @throws UsageError if there is none
 */
export function findBrowser(named: string | undefined, machine: Machine = THIS_MACHINE): string {
  if (named !== undefined) {
    if (machine.isProgram(named)) return named;
    throw new UsageError(
      `Cannot print a PDF: ${SETTINGS.browser.env} ${named} is no program that this user may run`,
      {
        hint: INSTALL,
      },
    );
  }
  const browser = usualFiles(machine).find(machine.isProgram);
  if (browser !== undefined) return browser;
  throw new UsageError("Cannot print a PDF: no Chromium, Google Chrome or Microsoft Edge was found", {
    hint: INSTALL,
  });
}

/** Returns where browsers usually are, best first. */
function usualFiles({ platform, env }: Machine): string[] {
  const below = (
    folders: readonly (string | undefined)[],
    files: readonly string[],
    { join }: typeof posix,
  ) => files.flatMap((file) => folders.flatMap((folder) => (folder ? [join(folder, file)] : [])));
  if (platform === "win32")
    return below(
      WINDOWS_FOLDERS.map((name) => env[name]),
      WINDOWS_FILES,
      win32,
    );
  const onPath = below(env.PATH?.split(posix.delimiter) ?? [], COMMANDS, posix);
  return platform === "darwin" ? [...below(["/", env.HOME], APPS, posix), ...onPath] : onPath;
}
