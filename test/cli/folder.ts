import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Call } from "../../src/calls/columns.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { beginWarehouse } from "../../src/warehouse/file/begin.ts";
import { calltally, type Finished, type RunOptions, settingsFor } from "../support/run.ts";
import { startRowService, TOKEN } from "../support/services/call-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse, readRows } from "../support/warehouses/warehouse.ts";

type Settings = Record<string, string>;

/** A working folder, and how to run the program in it. */
export interface Folder {
  path: string;
  /** The default path of its warehouse. */
  database: string;
  /** The environment of the program. */
  env: Settings;
  options: RunOptions;
  /** Runs the program; the first text is split at its blanks. */
  run: (...args: string[]) => Promise<Finished>;
  /** Runs the program with these settings in addition. */
  runWith: (more: Settings, ...args: string[]) => Promise<Finished>;
  /** Runs the program, which must succeed; returns its output. */
  say: (...args: string[]) => Promise<string>;
  /** Begins its warehouse, as a sync by hand does, and jobs do not. */
  begin: () => void;
  /** Returns the rows of a query of its warehouse. */
  read: (sql: string) => Record<string, unknown>[];
  /** Changes its warehouse. */
  execute: (sql: string) => void;
  /** Writes a file that only its owner may read. */
  write: (name: string, content: string | Buffer) => void;
}

const split = ([command = "", ...args]: readonly string[]) => [...command.split(" "), ...args];

/** Makes an empty working folder for runs with these settings. */
export function makeFolder(env: Settings = {}): Folder & Disposable {
  const { path, remove } = makeTempFolder();
  const options = { cwd: path, env };
  const database = join(path, "data/calltally.db");
  return {
    path,
    database,
    env,
    options,
    run: (...args) => calltally(split(args), options),
    runWith: (more, ...args) => calltally(split(args), { ...options, env: { ...env, ...more } }),
    say: async (...args) => {
      const { code, stdout, stderr } = await calltally(split(args), options);
      if (code !== 0) throw new Error(`${args.join(" ")} exits with ${code}: ${stdout}${stderr}`);
      return stdout;
    },
    begin: () => beginWarehouse(database),
    read: (sql) => readRows(database, sql),
    execute: (sql) => void new Database(database).exec(sql).close(),
    write: (name, content) => writeFileSync(join(path, name), content, { mode: 0o600 }),
    [Symbol.dispose]: remove,
  };
}

/** Makes a working folder with a warehouse of these calls. */
export function makeCallsFolder(calls: readonly Call[], env?: Settings): Folder & Disposable {
  const folder = makeFolder(env);
  fillWarehouse(folder.database, calls);
  return folder;
}

/** Makes an empty working folder whose settings name a sandbox of its own, and these `more`. */
export async function makeSandboxFolder(
  sandboxOptions: Parameters<typeof startSandbox>[0],
  more: Settings = {},
): Promise<Folder & AsyncDisposable & { sandbox: Sandbox }> {
  const sandbox = await startSandbox(sandboxOptions);
  return { ...makeFolderOf(sandbox, { ...settingsFor(sandbox), ...more }), sandbox };
}

/** Makes an empty working folder whose settings name a service of these rows, and these `more`. */
export async function makeServiceFolder(rows: readonly string[], more: Settings = {}) {
  const service = await startRowService(rows);
  const access = settingsFor({ url: service.url.href, token: TOKEN });
  return { ...makeFolderOf(service, { ...access, ...more }), service };
}

/** Makes a folder that is deleted with the server of its settings. */
function makeFolderOf(server: AsyncDisposable, env: Settings): Folder & AsyncDisposable {
  const { [Symbol.dispose]: remove, ...folder } = makeFolder(env);
  return {
    ...folder,
    [Symbol.asyncDispose]: async () => {
      remove();
      await server[Symbol.asyncDispose]();
    },
  };
}
