import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/sandbox/server.ts";
import { type Folder, makeFolder } from "../folder.ts";

/** Writes `calltally.yaml` with an account for each sandbox, and their tokens; `more` is added to an account. */
export function writeAccounts(
  folder: string,
  sandboxes: Readonly<Record<string, Pick<Sandbox, "url" | "token">>>,
  { top = "", more = {} }: { top?: string; more?: Record<string, string> } = {},
): void {
  const accounts = Object.entries(sandboxes).map(([name, { url, token }]) => {
    writeFileSync(join(folder, `${name}.token`), token, { mode: 0o600 });
    const own = more[name] === undefined ? "" : `    ${more[name]}\n`;
    return `  ${name}:\n    base_url: ${url}\n    token_file: ${name}.token\n${own}`;
  });
  writeFileSync(join(folder, "calltally.yaml"), `${top}accounts:\n${accounts.join("")}`, { mode: 0o600 });
}

/** Makes a working folder with an account for each name, which has a sandbox and a token of its own. */
export async function makeAgencyFolder<Name extends string>(
  accounts: Record<Name, SandboxOptions>,
  yaml: Parameters<typeof writeAccounts>[2] = {},
): Promise<Folder & AsyncDisposable & Record<Name, Sandbox>> {
  const folder = makeFolder();
  const started = Object.entries<SandboxOptions>(accounts).map(async ([name, options]) => [
    name,
    await startSandbox({ token: `t0ken-of-${name}`, ...options }),
  ]);
  const sandboxes: Record<Name, Sandbox> = Object.fromEntries(await Promise.all(started));
  writeAccounts(folder.path, sandboxes, yaml);
  return {
    ...folder,
    ...sandboxes,
    [Symbol.asyncDispose]: async () => {
      folder[Symbol.dispose]();
      for (const sandbox of Object.values<Sandbox>(sandboxes)) await sandbox[Symbol.asyncDispose]();
    },
  };
}
