import { readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

// The process of warm-pool.ts: runs commands of the built program one after another, each from a state like that of a
// new process to the moment when a process of its own would end. A command that leaves anything open ends this one.

/** A command to run, and a text to write after it on both outputs. */
export interface WarmCommand {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Octal. */
  umask?: string | undefined;
  /** Whether standard error goes to standard output, too. */
  isMerged?: boolean | undefined;
  mark: string;
}

/** Limits the memory that commands leave behind. */
const MAX_COMMANDS = 300;
const [, , bin = ""] = process.argv;
const umask = process.umask();
const outputs = [process.stdout, process.stderr];
const emitters = [process, ...outputs];
let commands = 0;
let mark = "";

process.on("disconnect", () => process.exit());
process.on("message", start);
process.on("beforeExit", end);
const listeners = emitters.map(listenersOf);
let openFiles = countOpenFiles();

function start(command: WarmCommand): void {
  commands++;
  mark = command.mark;
  openFiles = countOpenFiles();
  // Keeps the process alive while the command has something to do.
  process.channel?.unref();
  process.chdir(command.cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, command.env);
  if (command.umask !== undefined) process.umask(command.umask);
  if (command.isMerged) process.stderr.write = process.stdout.write.bind(process.stdout);
  process.argv = [process.execPath, bin, ...command.args];
  void import(`${pathToFileURL(bin)}?${commands}`);
}

function end(exitCode: number): void {
  const hasRead = process.stdin.readableDidRead;
  const isTidy = !hasRead && process.listenerCount("exit") === 0 && countOpenFiles() <= openFiles;
  if (!isTidy || commands === MAX_COMMANDS) return; // and so the process ends
  removeNewListeners();
  Reflect.deleteProperty(process.stderr, "write");
  process.exitCode = undefined;
  process.chdir("/");
  process.umask(umask);
  process.channel?.ref();
  for (const output of outputs) output.write(mark);
  process.send?.(exitCode);
}

function listenersOf(emitter: NodeJS.EventEmitter): Map<string | symbol, Set<unknown>> {
  return new Map(emitter.eventNames().map((name) => [name, new Set(emitter.rawListeners(name))]));
}

function removeNewListeners(): void {
  for (const [index, emitter] of emitters.entries()) {
    for (const [name, now] of listenersOf(emitter)) {
      for (const listener of now) {
        if (!listeners[index]?.get(name)?.has(listener)) emitter.off(name, listener as () => void);
      }
    }
  }
}

/** Open files, sockets and other descriptors. */
function countOpenFiles(): number {
  return readdirSync("/dev/fd").length;
}
