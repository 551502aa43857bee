import { existsSync } from "node:fs";
import { COMMANDS } from "../../src/cli/commands.ts";
import { JOBS } from "../../src/operate/jobs/all.ts";
import { CAPABILITIES } from "../deletion/capabilities.ts";

/**
 * Returns whether a command line begins with a command of the program, or a job with its name. False for one of a deleted capability, so that a
 * list of a test may have rows about it.
 * @throws Error if no capability has such a command either
 */
export function hasCommand(line: string): boolean {
  const [name = "", job = ""] = line.split(" ");
  if (name === "job" && job in CAPABILITIES) return JOBS.some((each) => each.name === job);
  if (COMMANDS.includes(name)) return true;
  if (Object.values(CAPABILITIES).some(({ commands }) => commands.includes(name))) return false;
  throw new Error(`calltally has no command ${name}: ${line}`);
}

/** Returns whether a capability is there, so that a test of the core may have rows about it. @throws Error for any other name */
export function hasCapability(name: string): boolean {
  const capability = CAPABILITIES[name];
  if (capability === undefined) throw new Error(`calltally has no capability ${name}`);
  return existsSync(capability.folder);
}
