// Calls the library of a build: node library-call.ts BUILD '["rollup", "calls.db", {…}]'
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [root = "", given = "[]"] = process.argv.slice(2);
const library = await import(pathToFileURL(join(root, "dist/index.js")).href);
const [call, path, ...args] = JSON.parse(given);

try {
  const returned = call === "syncWarehouse" ? await library.syncWarehouse(path) : await askWarehouse();
  process.stdout.write(`${JSON.stringify(returned, null, 1)}\n`);
} catch (error) {
  if (!(error instanceof library.CalltallyError)) throw error;
  const { exitCode, hint }: { exitCode?: number; hint?: string } = Object(error);
  process.exitCode = exitCode ?? 1;
  process.stderr.write(`${error}\n${hint ?? ""}\n`);
}

async function askWarehouse(): Promise<unknown> {
  using warehouse = library.openWarehouse(path);
  const returned = await warehouse[call](...args);
  return typeof returned?.next === "function" ? [...returned] : returned;
}
