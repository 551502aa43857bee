// Asks the library of a build: node library-call.ts BUILD '["rollup", "calls.db", {…}]'
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [root = "", asked = "[]"] = process.argv.slice(2);
const library = await import(pathToFileURL(join(root, "dist/index.js")).href);
const [call, ...args] = JSON.parse(asked);

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value, null, 1)}\n`);
try {
  if (call === "syncWarehouse") print(await library.syncWarehouse(args[0]));
  else {
    const warehouse = library.openWarehouse(args[0]);
    print(call === "rollup" ? await warehouse.rollup(args[1]) : warehouse.readBasis());
    warehouse[Symbol.dispose]();
  }
} catch (error) {
  if (!(error instanceof library.CalltallyError)) throw error;
  const refused: { exitCode?: number; message?: string; hint?: string } = { ...Object(error) };
  process.exitCode = refused.exitCode ?? 1;
  process.stderr.write(`${error}\n${refused.hint ?? ""}\n`);
}
