// Preloaded into the program, its worker threads and child processes: freezes the time, random bytes and ids, the id of a
// new warehouse, and the port of a server that takes any. A process may run many commands, each at its own time.
import crypto from "node:crypto";
import Module, { syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";
import type Database from "better-sqlite3";

let readTime: string | undefined;
let timeMs = 0;
const now = () => {
  const time = process.env.REPLAY_NOW;
  if (time !== readTime) timeMs = Date.parse(time ?? "");
  readTime = time;
  return timeMs;
};
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(now()).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

let [run, drawn]: [string | undefined, number] = [undefined, 0];
const randomBytes = (size: number, done?: (error: Error | null, bytes: Buffer) => void): Buffer => {
  if (process.env.REPLAY_RUN !== run) [run, drawn] = [process.env.REPLAY_RUN, 0];
  const seed = `${now()} ${process.argv.slice(2).join(" ")} ${drawn++}`;
  const bytes = crypto.createHash("shake256", { outputLength: size }).update(seed).digest();
  done?.(null, bytes);
  return bytes;
};
// The demo's service draws ids of requests, which its certificate seals. Elsewhere node-cron refuses an id that comes twice.
const drawId = crypto.randomUUID;
const randomUUID = () =>
  process.argv[2] === "demo"
    ? randomBytes(16)
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
    : drawId();
Object.assign(crypto, { randomBytes, randomUUID });
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
        return new Date(now()).toISOString();
      });
      // The id of a new warehouse.
      database.function("randomblob", (bytes: unknown) => randomBytes(Number(bytes)));
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
