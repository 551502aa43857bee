import { execFileSync, execSync } from "node:child_process";
import packageJson from "../../package.json" with { type: "json" };
import { addLock, writePackage } from "./write-package.ts";

// `npm run package`: the package for npm, and an archive for servers
const FOLDER = "dist/package";
const archive = `dist/calltally-${packageJson.version}-server.tgz`;

writePackage(FOLDER);
execSync(`npm pack ./${FOLDER} --pack-destination dist`, { stdio: "inherit" });
addLock(FOLDER);
execFileSync("tar", ["--create", "--gzip", "--file", archive, "--directory", FOLDER, "."]);
process.stdout.write(`${archive}\n`);
