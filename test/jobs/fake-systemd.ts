import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Replaces systemd-run, and enabling and stopping by systemctl, if no systemd is running: starts a service with the user,
 * state folder, credentials, environment and arguments as in systemd.exec(5) and systemd.service(5). It has no
 * timers, limits, hardening or restarts.
 *
 *   node fake-systemd.ts <folder in place of /run> systemd-run --unit=NAME --property=NAME=VALUE… -- COMMAND…
 *   node fake-systemd.ts <folder in place of /run> systemctl enable --now NAME
 *   node fake-systemd.ts <folder in place of /run> systemctl stop NAME (of systemd-run)
 */
async function main([run = "", program, ...args]: readonly string[]): Promise<void> {
  if (program === "systemd-run") {
    const end = args.indexOf("--");
    const settings = args.slice(0, end).map((word) => word.replace(/^--(property=)?/, ""));
    const unit = settings.find((line) => line.startsWith("unit="))?.slice("unit=".length) ?? "";
    const credentials = join(run, "credentials", unit);
    const service = start(settings, args.slice(end + 1), { credentials, stdio: "inherit" });
    writeFileSync(join(run, unit), String(service.pid));
    process.on("SIGINT", () => {}); // ignored also by systemd-run as a background command; Node reverts that
    [process.exitCode] = await once(service, "exit");
    rmSync(credentials, { recursive: true });
  } else if (args[0] === "stop") {
    process.kill(Number(readFileSync(join(run, args.at(-1) ?? ""), "utf8")), "SIGTERM");
  } else if (args[0] === "enable") {
    const unit = args.at(-1) ?? "";
    const credentials = join(run, "credentials", unit);
    const settings = readLines(join("/etc/systemd/system", unit)).map((line) =>
      line.replaceAll("%d", credentials),
    );
    const command = settings.find((line) => line.startsWith("ExecStart="))?.slice("ExecStart=".length);
    const service = start(settings, command?.split(" ") ?? [], { credentials, stdio: "pipe" });
    let said = "";
    for await (const chunk of service.stderr ?? []) {
      said += chunk;
      if (said.includes('"listening"')) process.exit();
    }
    process.stderr.write(said);
    process.exitCode = 1;
  }
}

function start(
  settings: readonly string[],
  [file = "", ...words]: readonly string[],
  { credentials, stdio }: { credentials: string; stdio: "inherit" | "pipe" },
) {
  const all = (name: string) =>
    settings.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const user = findUser(all("User").join());
  const own = (path: string) => user !== undefined && chownSync(path, user.uid, user.gid);
  const env: Record<string, string> = { CREDENTIALS_DIRECTORY: credentials };
  for (const text of [...all("Environment"), ...all("EnvironmentFile").flatMap(readLines)]) {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    env[name] = value;
  }
  mkdirSync(credentials, { recursive: true });
  for (const credential of all("LoadCredential")) {
    const [id = "", path = ""] = credential.split(":");
    cpSync(path, join(credentials, id));
    own(join(credentials, id));
  }
  // The units have their state folder as the working folder.
  const cwd = all("WorkingDirectory").join();
  mkdirSync(cwd, { recursive: true, mode: Number.parseInt(all("StateDirectoryMode").join(), 8) });
  own(cwd);
  process.umask(all("UMask").join());
  return spawn(file, words.flatMap(expandWord(env)), {
    cwd,
    env,
    stdio,
    detached: true, // what a terminal sends to the caller does not reach it
    ...user,
  });
}

/** Undefined if this machine has no such user, or this process cannot switch to it. */
function findUser(name: string): { uid: number; gid: number } | undefined {
  const line = readLines("/etc/passwd").find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || process.getuid?.() !== 0 ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function readLines(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}

/** `$NAME` as a word becomes any number of words; `${NAME}` in a word becomes its value, or nothing; `$$` becomes `$`. */
function expandWord(env: Readonly<Record<string, string>>) {
  return (word: string): string[] => {
    const [, alone] = /^\$(\w+)$/.exec(word) ?? [];
    if (alone !== undefined) return (env[alone] ?? "").split(/\s+/).filter(Boolean);
    return [word.replace(/\$\$|\$\{([^}]*)\}/g, (all, name) => (all === "$$" ? "$" : (env[name] ?? "")))];
  };
}

await main(process.argv.slice(2));
