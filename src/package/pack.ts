import { execSync } from "node:child_process";
import { writePackage } from "./write-package.ts";

// `npm run package`
writePackage("dist/package");
execSync("npm pack ./dist/package --pack-destination dist", { stdio: "inherit" });
