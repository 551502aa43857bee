import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { startSandbox } from "../../src/sandbox/server.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

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
