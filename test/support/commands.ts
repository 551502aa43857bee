import { COMMANDS } from "../../src/cli/commands.ts";
import { CAPABILITIES } from "../deletion/capabilities.ts";

/**
 * Returns whether a command line begins with a command of the program. False for one of a deleted capability, so that a
 * list of a test may have rows about it.
 * @throws Error if no capability has such a command either
 */
export function hasCommand(line: string): boolean {
  const [name = ""] = line.split(" ");
  if (COMMANDS.includes(name)) return true;
  if (Object.values(CAPABILITIES).some(({ commands }) => commands.includes(name))) return false;
  throw new Error(`calltally has no command ${name}: ${line}`);
}
