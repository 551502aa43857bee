// Preloaded into the program, and so into its worker threads and child processes: the time is always the same,
// and so is the id of a new warehouse.
import { createHash } from "node:crypto";
import Module from "node:module";
import type Database from "better-sqlite3";

const fixedMs = Date.parse(process.env.REPLAY_NOW ?? "");
if (Number.isNaN(fixedMs)) throw new Error("REPLAY_NOW must be a time");

const now = () => fixedMs;
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(fixedMs).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [fixedMs] : args, made),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

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
        createHash("sha256").update(`${database.name} ${fixedMs}`).digest().subarray(0, Number(bytes)),
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
