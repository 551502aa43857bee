import { spawnSync } from "node:child_process";
import { BIN } from "../../support/run.ts";

/** The user nobody by convention. */
export const NOBODY = 65_534;

export const isRoot = process.getuid?.() === 0;

/** The user of tests where permissions matter: root may do everything, so root's tests run the program as another user. */
export const uid = isRoot ? NOBODY : undefined;

function canRun(): boolean {
  if (process.platform === "win32") return false;
  return spawnSync(process.execPath, [BIN, "--version"], { uid, gid: uid, cwd: "/" }).status === 0;
}

/** Whether that user cannot run the program, for example in a folder that only root may enter. */
export const skipped = !canRun();
export const unlessSkipped = skipped
  ? " (SKIPPED: no user without root's rights can run the program here)"
  : "";
