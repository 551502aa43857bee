import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import packageLock from "../../../package-lock.json" with { type: "json" };

/** What `npm run package` writes besides the package for npm. */
export const SERVER_ARCHIVE = `dist/calltally-${packageJson.version}-server.tgz`;

/** Members of package.json that the published one has, too. */
const PASSED_ON: readonly string[] = [
  ...["name", "version", "description", "keywords", "homepage", "repository", "bugs", "license"],
  ...["type", "bin", "man", "exports", "engines"],
];
/** Dependencies of a clone that the built program contains. */
const BUNDLED: readonly string[] = ["drizzle-orm"];
/** Only a clone can build these. */
const CLONE_ONLY = ["Dockerfile", "Dockerfile.dockerignore", "compose.yaml"].map((name) =>
  join("jobs/deploy", name),
);
const DOCUMENTS = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "docs", "jobs/deploy"];

/**
 * Writes the folder to publish: the built program and library, declarations, documentation and files for operators.
 * Its only script checks the version of Node.
 * @throws Error if nothing is built
 */
export function writePackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(toPublished(packageJson), null, 2)}\n`);
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), readLicenses());
  for (const path of DOCUMENTS) {
    cpSync(path, join(folder, path), { recursive: true, filter: (from) => !CLONE_ONLY.includes(from) });
  }
  copyProgram(join(folder, "dist"));
  writeDeclarations(join(folder, "dist/types"));
  for (const path of globSync("**/*.md", { cwd: folder })) unlink(folder, path);
}

/** Makes the package one for servers: with a lockfile and npm's settings, which npm never packs, and with the Node that runs it. */
export function addLock(folder: string): void {
  cpSync(".npmrc", join(folder, ".npmrc"));
  const { optionalDependencies } = packageJson;
  const root = { ...toPublished(packageJson), optionalDependencies };
  const libraries = Object.entries(packageLock.packages).filter(
    ([path, library]) =>
      !(path === "" || "dev" in library || "devOptional" in library) &&
      !BUNDLED.some((name) => path === `node_modules/${name}`),
  );
  const { name, version } = packageLock;
  const packages = { "": root, ...Object.fromEntries(libraries) };
  const lock = { name, version, lockfileVersion: packageLock.lockfileVersion, requires: true, packages };
  for (const [file, content] of Object.entries({ "package.json": root, "package-lock.json": lock }))
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
}

/** Returns the published package.json. */
export function toPublished(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    ...Object.fromEntries(Object.entries(manifest).filter(([member]) => PASSED_ON.includes(member))),
    dependencies: Object.fromEntries(
      Object.entries(packageJson.dependencies).filter(([name]) => !BUNDLED.includes(name)),
    ),
    scripts: { preinstall: "node dist/node-version.js" },
    publishConfig: { access: "public" },
  };
}

const metafileSchema = z.object({ inputs: z.record(z.string(), z.unknown()) });
const libraryManifest = z.object({
  version: z.string(),
  license: z.string(),
  homepage: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

/** Without source maps, which are twice the size of the program. */
function copyProgram(folder: string): void {
  // Snapshots are only needed to generate the next migration.
  const filter = (from: string) => !from.endsWith("_snapshot.json");
  cpSync(join("dist", "migrations"), join(folder, "migrations"), { recursive: true, filter });
  for (const path of globSync("dist/*.js")) {
    const text = readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*\n/m, "");
    writeFileSync(join(folder, basename(path)), text, {
      mode: path === packageJson.bin.calltally ? 0o755 : 0o644,
    });
  }
}

/** Of the library's types, and of everything that they refer to. */
function writeDeclarations(folder: string): void {
  const all = `${folder}-of-everything`;
  const tsc = join("node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [
    tsc,
    "--project",
    join(import.meta.dirname, "tsconfig.json"),
    "--outDir",
    all,
  ]);
  const copied = new Set<string>();
  const copy = (path: string) => {
    if (copied.has(path)) return;
    copied.add(path);
    const text = readFileSync(join(all, path), "utf8");
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    const declared = text.replace(/^import "\..*";\n/gm, "").replace(/(from "\..*)\.ts"/g, '$1.js"');
    writeFileSync(join(folder, path), declared);
    for (const [, imported = ""] of text.matchAll(/(?:from |import\()"(\..*)\.ts"/g))
      copy(join(dirname(path), `${imported}.d.ts`));
  };
  copy("library/index.d.ts");
  rmSync(all, { recursive: true });
}

/** Turns links to files outside the package into plain text. */
function unlink(folder: string, path: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  const leadsSomewhere = (link: string) =>
    /^(https?:|#)/.test(link) || existsSync(join(folder, dirname(path), link.replace(/#.*/, "")));
  const page = text.replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (all, words: string, link: string) =>
    leadsSomewhere(link) ? all : words,
  );
  writeFileSync(join(folder, path), page);
}

/** Returns the licenses of the libraries that esbuild has bundled, and of those that they have bundled themselves. */
function readLicenses(): string {
  // esbuild names each file before its content.
  const comment = /^\/\/ (?:\S+\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm;
  const bundled = globSync("dist/*.js").flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(comment)].map(([, name = ""]) => name),
  );
  // Scripts of pages are minified.
  const { inputs } = metafileSchema.parse(JSON.parse(readFileSync("dist/browser.json", "utf8")));
  const inPage = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const names = new Set(
    [...bundled, ...inPage].flatMap((name) => [name, ...Object.keys(readManifest(name).dependencies ?? {})]),
  );
  return [...names].sort().map(readLicense).join("\n");
}

function readLicense(name: string): string {
  const { version, license, homepage } = readManifest(name);
  const folder = join("node_modules", name);
  const texts = globSync(["LICENSE*", "NOTICE*", "licenses/*"], { cwd: folder }).map(
    (path) => `\n${readFileSync(join(folder, path), "utf8").trim()}\n`,
  );
  const title = `${name} ${version}, ${license}`;
  return [title, "=".repeat(title.length), ...(texts.length > 0 ? texts : [`\n${homepage}\n`])].join("\n");
}

function readManifest(name: string) {
  return libraryManifest.parse(JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8")));
}
