import { execFileSync, execSync } from "node:child_process";
import { addLock, SERVER_ARCHIVE, writePackage } from "./write-package.ts";

// `npm run package`: the package for npm, and an archive for servers
const FOLDER = "dist/package";

writePackage(FOLDER);
execSync(`npm pack ./${FOLDER} --pack-destination dist`, { stdio: "inherit" });
addLock(FOLDER);
execFileSync("tar", ["--create", "--gzip", "--file", SERVER_ARCHIVE, "--directory", FOLDER, "."]);
process.stdout.write(`${SERVER_ARCHIVE}\n`);
