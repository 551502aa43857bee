import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codeOf, describeError, EXIT } from "../base/errors.ts";
import { AS_OWNER, describeLack } from "../base/file-access.ts";

const FOLDER = fileURLToPath(new URL("../node_modules", import.meta.url));

const CODES = ["ERR_MODULE_NOT_FOUND", "ERR_INVALID_PACKAGE_CONFIG", "EACCES"];

/** Says why the program cannot be loaded. Node itself calls a package missing that it may not read. */
export function failToLoad(error: unknown): void {
  if (!CODES.includes(String(codeOf(error)))) throw error;
  const path = /'([^']*)'|config (.*): /.exec(describeError(error))?.slice(1).find(Boolean) ?? "";
  const lack =
    describeLack(`${FOLDER}/${/^[@\w][\w./-]*$/.test(path) ? path : "x"}/package.json`, "read") ??
    (path.startsWith("/") ? describeLack(path, "read") : undefined);
  const [reason, hint] =
    lack !== undefined
      ? [lack, AS_OWNER]
      : [
          existsSync(FOLDER) ? `${describeError(error)}.` : `There is no folder ${FOLDER}.`,
          "Install the packages: npm ci, or npm install for the published package.",
        ];
  process.stderr.write(`calltally: Cannot load the program: ${reason}\n${hint}\n`);
  process.exitCode = EXIT.storage;
}
