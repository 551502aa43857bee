// Preloaded into the program, and so into its worker threads and child processes: the time is always the same, and so are
// random bytes, the id of a new warehouse, and the port of a server that takes any.
import crypto, { createHash } from "node:crypto";
import Module, { syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";
import { relative } from "node:path";
import type Database from "better-sqlite3";

const fixedMs = Date.parse(process.env.REPLAY_NOW ?? "");
if (Number.isNaN(fixedMs)) throw new Error("REPLAY_NOW must be a time");

const now = () => fixedMs;
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(fixedMs).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [fixedMs] : args, made),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

let drawn = 0;
const randomBytes = (size: number, done?: (error: Error | null, bytes: Buffer) => void): Buffer => {
  const seed = `${fixedMs} ${process.argv.slice(2).join(" ")} ${drawn++}`;
  const bytes = crypto.createHash("shake256", { outputLength: size }).update(seed).digest();
  done?.(null, bytes);
  return bytes;
};
Object.assign(crypto, { randomBytes });
syncBuiltinESMExports();

/** What a trigger of the warehouse asks SQLite for the time by. */
const FORMAT = "%Y-%m-%dT%H:%M:%fZ";

function frozen(Opened: typeof Database): typeof Database {
  return new Proxy(Opened, {
    construct: (target, args, made) => {
      const database: Database.Database = Reflect.construct(target, args, made);
      database.function("strftime", (format: unknown, time: unknown) => {
        if (format !== FORMAT || time !== "now")
          throw new Error(`strftime(${format}, ${time}) is not frozen`);
        return new Date(fixedMs).toISOString();
      });
      // The id of a new warehouse.
      database.function("randomblob", (bytes: unknown) =>
        createHash("sha256")
          .update(`${relative(process.cwd(), database.name)} ${fixedMs}`)
          .digest()
          .subarray(0, Number(bytes)),
      );
      return database;
    },
  });
}

const loader: { _load: (request: string, parent?: { filename?: string }, isMain?: boolean) => unknown } =
  Object(Module);
const load = loader._load;
loader._load = (request, parent, isMain) => {
  const loaded = load(request, parent, isMain);
  const isOpener = request === "./database" && /better-sqlite3/.test(parent?.filename ?? "");
  if (!isOpener || typeof loaded !== "function") return loaded;
  return (...args: unknown[]) => frozen(loaded(...args));
};

const server: { listen: (...args: unknown[]) => unknown } = Object(Server.prototype);
const { listen } = server;
server.listen = function (port, ...others) {
  return listen.call(this, port === 0 ? Number(process.env.REPLAY_PORT) : port, ...others);
};
